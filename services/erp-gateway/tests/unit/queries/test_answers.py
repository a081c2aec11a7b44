# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone
"""Results of queries as JSON."""

import datetime as dt
import json
from decimal import Decimal

import pytest

from erp_gateway.queries.answers import encode_result
from erp_gateway.queries.client import QueryResult


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
