"""Declarations that make no sense together."""

from typing import Any

import attrs
import pytest

from erp_gateway.values.parameters.declare import Option, OptionsQuery, ParameterInput, ReportParameter
from erp_gateway.values.parameters.rules import declaration_problems

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
def test_each_fault_is_reported_with_its_path(declared: ReportParameter, path: str) -> None:
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


SOURCE = OptionsQuery(query="bodegas")


def dated(**asked: Any) -> ReportParameter:
    return parameter("P", "xsd:date", input=ParameterInput(kind="date", **asked))


def ranged(start: object, end: object, **asked: Any) -> ReportParameter:
    default = {"from": start, "to": end}
    return parameter("P", "xsd:date", is_range=True, input=ParameterInput(default=default, **asked))


@pytest.mark.parametrize(
    "declared",
    [
        dated(default="hoy"),
        dated(default="inicio_mes", minimum="inicio_ano", maximum="hoy"),
        dated(default="2020-01-01", maximum="hoy"),
        dated(minimum="2020-01-01", maximum="hoy"),
        dated(minimum="hoy", maximum="2030-01-01"),
        ranged("inicio_mes", "hoy", maximum="hoy"),
        ranged("2026-01-01", "hoy"),
        ranged("hoy", "2020-01-01"),
        ranged("", ""),
        parameter(type="xsd:decimal", input=ParameterInput(minimum=0, maximum="10.5", default=10)),
        parameter(type="xsd:decimal", is_multiple=True, input=ParameterInput(minimum=1, default=[2, "", 3])),
        parameter(
            type="xsd:dateTime", input=ParameterInput(minimum="2026-01-01", default="2026-01-01T10:00")
        ),
    ],
)
def test_days_that_move_and_bounds_may_go_together(declared: ReportParameter) -> None:
    assert paths(declared) == []


@pytest.mark.parametrize(
    ("declared", "path"),
    [
        (dated(default="ayer"), "default"),
        (dated(minimum="ayer"), "minimum"),
        (dated(maximum=5), "maximum"),
        (dated(minimum="2026-02-01", maximum="2026-01-01"), "minimum"),
        (dated(minimum="hoy", maximum="inicio_mes"), "minimum"),
        (dated(default="2019-12-31", minimum="2020-01-01"), "default"),
        (dated(default="inicio_mes", minimum="hoy"), "default"),
        (dated(default="hoy", maximum="inicio_ano"), "default"),
        (ranged("hoy", "inicio_mes"), "default"),
        (ranged("2026-01-01", "ayer"), "default"),
        (ranged("hoy", "ayer"), "default"),
        (ranged("2026-01-01", "2026-02-01", maximum="2026-01-31"), "default"),
        (parameter(type="xsd:decimal", input=ParameterInput(minimum="hoy")), "minimum"),
        (parameter(type="xsd:decimal", input=ParameterInput(minimum=1, default=0)), "default"),
        (parameter(type="xsd:decimal", is_multiple=True, input=ParameterInput(maximum=1, default=[1, 2])),
         "default"),
        (parameter(input=ParameterInput(minimum="a")), "minimum"),
        (parameter(type="xsd:boolean", input=ParameterInput(maximum=True)), "minimum"),
    ],
)  # fmt: skip
def test_a_default_or_a_bound_that_can_never_hold_is_named(declared: ReportParameter, path: str) -> None:
    assert paths(declared) == [f"parameters[0].input.{path}"]


def test_options_of_a_query_are_for_a_select_without_options_of_its_own() -> None:
    def problems(**asked: Any) -> list[str]:
        declared = parameter(input=ParameterInput(**asked, options_from=SOURCE))
        return [each.path for each in declaration_problems([declared], has_queries=True)]

    assert problems(kind="select") == []
    assert problems(kind="select", default="01") == []
    assert problems(kind="text") == ["parameters[0].input.optionsFrom"]
    assert problems(kind="select", options=(ONE,)) == ["parameters[0].input.options"]
    assert problems(kind="select", default=1) == ["parameters[0].input.default"]


def test_options_from_a_query_are_refused_without_queries() -> None:
    declared = parameter(input=ParameterInput(kind="select", options_from=SOURCE))
    assert paths(declared) == ["parameters[0].input.optionsFrom"]


def period(**until: Any) -> list[str]:
    """Return what is wrong with two days of which the second may not lie before the first."""
    body = {"not_before": "desde", **until.pop("asked", {})}
    since = until.pop("since", dated(default="inicio_mes"))
    return [
        f"{problem.path}: {problem.message}"
        for problem in declaration_problems(
            [
                attrs.evolve(since, name="desde"),
                parameter(
                    **{"name": "hasta", "type": "xsd:date", **until},
                    input=ParameterInput(**{"kind": "date", "default": "hoy", **body}),
                ),
            ]
        )
    ]


def test_a_parameter_may_not_lie_before_another_of_its_type() -> None:
    number = parameter(type="xsd:decimal", input=ParameterInput(kind="number"))
    assert period() == []
    assert period(since=dated()) == []
    assert period(since=dated(default="2026-01-01")) == []  # a plain day and one that moves: nobody knows
    assert period(since=number, type="xsd:decimal", asked={"kind": "number", "default": 1}) == []
    assert period(asked={"not_before": "dese"}) == [
        "parameters[1].input.notBefore: No hay otro parámetro 'dese'; hay: desde."
    ]
    assert period(asked={"not_before": "hasta"}) == [
        "parameters[1].input.notBefore: No hay otro parámetro 'hasta'; hay: desde."
    ]
    assert period(type="xsd:dateTime", asked={"kind": "text", "default": None}) == [
        "parameters[1].input.notBefore: Debe ser del mismo tipo que desde: números, fechas o fechas con hora."
    ]
    texts = period(since=parameter(), type="xsd:string", asked={"kind": "text", "default": None})
    assert texts[0].startswith("parameters[1].input.notBefore: Debe ser del mismo tipo")
    assert period(is_range=True, asked={"default": None}) == [
        "parameters[1].input.notBefore: Solo se comparan parámetros de un solo valor."
    ]


def test_a_default_before_the_other_parameters_default_is_refused_at_declaration() -> None:
    assert period(since=dated(default="hoy"), asked={"default": "inicio_ano"}) == [
        "parameters[1].input.default: hasta no puede ser anterior a desde."
    ]
    assert period(since=dated(default="2026-02-01"), asked={"default": "2026-01-31"}) == [
        "parameters[1].input.default: hasta no puede ser anterior a desde."
    ]
    (other,) = period(since=dated(default="nunca"), asked={"default": "2026-01-31"})
    assert other.startswith("parameters[0].input.default")
