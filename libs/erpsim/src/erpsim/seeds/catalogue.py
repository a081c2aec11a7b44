"""Warehouses, item groups and items."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

import attrs

from erpsim.records import Fields, Value
from erpsim.seeds.dice import Dice
from erpsim.seeds.scale import Scale
from erpsim.seeds.settings import ACCOUNTS, PURCHASE_TAX, SALES_TAX
from erpsim.seeds.words import CITIES, GOODS, GROUPS, MAKES, SEASONS, SIZES
from erpsim.values import normal

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
"""Item codes that a careless address, quote or number breaks; the first items of `small` and `full`."""

LISTED_FACTORS: Final = (100, 92, 88)
"""Percent of the public price by price list; one more list behind them holds the cost."""
_COST_PERCENT: Final = 60
_UNITS: Final = ("UN", "CJ", "KG")


@attrs.frozen
class SeedItem:
    """What the documents need of an item.

    Args:
        code, name: its key and name.
        group: its item group.
        unit: what it is counted in.
        cost, price: pesos for a unit, bought and sold.
        places: numbers of the warehouses that stock it.
    """

    code: str
    name: str
    group: int
    unit: str
    cost: int
    price: int
    places: tuple[int, ...]


def warehouse_code(number: int) -> str:
    """Return the code of a warehouse, counted from 0."""
    return f"{number + 1:02d}"


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
        items.append(SeedItem(code, f"{family} {size} {make}", group, unit, cost, price, tuple(places)))
    return tuple(items)


def item_row(number: int, item: SeedItem, quantities: dict[int, tuple[int, int, int]]) -> Fields:
    """Return the row of an item.

    Args:
        number: its place in the catalogue.
        item: the item.
        quantities: in stock, committed and ordered by warehouse.
    """
    stock, committed, ordered = (sum(each[kind] for each in quantities.values()) for kind in range(3))
    listed = [(item.price * percent // 100, percent) for percent in LISTED_FACTORS]
    prices: list[Value] = [
        {
            "PriceList": position,
            "Price": normal(price),
            "Currency": "CLP",
            "BasePriceList": 1,
            "Factor": normal(Decimal(percent) / 100),
        }
        for position, (price, percent) in enumerate([*listed, (item.cost, _COST_PERCENT)], 1)
    ]
    places: list[Value] = [
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
        "QuantityOrderedByCustomers": normal(committed),
        "QuantityOrderedFromVendors": normal(ordered),
        "MovingAveragePrice": normal(item.cost),
        "AvgStdPrice": normal(item.cost),
        "Valid": "tYES",
        "Frozen": "tYES" if (number + 1) % 500 == 0 else "tNO",
        "CreateDate": "2023-06-01",
        "UpdateDate": "2025-12-30",
        "U_TEMPORADA": SEASONS[number % len(SEASONS)] if number % 4 == 0 else None,
        "ItemPrices": prices,
        "ItemWarehouseInfoCollection": places,
    }
