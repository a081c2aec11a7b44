"""Declarations that make no sense together."""

from typing import Any

import pytest

from erp_gateway.report_parameters import Option, ParameterInput, ReportParameter, declaration_problems

ONE = Option(value="1", label="Uno")


def parameter(name: str = "P", type: str = "xsd:string", **further: Any) -> ReportParameter:  # noqa: A002
    return ReportParameter(name=name, type=type, **further)


def paths(*parameters: ReportParameter, fixed: tuple[str, ...] = ()) -> list[str]:
    return [problem.path for problem in declaration_problems(parameters, fixed=fixed)]


def test_good_declarations_have_no_problems() -> None:
    assert not paths(
        parameter("A", required=True, label="A"),
        parameter("B", "xsd:decimal", input=ParameterInput(kind="select", options=(ONE,), default=1)),
        parameter("C", "xsd:date", is_range=True, input=ParameterInput(kind="date")),
        parameter(
            "D",
            "xsd:date",
            is_range=True,
            input=ParameterInput(default={"from": "2026-01-01", "to": "2026-01-02"}),
        ),
        parameter("DocKey@", "xsd:decimal", is_doc_entry=True, input=ParameterInput(kind="hidden")),
        parameter("H", required=True, input=ParameterInput(kind="hidden", default="x")),
    )


@pytest.mark.parametrize(
    ("declared", "path"),
    [
        (parameter(" "), "name"),
        (parameter("x" * 1001), "name"),
        (parameter(type=""), "type"),
        (parameter(type="xsd:string; drop"), "type"),
        (parameter(label=""), "label"),
        (parameter(label="x" * 201), "label"),
        (parameter(is_range=True, is_multiple=True), "isMultiple"),
        (parameter(is_doc_entry=True, is_range=True), "isDocEntry"),
        (parameter(is_doc_entry=True, is_multiple=True), "isDocEntry"),
        (parameter(input=ParameterInput(kind="select")), "input.options"),
        (parameter(input=ParameterInput(kind="text", options=(ONE,))), "input.options"),
        (parameter(input=ParameterInput(kind="select", options=(ONE, ONE))), "input.options"),
        (parameter(input=ParameterInput(kind="select", options=(ONE,) * 501)), "input.options"),
        (
            parameter(input=ParameterInput(kind="select", options=(Option(value="1", label=" "),))),
            "input.options[0].label",
        ),
        (
            parameter(
                type="xsd:date", input=ParameterInput(kind="select", options=(Option(value="x", label="X"),))
            ),
            "input.options[0].value",
        ),
        (parameter(type="xsd:date", input=ParameterInput(default="mañana")), "input.default"),
        (parameter(input=ParameterInput(kind="select", options=(ONE,), default="2")), "input.default"),
        (parameter(is_doc_entry=True, input=ParameterInput(default="5")), "input.default"),
        (parameter(required=True, input=ParameterInput(kind="hidden")), "input.default"),
    ],
)
def test_each_fault_is_told_with_its_path(declared: ReportParameter, path: str) -> None:
    assert paths(parameter("Good"), declared) == [f"parameters[1].{path}"]


def test_names_and_the_document_are_unique() -> None:
    document = parameter("A", "xsd:decimal", is_doc_entry=True)
    assert paths(document, document) == ["parameters[1].name", "parameters[1].isDocEntry"]
    assert paths(parameter("a"), parameter("A")) == []


def test_a_hidden_value_that_the_configuration_gives_needs_no_default() -> None:
    assert (
        paths(parameter("Schema@", required=True, input=ParameterInput(kind="hidden")), fixed=("schema@",))
        == []
    )


def test_too_many_parameters_are_refused_without_looking_at_each() -> None:
    assert paths(*[parameter(str(number)) for number in range(101)]) == ["parameters"]
