from decimal import Decimal

import pytest

from erp_gateway.exports.cells import without_end_zeros


@pytest.mark.parametrize(
    ("number", "shortest"),
    [
        ("12.500", "12.5"),
        ("-1200", "-1.2E+3"),
        ("0.000", "0"),
        ("1E+400", "1E+400"),
        ("1" * 60 + ".10", "1" * 60 + ".1"),
    ],
)
def test_zeros_at_the_end_go_and_no_other_digit(number: str, shortest: str) -> None:
    assert str(without_end_zeros(Decimal(number))) == shortest
