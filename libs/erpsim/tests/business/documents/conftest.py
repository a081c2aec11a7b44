"""An order and a receipt to begin with."""

from __future__ import annotations

import pytest

from erpsim.company.exchange import Fields
from erpsim.desk import Desk


@pytest.fixture
def order(desk: Desk, customer: str, item: str) -> Fields:
    """An order of 10 pieces in two lines."""
    return desk.create(
        "Orders",
        {
            "CardCode": customer,
            "DocumentLines": [{"ItemCode": item, "Quantity": 4}, {"ItemCode": item, "Quantity": 6}],
        },
    )


@pytest.fixture
def receipt(desk: Desk, supplier: str, item: str) -> Fields:
    """A goods receipt of 50 pieces at 600."""
    return desk.create(
        "PurchaseDeliveryNotes",
        {"CardCode": supplier, "DocumentLines": [{"ItemCode": item, "Quantity": 50}]},
    )
