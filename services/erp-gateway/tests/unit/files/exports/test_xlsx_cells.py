# ruff: noqa: DTZ001 - the moments of a database have no zone
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any

import pytest

from erp_gateway.files.exports.xlsx_cells import xlsx_cell
from erp_gateway.values.measures import without_end_zeros


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, None),
        (False, False),
        (10**15 - 1, 10**15 - 1),
        (10**15, str(10**15)),
        (Decimal("0.123456789012345"), Decimal("0.123456789012345")),
        (Decimal("0.1234567890123456"), "0.1234567890123456"),
        (Decimal("12.500000000000000000"), Decimal("12.500000000000000000")),
        (Decimal("12." + "5".ljust(40, "0")), Decimal("12.5")),
        (Decimal("123456789012345." + "1".zfill(23)), "123456789012345." + "1".zfill(23)),
        (Decimal("0E+20"), Decimal(0)),
        (Decimal("1E-400"), "0." + "0" * 399 + "1"),
        (Decimal("NaN"), "NaN"),
        (float("nan"), "nan"),
        (0.1, 0.1),
        (date(1900, 1, 1), ("d", "1900-01-01")),
        (date(1899, 12, 31), "1899-12-31"),
        (datetime(2026, 2, 11), ("d", "2026-02-11")),
        (datetime(2026, 2, 11, 8, 30, 0, 5000), ("m", "2026-02-11T08:30:00.005000")),
        (datetime(2026, 2, 11, 8, 30, 0, 5), "2026-02-11 08:30:00.000005"),
        (datetime(2026, 2, 11, 8, 30, tzinfo=UTC), "2026-02-11 08:30:00+00:00"),
        (time(8, 30), ("t", "08:30:00")),
        (time(8, 30, 0, 1), "08:30:00.000001"),
        (b"\x00\xff", "AP8="),
        ("\udfff", "\ufffd"),
        ([1, "a"], '[1,"a"]'),
    ],
)
def test_values_in_a_workbook(value: object, cell: object) -> None:
    assert xlsx_cell(value) == cell
    assert type(xlsx_cell(value)) is type(cell)


def test_a_value_of_any_other_type_is_shown_as_json() -> None:
    value: Any = {"Decimal": Decimal("1.10")}
    assert xlsx_cell(value) == '{"Decimal":1.10}'


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
def test_only_trailing_zeros_are_removed(number: str, shortest: str) -> None:
    assert str(without_end_zeros(Decimal(number))) == shortest
