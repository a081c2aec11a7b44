"""Results as JSON."""

# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone

import datetime as dt
import json
from decimal import Decimal

import pytest

from erp_gateway.erpdb.cache import encode_result
from erp_gateway.erpdb.engines.engine import RowCollector, padded
from erp_gateway.erpdb.errors import DatabaseFailed, ResultTooLarge
from erp_gateway.erpdb.runner import QueryResult


def test_every_kind_of_value_has_its_form() -> None:
    row: dict[str, object] = {
        "Código": "Ñ😀\"'",
        "dec": Decimal("10.500000"),
        "big": Decimal("12345678901234567890.1234567890"),
        "int": 9_007_199_254_740_993,
        "float": 0.1,
        "no": None,
        "yes": True,
        "day": dt.date(2024, 2, 29),
        "time": dt.time(23, 59, 58),
        "moment": dt.datetime(2024, 2, 29, 12, 34, 56, 123_456),
        "midnight": dt.datetime(2024, 2, 29),
        "bin": b"\x00\xff",
        "inf": float("inf"),
    }
    body = encode_result(QueryResult(tuple(row), [row], truncated=True)).decode()
    assert body == (
        '{"rows":[{"Código":"Ñ😀\\"\'","dec":10.500000,"big":12345678901234567890.1234567890,'
        '"int":9007199254740993,"float":0.1,"no":null,"yes":true,"day":"2024-02-29","time":"23:59:58",'
        '"moment":"2024-02-29T12:34:56.123456","midnight":"2024-02-29T00:00:00","bin":"AP8=","inf":null}],'
        '"truncated":true}'
    )


@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 1000])
def test_any_number_of_rows_is_one_list(count: int) -> None:
    rows: list[dict[str, object]] = [{"n": number} for number in range(count)]
    assert json.loads(encode_result(QueryResult(("n",), rows, truncated=False))) == {
        "rows": rows,
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("number", "scale", "shown"),
    [
        ("10.5", 2, "10.50"),
        ("0", 6, "0.000000"),
        ("1E+3", 0, "1000"),
        ("-1E+3", 2, "-1000.00"),
        ("1.255", 2, "1.255"),
        ("1.5", 32_767, "1.5"),
        ("1E+6000", 2, "1E+6000"),
        ("9999999999999999999999999999999999999.9", 6, "9999999999999999999999999999999999999.900000"),
    ],
)
def test_zeros_come_back_and_no_digit_is_lost(number: str, scale: int, shown: str) -> None:
    assert str(padded(Decimal(number), scale)) == shown


def test_a_result_that_does_not_fit_into_memory_is_refused() -> None:
    rows = RowCollector(["a"], max_rows=100)
    rows.add(["x" * (40 * 1024 * 1024)])
    with pytest.raises(ResultTooLarge):
        rows.add([b"x" * (40 * 1024 * 1024)])


def test_a_row_beyond_the_cap_is_not_even_looked_at() -> None:
    rows = RowCollector(["a"], max_rows=1)
    rows.add(["x"])
    assert rows.wanted == 1
    rows.add(pytest.fail("looked at") for _ in [0])
    assert rows.wanted == 0
    assert rows.finish().truncated


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(DatabaseFailed):
        RowCollector(["a", "a"], max_rows=1)
