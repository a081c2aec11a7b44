"""Parameter values from requests and from Python."""

from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.queries.registry import ParameterType, QueryParameter
from erp_gateway.queries.values import MAX_TEXT, read_values
from servicekit.errors import InvalidBody


def read(kind: ParameterType, value: object) -> object:
    return read_values((QueryParameter(name="x", type=kind),), {"x": value})["x"]


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", "", ""),
        ("string", "Ñandú 😀 ' OR 1=1", "Ñandú 😀 ' OR 1=1"),
        ("string", "x" * MAX_TEXT, "x" * MAX_TEXT),
        ("number", 5, Decimal(5)),
        ("number", Decimal("1234567890.123456"), Decimal("1234567890.123456")),
        ("number", Decimal("100.10"), Decimal("100.10")),
        ("number", 0.1, Decimal("0.1")),
        ("number", -(10**37), Decimal(-(10**37))),
        ("number", Decimal("1E+37"), Decimal("1E+37")),
        ("date", "2024-02-29", date(2024, 2, 29)),
        ("date", date(2024, 2, 29), date(2024, 2, 29)),
    ],
)
def test_a_value_of_the_declared_type_is_accepted_unchanged(
    kind: ParameterType, value: object, expected: object
) -> None:
    taken = read(kind, value)
    assert taken == expected
    assert str(taken) == str(expected)
    assert type(taken) is type(expected)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("string", None),
        ("string", 5),
        ("string", ["a"]),
        ("string", "x" * (MAX_TEXT + 1)),
        ("string", "a\0b"),
        ("string", "half \ud83d"),
        ("number", None),
        ("number", True),
        ("number", "5"),
        ("number", 10**38),
        ("number", 10**4000),
        ("number", Decimal("1E+38")),
        ("number", Decimal("1E-39")),
        ("number", Decimal("1E+999999")),
        ("number", Decimal("NaN")),
        ("number", float("inf")),
        ("date", None),
        ("date", 20240229),
        ("date", "2023-02-29"),
        ("date", "29.02.2024"),
        ("date", "20240229"),
        ("date", "2024-2-9"),
        ("date", "2024-02-29T00:00:00"),
        ("date", " 2024-02-29"),
        ("date", "\uff12024-02-29"),
        ("date", "0000-01-01"),
        ("date", datetime(2024, 2, 29)),  # noqa: DTZ001 - a time is no day, with or without a zone
    ],
)
def test_any_other_value_is_refused_with_its_path(kind: ParameterType, value: object) -> None:
    with pytest.raises(InvalidBody) as refused:
        read(kind, value)
    assert [problem.path for problem in refused.value.errors] == ["params.x"]


def test_every_problem_is_reported_at_once() -> None:
    parameters = (QueryParameter(name="a", type="string"), QueryParameter(name="b", type="date"))
    with pytest.raises(InvalidBody) as refused:
        read_values(parameters, {"b": "x", "c": 1})
    assert [problem.path for problem in refused.value.errors] == ["params.c", "params.a", "params.b"]


@given(st.decimals(allow_nan=False, allow_infinity=False, places=6, min_value=-(10**20), max_value=10**20))
def test_a_number_keeps_every_digit(number: Decimal) -> None:
    assert str(read("number", number)) == str(number)
