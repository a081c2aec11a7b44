"""Amounts as their currency has them; no digit is ever lost."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.values.measures import Decimals

KNOWN = Decimals(local=0, places={"CLP": 0, "USD": 2, "UF": 4})


@pytest.mark.parametrize(
    ("value", "currency", "written"),
    [
        (Decimal("1500.000000"), None, "1500"),
        (Decimal("1.5E+3"), "CLP", "1500"),
        (1500, "USD", "1500.00"),
        (0.1, "USD", "0.10"),
        (Decimal("-12.345"), "USD", "-12.345"),
        (Decimal("39000.1"), "UF", "39000.1000"),
        (Decimal("1.50"), "EUR", "1.50"),
        (True, "USD", "True"),
        (None, "USD", "None"),
        ("1.5", "USD", "1.5"),
        (float("nan"), "USD", "nan"),
    ],
)
def test_an_amount_has_its_currencys_decimals(value: Any, currency: str | None, written: str) -> None:
    assert str(KNOWN.written(value, currency)) == written


@given(st.decimals(allow_nan=False, allow_infinity=False, places=8))
def test_no_digit_is_lost(value: Decimal) -> None:
    assert KNOWN.written(value, "USD") == value


def test_an_amount_with_unknown_decimals_is_unchanged() -> None:
    value = Decimal("1500.000000")
    assert Decimals().written(value, None) is value
