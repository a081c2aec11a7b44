"""Quantities and costs of items by warehouse."""

from __future__ import annotations

from decimal import Decimal

from erpsim.company.company import Company
from erpsim.company.errors import refused
from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import ZERO, as_decimal, normal

WAREHOUSES = "ItemWarehouseInfoCollection"
BATCHES = "$BatchQuantities"
SERIALS = "$SerialQuantities"
"""Hidden tables: quantities of batches and serial numbers by warehouse."""
# Quantity of a warehouse, and the item's property that adds all warehouses up.
_TOTALS = {
    "InStock": "QuantityOnStock",
    "Committed": "QuantityOrderedByCustomers",
    "Ordered": "QuantityOrderedFromVendors",
}
_PRICE_DECIMALS = 6


def is_stocked(item: Fields) -> bool:
    """Return whether the item's quantities are tracked."""
    return item.get("InventoryItem", "tYES") == "tYES"


def cost_of(item: Fields) -> Decimal:
    """Return the item's moving average."""
    return as_decimal(item.get("MovingAveragePrice"))


def in_stock(item: Fields, warehouse: str) -> Decimal:
    """Return the item's quantity in a warehouse."""
    return next(
        (
            as_decimal(row.get("InStock"))
            for row in rows_of(item, WAREHOUSES)
            if row.get("WarehouseCode") == warehouse
        ),
        ZERO,
    )


def move(
    company: Company, item: Fields, warehouse: str, quantity: Decimal, *, price: Decimal | None, place: str
) -> Decimal:
    """Receive goods (positive) or issue them (negative) and return the moved value at cost with the same
    sign.

    Args:
        company: the company.
        item: the item's row.
        warehouse: its code.
        quantity: in inventory units.
        price: cost of a received unit, None for the moving average.
        place: end of a refusal: `[DLN1.ItemCode][line: 1]`.

    Raises:
        SlError: -10 when the warehouse would fall below zero (the well-known text; switch `negative_stock`).
    """
    if not is_stocked(item):
        return ZERO
    fresh = company.find("Items", str(item["ItemCode"])) or item
    cost = cost_of(fresh)
    if quantity < 0 and not company.switches.negative_stock and in_stock(fresh, warehouse) + quantity < 0:
        raise refused(f"Quantity falls into negative inventory  {place}")
    changed = _changed(fresh, warehouse, "InStock", quantity)
    if quantity > 0 and price is not None:
        cost = _average(as_decimal(fresh.get("QuantityOnStock")), cost, quantity, price)
        changed["MovingAveragePrice"] = changed["AvgStdPrice"] = cost
    company.database.put("Items", (str(item["ItemCode"]),), changed)
    unit = cost_of(fresh) if quantity < 0 or price is None else price
    return quantity * unit


def reserve(company: Company, item_code: str, warehouse: str, quantity_name: str, change: Decimal) -> None:
    """Change an item's committed or ordered quantity (`Committed`, `Ordered`)."""
    item = company.find("Items", item_code)
    if item is not None and change and is_stocked(item):
        company.database.put("Items", (item_code,), _changed(item, warehouse, quantity_name, change))


def _changed(item: Fields, warehouse: str, quantity_name: str, change: Decimal) -> Fields:
    rows: list[Value] = []
    has_row = False
    for row in rows_of(item, WAREHOUSES):
        if row.get("WarehouseCode") == warehouse:
            has_row = True
            rows.append({**row, quantity_name: normal(as_decimal(row.get(quantity_name)) + change)})
        else:
            rows.append(row)
    if not has_row:
        rows.append({"WarehouseCode": warehouse, "ItemCode": item["ItemCode"], quantity_name: normal(change)})
    total = _TOTALS[quantity_name]
    return {**item, WAREHOUSES: rows, total: normal(as_decimal(item.get(total)) + change)}


def _average(stock: Decimal, cost: Decimal, quantity: Decimal, price: Decimal) -> Decimal:
    if stock <= 0:
        return normal(price)
    return normal(
        ((stock * cost + quantity * price) / (stock + quantity)).quantize(Decimal(1).scaleb(-_PRICE_DECIMALS))
    )
