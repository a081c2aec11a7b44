"""From what a person sent to typed values."""

from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.values.parameters.declare import (
    Interval,
    Option,
    ParameterInput,
    ReportParameter,
    ValueType,
    display_label,
)
from erp_gateway.values.parameters.reading import read_values
from servicekit.endpoint.shapes import structure, unstructure
from servicekit.errors import InvalidBody

LOOK_UP = 'Item Group@select "ItmsGrpCod","ItmsGrpNam" from OITB'


def parameter(name: str = "P", type: str = "xsd:string", **further: Any) -> ReportParameter:  # noqa: A002
    return ReportParameter(name=name, type=type, **further)


def problems(*args: Any, **further: Any) -> dict[str, str]:
    with pytest.raises(InvalidBody) as refused:
        read_values(*args, **further)
    return {problem.path: problem.message for problem in refused.value.errors}


@pytest.mark.parametrize(
    ("type_", "sent", "value"),
    [
        ("xsd:string", "a b", "a b"),
        ("xsd:decimal", 5, Decimal(5)),
        ("xsd:decimal", "1234567890.123456", Decimal("1234567890.123456")),
        ("number", Decimal("1.50"), Decimal("1.50")),
        ("xsd:date", "2026-02-28", date(2026, 2, 28)),
        ("xsd:dateTime", "2026-02-28", datetime(2026, 2, 28)),  # noqa: DTZ001 - reports have no zones
        ("xsd:dateTime", "2026-02-28T15:30:00", datetime(2026, 2, 28, 15, 30)),  # noqa: DTZ001
        ("xsd:boolean", False, False),
        ("xsd:boolean", "true", True),
        ("xsd:unheardOf", "x", "x"),
    ],
)
def test_the_designers_type_determines_the_value_type(type_: str, sent: object, value: object) -> None:
    assert read_values([parameter(type=type_)], {"P": sent}) == {"P": value}


@pytest.mark.parametrize(
    ("type_", "sent"),
    [
        ("xsd:string", 5),
        ("xsd:string", "a\x00b"),
        ("xsd:string", "x" * 1001),
        ("xsd:string", ["a"]),
        ("xsd:decimal", True),
        ("xsd:decimal", "1,5"),
        ("xsd:decimal", "1e5"),
        ("xsd:decimal", "٣"),
        ("xsd:decimal", Decimal("1e400")),
        ("xsd:decimal", Decimal("123456789." + "1" * 20)),
        ("xsd:decimal", "NaN"),
        ("xsd:date", "28-02-2026"),
        ("xsd:date", "2026-02-30"),
        ("xsd:date", "20260228"),
        ("xsd:date", "Date(2026, 2, 28)"),
        ("xsd:date", "2026-02-28T00:00:00"),
        ("xsd:dateTime", "2026-02-28T15:30:00Z"),
        ("xsd:boolean", "false "),
        ("xsd:boolean", 0),
    ],
)
def test_a_value_of_another_type_is_refused(type_: str, sent: object) -> None:
    assert list(problems([parameter(type=type_)], {"P": sent})) == ["values.P"]


def test_a_text_with_another_input_kind_is_read_as_that_kind() -> None:
    declared = parameter(input=ParameterInput(kind="date"))
    assert declared.value_type is ValueType.DATE
    assert read_values([declared], {"P": "2026-01-31"}) == {"P": date(2026, 1, 31)}


def test_values_are_in_the_order_of_the_parameters_and_the_others_are_dropped() -> None:
    read = read_values([parameter("B"), parameter("A")], {"A": "1", "x": "2", "B": "3"})
    assert list(read.items()) == [("B", "3"), ("A", "1")]


def test_names_are_compared_byte_for_byte() -> None:
    assert read_values([parameter(LOOK_UP)], {LOOK_UP.lower(): "1"}) == {}
    assert read_values([parameter(LOOK_UP)], {LOOK_UP: "1"}) == {LOOK_UP: "1"}


@pytest.mark.parametrize("empty", [None, "", "  ", [], {}, {"from": "", "to": None}])
def test_empty_optional_values_are_dropped_and_empty_required_ones_are_refused(empty: object) -> None:
    assert read_values([parameter(is_range=True)], {"P": empty}) == {}
    assert read_values([parameter(is_multiple=True)], {"P": empty}) == {}
    found = problems([parameter("A", required=True), parameter("B@x", required=True)], {"A": empty})
    assert found == {"values.A": "Falta un valor para A.", "values.B@x": "Falta un valor para B."}


def test_a_default_replaces_a_missing_value_but_not_an_empty_one() -> None:
    declared = parameter(input=ParameterInput(default="01"))
    assert read_values([declared], {}) == {"P": "01"}
    assert read_values([declared], {"P": None}) == {}
    assert read_values([declared], {"P": "02"}) == {"P": "02"}


def test_a_hidden_parameter_always_has_its_default() -> None:
    declared = parameter(input=ParameterInput(kind="hidden", default="01"))
    assert read_values([declared], {"P": "99"}) == {"P": "01"}


def test_a_fixed_value_overrides_the_sent_one() -> None:
    declared = parameter("SCHEMA@", input=ParameterInput(default="x"))
    assert read_values([declared], {"SCHEMA@": "OTHER"}, fixed={"schema@": "SBO"}) == {"SCHEMA@": "SBO"}


def test_the_document_overrides_the_sent_value() -> None:
    declared = parameter("DocKey@", "xsd:decimal", is_doc_entry=True)
    assert read_values([declared], {"DocKey@": 99}, doc_entry=5) == {"DocKey@": Decimal(5)}
    assert read_values([declared], {"DocKey@": 99}) == {"DocKey@": Decimal(99)}


@pytest.mark.parametrize("sent", [None, 0, -1, "1.5", 2**31, "x"])
def test_a_report_of_a_document_needs_one(sent: object) -> None:
    declared = parameter("DocKey@", "xsd:decimal", is_doc_entry=True, input=ParameterInput(kind="hidden"))
    assert list(problems([declared], {"DocKey@": sent})) == ["values.DocKey@"]


def test_a_range_has_two_ends_in_order() -> None:
    declared = parameter("R", "xsd:date", is_range=True)
    read = read_values([declared], {"R": {"from": "2026-01-01", "to": "2026-01-31"}})
    assert read == {"R": Interval(date(2026, 1, 1), date(2026, 1, 31))}
    for sent in (
        "2026-01-01",
        ["2026-01-01", "2026-01-31"],
        {"from": "2026-01-01"},
        {"from": "2026-01-01", "to": ""},
        {"from": "2026-01-31", "to": "2026-01-01"},
        {"from": "2026-01-01", "to": "2026-01-31", "x": 1},
    ):
        assert list(problems([declared], {"R": sent})) == ["values.R"]


def test_several_values_come_as_a_list_only_where_they_may() -> None:
    declared = parameter(is_multiple=True)
    assert read_values([declared], {"P": ["01", "02"]}) == {"P": ("01", "02")}
    assert read_values([declared], {"P": "01"}) == {"P": "01"}
    assert list(problems([declared], {"P": ["x"] * 101})) == ["values.P"]
    assert read_values([declared], {"P": ["01", "", None]}) == {"P": ("01",)}
    assert read_values([declared], {"P": ["", None]}) == {}
    assert list(problems([parameter()], {"P": ["01"]})) == ["values.P"]


def test_a_selection_is_one_of_its_options() -> None:
    options = (Option(value="1", label="Uno"), Option(value="2.0", label="Dos"))
    declared = parameter("S", "xsd:decimal", input=ParameterInput(kind="select", options=options))
    assert read_values([declared], {"S": 2}) == {"S": Decimal(2)}
    assert problems([declared], {"S": 3}) == {"values.S": "Debe ser una de las opciones."}


def test_every_fault_is_reported_at_once() -> None:
    declared = [parameter("A", "xsd:date"), parameter("B", "xsd:decimal"), parameter("C")]
    assert set(problems(declared, {"A": 1, "B": "x", "C": "y"})) == {"values.A", "values.B"}


@pytest.mark.parametrize(
    ("name", "label"),
    [("Item@Select * from OITM", "Item"), ("DocKey@", "DocKey"), ("Fecha", "Fecha"), ("@x", "@x")],
)
def test_the_label_ends_where_the_look_up_begins(name: str, label: str) -> None:
    assert display_label(name) == label
    assert parameter(name).shown_label == label


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.decimals(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["from", "to", "x"]), inner),
    max_leaves=6,
)
DECLARED = st.builds(
    ReportParameter,
    name=st.just("P"),
    type=st.sampled_from(["xsd:string", "xsd:decimal", "xsd:date", "xsd:dateTime", "xsd:boolean"]),
    required=st.booleans(),
    is_doc_entry=st.booleans(),
    is_range=st.booleans(),
    is_multiple=st.booleans(),
)


@given(DECLARED, JSON_VALUES)
def test_every_sent_value_is_read_or_refused(declared: ReportParameter, sent: object) -> None:
    with suppress(InvalidBody):
        read = read_values([declared], {"P": sent})
        assert set(read) <= {"P"}
        assert read or not declared.required


@given(DECLARED)
def test_a_declaration_survives_its_wire_form(declared: ReportParameter) -> None:
    assert structure(unstructure(declared), ReportParameter) == declared


@pytest.mark.parametrize(
    ("type_", "bounds", "sent", "said"),
    [
        ("xsd:decimal", {"minimum": 1}, 0, "Debe ser al menos 1."),
        ("xsd:decimal", {"maximum": "10.5"}, 11, "Debe ser a lo más 10.5."),
        ("xsd:date", {"minimum": "2026-01-01"}, "2025-12-31", "Debe ser 2026-01-01 o después."),
        ("xsd:date", {"maximum": "2026-01-01"}, "2026-01-02", "Debe ser 2026-01-01 o antes."),
    ],
)
def test_a_violated_bound_is_named(type_: str, bounds: dict[str, Any], sent: object, said: str) -> None:
    declared = ParameterInput(**bounds)
    assert problems([parameter(type=type_, input=declared)], {"P": sent}) == {"values.P": said}
    several = parameter(type=type_, input=declared, is_multiple=True)
    assert problems([several], {"P": [sent]}) == {"values.P": said}
    ends = {"from": sent, "to": sent}
    assert problems([parameter(type=type_, input=declared, is_range=True)], {"P": ends}) == {"values.P": said}
    for bound in bounds.values():
        assert read_values([parameter(type=type_, input=declared)], {"P": bound})


def test_a_value_may_not_lie_before_that_of_another_parameter() -> None:
    days = [
        parameter("desde", "xsd:date", label="Desde el día"),
        parameter("hasta", "xsd:date", label="Hasta", input=ParameterInput(not_before="desde")),
    ]
    first, second = {"desde": "2026-01-31"}, {"hasta": "2026-01-30"}
    assert problems(days, {**first, **second}) == {
        "values.hasta": "Hasta no puede ser anterior a Desde el día."
    }
    assert set(read_values(days, {**first, "hasta": "2026-01-31"})) == {"desde", "hasta"}
    assert set(read_values(days, first)) == {"desde"}
    assert set(read_values(days, second)) == {"hasta"}
    amounts = [
        parameter("min", "xsd:decimal"),
        parameter("max", "xsd:decimal", input=ParameterInput(not_before="min")),
    ]
    assert problems(amounts, {"min": 2, "max": 1}) == {"values.max": "max no puede ser menor que min."}
