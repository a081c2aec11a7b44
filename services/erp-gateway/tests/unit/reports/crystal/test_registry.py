"""Valid registrations, and suggestions."""

from typing import Any

import attrs
import pytest

from erp_gateway.reports.crystal.conformity import conform
from erp_gateway.reports.crystal.definition_checks import SCHEMA, check_definition
from erp_gateway.reports.crystal.registry import ReportDefinition, ReportScreen
from erp_gateway.reports.crystal.suggestions import suggest_parameters
from erp_gateway.reports.crystal.wire import DesignedParameter
from erp_gateway.values.parameters.declare import ParameterInput, ReportParameter
from erp_gateway.values.parameters.rules import declaration_problems
from servicekit.errors import InvalidBody

FIXED = {SCHEMA: "SBO"}
DOCUMENT = ReportParameter(name="DocKey@", type="xsd:decimal", is_doc_entry=True)


def definition(**fields: Any) -> ReportDefinition:
    return ReportDefinition(**{"title": "Orden", "parameters": (DOCUMENT,), **fields})


def paths_of(work: Any, *arguments: Any) -> list[str]:
    with pytest.raises(InvalidBody) as refused:
        work(*arguments, fixed=FIXED)
    return [problem.path for problem in refused.value.errors]


def test_a_good_definition_passes() -> None:
    check_definition(
        definition(documents=(ReportScreen(screen="/ventas/pedidos", default=True),)), fixed=FIXED
    )
    check_definition(definition(parameters=(), category="Ventas"), fixed=FIXED)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"title": " "}, "title"),
        ({"title": "x" * 201}, "title"),
        ({"title": "a\nb"}, "title"),
        ({"category": "x" * 101}, "category"),
        ({"documents": (ReportScreen(screen="/ventas/*"),)}, "documents[0].screen"),
        ({"documents": (ReportScreen(screen="*"),)}, "documents[0].screen"),
        (
            {"documents": (ReportScreen(screen="/a"), ReportScreen(screen="/a", default=True))},
            "documents[1].screen",
        ),
        ({"documents": tuple(ReportScreen(screen=f"/{n}") for n in range(101))}, "documents"),
        ({"documents": (ReportScreen(screen="/a"),), "parameters": ()}, "parameters"),
        (
            {
                "documents": (ReportScreen(screen="/a"),),
                "parameters": (DOCUMENT, ReportParameter(name="X", type="xsd:string", required=True)),
            },
            "parameters[1].input.default",
        ),
        ({"parameters": (DOCUMENT, attrs.evolve(DOCUMENT, name="Y"))}, "parameters[1].isDocEntry"),
    ],
)
def test_each_fault_is_reported_with_its_path(fields: dict[str, Any], path: str) -> None:
    assert paths_of(check_definition, definition(**fields)) == [path]


def test_a_schema_needs_no_default_since_the_configuration_gives_it() -> None:
    schema = ReportParameter(name="SCHEMA@", type="xsd:string", required=True)
    check_definition(
        definition(documents=(ReportScreen(screen="/a"),), parameters=(DOCUMENT, schema)), fixed=FIXED
    )


DESIGNED = (
    DesignedParameter(name="DocKey@", type="xsd:decimal", stored=("2",)),
    DesignedParameter(name="Fecha", type="xsd:date", is_range=True),
    DesignedParameter(name="Grupo", type="xsd:string", is_multiple=True),
)


def test_parameters_take_the_reports_own_order_and_form() -> None:
    sent = definition(
        parameters=(
            ReportParameter(name="Grupo", type="xsd:string"),
            ReportParameter(name="Fecha", type="xsd:date"),
            DOCUMENT,
        )
    )
    fitted = conform(sent, DESIGNED, fixed=FIXED).parameters
    assert [each.name for each in fitted] == ["DocKey@", "Fecha", "Grupo"]
    assert [(each.is_range, each.is_multiple) for each in fitted] == [
        (False, False),
        (True, False),
        (False, True),
    ]


@pytest.mark.parametrize("form", [{"is_range": True}, {"is_multiple": True}])
def test_a_document_is_always_one_value(form: dict[str, bool]) -> None:
    designed = (DesignedParameter(name="DocKey@", type="xsd:decimal", **form),)  # type: ignore[arg-type]
    suggested = suggest_parameters(designed)
    assert conform(definition(parameters=suggested), designed, fixed=FIXED).parameters == suggested
    said = tuple(attrs.evolve(each, is_range=True) for each in suggested)
    assert paths_of(check_definition, definition(parameters=said)) == ["parameters[0].isDocEntry"]


def test_a_parameter_must_be_the_reports_own_byte_for_byte_with_its_type() -> None:
    sent = definition(
        parameters=(
            attrs.evolve(DOCUMENT, name="dockey@"),
            ReportParameter(name="Fecha", type="xsd:string"),
            ReportParameter(name="Grupo ", type="xsd:string"),
        )
    )
    assert paths_of(conform, sent, DESIGNED) == [
        "parameters[0].name",
        "parameters[1].type",
        "parameters[2].name",
    ]


@pytest.mark.parametrize("default", ["  ", [], [None, " "], {}, {"from": None, "to": ""}])
def test_an_empty_default_of_any_form_is_no_value_to_print_a_document_with(default: object) -> None:
    note = ReportParameter(
        name="Nota",
        type="xsd:string",
        required=True,
        input=ParameterInput(default=default),
        is_range=isinstance(default, dict),
        is_multiple=isinstance(default, list),
    )
    sent = definition(documents=(ReportScreen(screen="/a"),), parameters=(DOCUMENT, note))
    assert paths_of(check_definition, sent) == ["parameters[1].input.default"]


def test_a_default_must_fit_the_form_that_the_report_has() -> None:
    one_day = ReportParameter(name="Fecha", type="xsd:date", input=ParameterInput(default="2026-01-01"))
    assert paths_of(conform, definition(parameters=(one_day,)), DESIGNED) == ["parameters[0].input.default"]


def test_suggestions_can_be_registered_as_they_are() -> None:
    suggested = suggest_parameters(
        [
            *DESIGNED,
            DesignedParameter(name="Title_Items@Title", type="xsd:string"),
            DesignedParameter(name="Sep_item@separator", type="xsd:string"),
            DesignedParameter(name="ObjectID@", type="xsd:decimal", stored=("17",)),
            DesignedParameter(name="Schema@", type="xsd:string"),
            DesignedParameter(name="Item@Select * from OITM", type="xsd:string", is_optional=True),
            DesignedParameter(name="Nota", type="xsd:string", description="Una nota:", allows_null=True),
            DesignedParameter(name="Activo", type="xsd:boolean"),
        ]
    )
    assert not list(declaration_problems(suggested, fixed=FIXED))
    found = {each.name: each for each in suggested}
    assert list(found) == [
        *("DocKey@", "Fecha", "Grupo", "ObjectID@", "Schema@", "Item@Select * from OITM", "Nota", "Activo")
    ]
    assert found["DocKey@"].is_doc_entry
    assert found["DocKey@"].input.default is None
    assert (found["Fecha"].is_range, found["Grupo"].is_multiple) == (True, True)
    assert (found["ObjectID@"].input.kind, found["ObjectID@"].input.default) == ("hidden", "17")
    assert found["Schema@"].input.kind == "hidden"
    assert (found["Item@Select * from OITM"].label, found["Item@Select * from OITM"].required) == (
        "Item",
        False,
    )
    assert (found["Nota"].label, found["Nota"].required) == ("Una nota", False)
    assert (found["Activo"].input.kind, found["Activo"].required) == ("boolean", True)


@pytest.mark.parametrize("stored", [(), ("1", "2"), ("Date(2026, 6, 7)",)])
def test_an_invalid_stored_object_type_is_not_suggested(stored: tuple[str, ...]) -> None:
    (found,) = suggest_parameters([DesignedParameter(name="ObjectId@", type="xsd:decimal", stored=stored)])
    assert (found.input.kind, found.input.default, found.required) == ("hidden", None, False)
