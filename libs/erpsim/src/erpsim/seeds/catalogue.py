"""Warehouses, item groups and items."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import attrs

from erpsim.company.exchange import Fields, Value
from erpsim.company.rows.values import normal
from erpsim.seeds.dice import Dice
from erpsim.seeds.scale import Scale
from erpsim.seeds.settings import ACCOUNTS, PURCHASE_TAX, SALES_TAX
from erpsim.seeds.words import CITIES, GOODS, GROUPS, MAKES, SEASONS, SIZES

ODD_ITEM_CODES: Final = (
    "A/1",
    "O'HIGGINS-10",
    "PIÑA-3",
    "50%ALCOHOL",
    "N+1",
    "#8-TORNILLO",
    "TUBO 3/4 & CODO",
    "¿QUE?",
    'MEDIA 1/2"',
    "A%2F1",
    "12/Cancel",
    "A\\B",
    "a=b,c=d",
    "(5)",
    "0007",
)
"""Item codes with characters that break careless addresses, quotes or numbers; the first items of `small` and
`full`.
"""

LISTED_FACTORS: Final = (100, 92, 88)
"""Percent of the public price by price list; one more list behind them holds the cost."""
_COST_PERCENT: Final = 60
_SERIAL_PLACE: Final = 5
_BATCH_EVERY: Final = 20
_UNITS: Final = ("UN", "CJ", "KG")


@attrs.frozen
class SeedItem:
    """Fields of an item that the documents use.

    Args:
        code, name: its key and name.
        group: its item group.
        unit: unit of measure.
        cost, price: purchase and sales price of a unit in pesos.
        places: numbers of the warehouses that stock it.
        managed: by `batch` or by `serial` number, empty for neither.
    """

    code: str
    name: str
    group: int
    unit: str
    cost: int
    price: int
    places: tuple[int, ...]
    managed: str = ""


def warehouse_code(number: int) -> str:
    """Return the code of a warehouse, counted from 0."""
    return f"{number + 1:02d}"


BIN_WAREHOUSE: Final = 2
"""Number of the warehouse with bin locations, in seeds that have goods to send back."""
# Goods leave its bins by a rule of the warehouse, so that documents need not name them.
_BINS: Final[Fields] = {"EnableBinLocations": "tYES", "DefaultBin": 2, "AutoAllocOnIssue": "whsBinFIFO"}


def warehouse_rows(scale: Scale) -> list[Fields]:
    """Return the warehouses."""
    rows: list[Fields] = []
    for number in range(scale.warehouses):
        city, region = CITIES[number % len(CITIES)]
        kind = "Bodega" if number < len(CITIES) else "Sala de ventas"
        rows.append(
            {
                "WarehouseCode": warehouse_code(number),
                "WarehouseName": f"{kind} {city}",
                "City": city,
                "State": region,
                "Country": "CL",
                "BusinessPlaceID": 1,
                "StockAccount": ACCOUNTS["stock"][0],
                "CostOfGoodsSold": ACCOUNTS["cost_of_sales"][0],
                "Inactive": "tYES" if number == len(CITIES) + 8 else "tNO",
                **(_BINS if scale.receipt_items and number == BIN_WAREHOUSE else {}),
            }
        )
    return rows


def bin_rows(scale: Scale) -> list[Fields]:
    """Return the bin locations: those of the one warehouse that has any."""
    if not scale.receipt_items:
        return []
    code = warehouse_code(BIN_WAREHOUSE)
    rows: list[Fields] = [
        {"AbsEntry": 1, "Warehouse": code, "BinCode": f"{code}-SYSTEM-BIN-LOCATION", "IsSystemBin": "tYES"}
    ]
    for entry, aisle in enumerate(("A", "B", "C"), 2):
        rows.append(
            {
                "AbsEntry": entry,
                "Warehouse": code,
                "Sublevel1": aisle,
                "BinCode": f"{code}-{aisle}",
                "IsSystemBin": "tNO",
            }
        )
    return rows


def group_rows() -> list[Fields]:
    """Return the item groups."""
    return [
        {"Number": number, "GroupName": name, "InventoryAccount": ACCOUNTS["stock"][0]}
        for number, name in GROUPS.items()
    ]


def make_items(scale: Scale) -> tuple[SeedItem, ...]:
    """Invent the items: the odd codes first, then family, size and make."""
    dice = Dice(f"items {scale.name}")
    items: list[SeedItem] = []
    counts: dict[str, int] = {}
    for number in range(scale.items):
        family, prefix, group, cost = dice.pick(GOODS)
        size, make = dice.pick(SIZES), dice.pick(MAKES)
        counts[prefix] = counts.get(prefix, 0) + 1
        code = ODD_ITEM_CODES[number] if number < len(ODD_ITEM_CODES) else f"{prefix}-{counts[prefix]:04d}"
        cost = max(10, cost * dice.between(60, 160) // 100)
        price = (cost * 100 // _COST_PERCENT + 9) // 10 * 10
        main = dice.below(min(scale.warehouses, 3))
        places = dict.fromkeys((main, dice.below(scale.warehouses), dice.below(scale.warehouses)))
        unit = _UNITS[number % len(_UNITS)] if number % 5 == 0 else _UNITS[0]
        managed = _managed(number - scale.items + scale.receipt_items)
        name = f"{family} {size} {make}"
        items.append(SeedItem(code, name, group, unit, cost, price, tuple(places), managed))
    return tuple(items)


def _managed(place: int) -> str:
    """Return how an item is managed: only unsold items are, by their position."""
    if place < 0:
        return ""
    if place == _SERIAL_PLACE:
        return "serial"
    return "batch" if place % _BATCH_EVERY == 0 else ""


_MANAGED: Final[dict[str, Fields]] = {
    "": {},
    "batch": {"ManageBatchNumbers": "tYES"},
    "serial": {"ManageSerialNumbers": "tYES"},
}


def item_row(
    number: int, item: SeedItem, quantities: dict[int, tuple[int, int, int]], frozen_every: int = 500
) -> Fields:
    """Return the row of an item.

    Args:
        number: its place in the catalogue.
        item: the item.
        quantities: in stock, committed and ordered by warehouse.
        frozen_every: each so many-th item is inactive.
    """
    stock, committed, ordered = (sum(each[kind] for each in quantities.values()) for kind in range(3))
    return {
        "ItemCode": item.code,
        "ItemName": item.name,
        "ForeignName": None,
        "ItemsGroupCode": item.group,
        "SalesVATGroup": SALES_TAX,
        "PurchaseVATGroup": PURCHASE_TAX,
        "BarCode": f"780{number:09d}{(number * 7) % 10}",
        "InventoryUOM": item.unit,
        "SalesUnit": item.unit,
        "PurchaseUnit": item.unit,
        "SalesItemsPerUnit": normal(1),
        "PurchaseItemsPerUnit": normal(1),
        "UoMGroupEntry": -1,
        "Manufacturer": -1,
        "DefaultWarehouse": warehouse_code(item.places[0]),
        "QuantityOnStock": normal(stock),
        "MinInventory": normal(_minimum(number, stock)),
        "QuantityOrderedByCustomers": normal(committed),
        "QuantityOrderedFromVendors": normal(ordered),
        "MovingAveragePrice": normal(item.cost),
        "AvgStdPrice": normal(item.cost),
        "Valid": "tYES",
        "Frozen": "tYES" if (number + 1) % frozen_every == 0 else "tNO",
        **_MANAGED[item.managed],
        "CreateDate": "2023-06-01",
        "UpdateDate": "2025-12-30",
        "U_TEMPORADA": SEASONS[number % len(SEASONS)] if number % 4 == 0 else None,
        "ItemPrices": _prices(item),
        "ItemWarehouseInfoCollection": _places(item, quantities),
    }


def _minimum(number: int, stock: int) -> int:
    """Return the minimum of each seventh item; every fourth of those is below it."""
    if number % 7:
        return 0
    return stock + 12 if number % 28 == 0 else stock // 3


def _prices(item: SeedItem) -> list[Value]:
    listed = [(item.price * percent // 100, percent) for percent in LISTED_FACTORS]
    return [
        {
            "PriceList": position,
            "Price": normal(price),
            "Currency": "CLP",
            "BasePriceList": 1,
            "Factor": normal(Decimal(percent) / 100),
        }
        for position, (price, percent) in enumerate([*listed, (item.cost, _COST_PERCENT)], 1)
    ]


def _places(item: SeedItem, quantities: dict[int, tuple[int, int, int]]) -> list[Value]:
    return [
        {
            "WarehouseCode": warehouse_code(place),
            "ItemCode": item.code,
            "InStock": normal(amounts[0]),
            "Committed": normal(amounts[1]),
            "Ordered": normal(amounts[2]),
            "StandardAveragePrice": normal(item.cost),
        }
        for place, amounts in sorted(quantities.items())
    ]
