"""Rows of a query as the choices of a parameter."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest

from erp_gateway.queries.client import QueryResult
from erp_gateway.values.parameters.declare import OptionsQuery, ParameterInput, ReportParameter
from erp_gateway.values.parameters.forms import (
    MAX_OPTIONS,
    OptionsFailedError,
    options_of,
    options_problems,
)

SOURCE = OptionsQuery(query="q")


def select(type: str = "xsd:string", source: OptionsQuery | None = SOURCE) -> ReportParameter:  # noqa: A002
    return ReportParameter(name="P", type=type, input=ParameterInput(kind="select", options_from=source))


def pairs(type_: str, *rows: tuple[object, object], truncated: bool = False) -> list[tuple[str, str]]:
    named: list[dict[str, object]] = [{"value": value, "label": label, "more": 1} for value, label in rows]
    result = QueryResult(("value", "label", "more"), named, truncated)
    return [(each.value, each.label) for each in options_of(select(type_), SOURCE, result)]


@pytest.mark.parametrize(
    ("type_", "row", "pair"),
    [
        ("xsd:string", ("01", "Casa"), ("01", "Casa")),
        ("xsd:string", (7, 8), ("7", "8")),
        ("xsd:string", ("01", None), ("01", "01")),
        ("xsd:decimal", (Decimal("1E+2"), 1.5), ("100", "1.5")),
        ("xsd:date", (date(2026, 1, 31), "Enero"), ("2026-01-31", "Enero")),
        ("xsd:date", (datetime(2026, 1, 31), "Enero"), ("2026-01-31", "Enero")),  # noqa: DTZ001 - as engines give days
        ("xsd:boolean", (True, "Sí"), ("true", "Sí")),
    ],
)
def test_a_row_is_a_value_as_it_is_sent_and_its_text(
    type_: str, row: tuple[object, object], pair: tuple[str, str]
) -> None:
    assert pairs(type_, row) == [pair]


def test_empty_and_repeated_choices_are_dropped() -> None:
    assert pairs("xsd:string", (None, "x"), ("a", "A"), ("a", "B")) == [("a", "A")]


def test_invalid_choice_rows_are_reported_without_their_values() -> None:
    def said(*rows: tuple[object, object], **more: Any) -> str:
        with pytest.raises(OptionsFailedError) as failed:
            pairs("xsd:decimal", *rows, **more)
        return str(failed.value)

    assert "more than 1000" in said(*[(n, n) for n in range(MAX_OPTIONS + 1)])
    assert "its rows were cut" in said((1, 1), truncated=True)
    result = said(("planted-value", "x"))
    assert "the column 'value' is not of the parameter's type xsd:decimal" in result
    assert "planted" not in result
    with pytest.raises(OptionsFailedError, match="it has no column 'label'"):
        options_of(select(), SOURCE, QueryResult(("value",), [{"value": "a"}], truncated=False))


def test_a_query_of_choices_must_exist_and_have_no_parameters() -> None:
    def asked(source: OptionsQuery | None) -> tuple[ReportParameter, ...]:
        return (select(source=None), select(source=source))

    queries = {"q": False, "asks": True}
    at = "parameters[1].input.options_from"
    assert list(options_problems(asked(SOURCE), queries)) == []
    (problem,) = options_problems(asked(OptionsQuery(query="x")), queries)
    assert problem == f"{at}: there is no query 'x'"
    (problem,) = options_problems(asked(OptionsQuery(query="asks")), queries)
    assert problem == f"{at}: the query 'asks' takes parameters, and nobody gives it any"
