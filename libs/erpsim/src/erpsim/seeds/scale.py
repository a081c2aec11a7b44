"""Sizes of the seeds."""

from __future__ import annotations

from datetime import date

import attrs


@attrs.frozen(kw_only=True)
class Scale:
    """Sizes of one seed.

    Args:
        name: `full`, `small`, `returns`, `wide` or `empty`.
        items, customers, suppliers, warehouses: their numbers.
        first_day, last_day: of the documents, both included.
        orders_per_day, purchases_per_day: on working days.
        receipt_items: number of unsold items, the last ones, which are received and can be returned.
        receipt_suppliers: number of their suppliers.
        open_receipt_lines: number of their open lines.
        foreign_every: every n-th supplier accepts any currency.
        everywhere: whether an item has a row for every warehouse, as in a real ERP, or only where it is
            stocked.
    """

    name: str
    items: int
    customers: int
    suppliers: int
    warehouses: int
    first_day: date
    last_day: date
    orders_per_day: int
    purchases_per_day: int
    receipt_items: int = 0
    receipt_suppliers: int = 0
    open_receipt_lines: int = 0
    foreign_every: int = 40
    everywhere: bool = False


SCALES = {
    scale.name: scale
    for scale in (
        Scale(
            name="full",
            items=5000,
            customers=280,
            suppliers=120,
            warehouses=20,
            first_day=date(2024, 1, 2),
            last_day=date(2025, 12, 30),
            orders_per_day=4,
            purchases_per_day=2,
            receipt_items=500,
            receipt_suppliers=60,
            open_receipt_lines=20_000,
        ),
        Scale(
            name="small",
            items=60,
            customers=9,
            suppliers=5,
            warehouses=4,
            first_day=date(2025, 11, 3),
            last_day=date(2025, 12, 30),
            orders_per_day=1,
            purchases_per_day=1,
        ),
        Scale(
            name="returns",
            items=100,
            customers=3,
            suppliers=8,
            warehouses=4,
            first_day=date(2025, 11, 3),
            last_day=date(2025, 12, 30),
            orders_per_day=1,
            purchases_per_day=1,
            receipt_items=40,
            receipt_suppliers=6,
            open_receipt_lines=200,
            foreign_every=4,
        ),
        Scale(
            name="wide",
            items=200,
            customers=3,
            suppliers=3,
            warehouses=120,
            first_day=date(2025, 11, 3),
            last_day=date(2025, 12, 30),
            orders_per_day=1,
            purchases_per_day=1,
            everywhere=True,
        ),
        Scale(
            name="empty",
            items=0,
            customers=0,
            suppliers=0,
            warehouses=1,
            first_day=date(2025, 12, 30),
            last_day=date(2025, 12, 30),
            orders_per_day=0,
            purchases_per_day=0,
        ),
    )
}
"""Seeds by name. Two years of documents end on a fixed day, so that results do not depend on today."""
