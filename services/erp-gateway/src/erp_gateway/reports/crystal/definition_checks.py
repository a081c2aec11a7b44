"""Checks a report's definition."""

from collections.abc import Container, Iterator, Sequence
from typing import Final

from erp_gateway.reports.crystal.registry import ReportDefinition, ReportScreen
from erp_gateway.values.declarations import is_menu_route
from erp_gateway.values.parameters.declare import (
    ReportParameter,
)
from erp_gateway.values.parameters.reading import is_nothing
from erp_gateway.values.parameters.rules import declaration_problems
from servicekit.errors import FieldProblem, InvalidBody

SCHEMA: Final = "schema@"
"""Casefolded name of the parameter for the company's schema, which users never set."""

DOCUMENT: Final = "dockey@"
OBJECT_TYPE: Final = "objectid@"
HEADINGS: Final = frozenset({"title", "separator"})
_MAX_TITLE: Final = 200
_MAX_CATEGORY: Final = 100
_MAX_SCREENS: Final = 100
MAX_LABEL: Final = 200


def check_definition(definition: ReportDefinition, *, fixed: Container[str]) -> None:
    """Reject a definition that is invalid for any report.

    Args:
        definition: the sent definition.
        fixed: casefolded names of parameters with a configured value.

    Raises:
        InvalidBody: `errors` lists every problem.
    """
    problems = list(_problems(definition, fixed))
    if problems:
        raise InvalidBody(errors=problems)


def _problems(definition: ReportDefinition, fixed: Container[str]) -> Iterator[FieldProblem]:
    if not _is_line(definition.title, _MAX_TITLE) or not definition.title.strip():
        yield FieldProblem("title", f"Debe tener entre 1 y {_MAX_TITLE} caracteres, en una línea.")
    if not _is_line(definition.category, _MAX_CATEGORY):
        yield FieldProblem("category", f"Debe tener hasta {_MAX_CATEGORY} caracteres, en una línea.")
    yield from _screen_problems(definition.documents)
    yield from declaration_problems(definition.parameters, fixed=fixed)
    if definition.documents:
        yield from _document_problems(definition.parameters, fixed)


def _is_line(text: str, max_chars: int) -> bool:
    return len(text) <= max_chars and text.isprintable()


def _screen_problems(screens: Sequence[ReportScreen]) -> Iterator[FieldProblem]:
    if len(screens) > _MAX_SCREENS:
        yield FieldProblem("documents", f"Se admiten hasta {_MAX_SCREENS} pantallas.")
        return
    names: set[str] = set()
    for index, each in enumerate(screens):
        if not is_menu_route(each.screen):
            yield FieldProblem(
                f"documents[{index}].screen", "Debe ser una ruta de menú exacta, como /ventas/pedidos."
            )
        elif each.screen in names:
            yield FieldProblem(f"documents[{index}].screen", "Esta pantalla está repetida.")
        names.add(each.screen)


def _document_problems(
    parameters: Sequence[ReportParameter], fixed: Container[str]
) -> Iterator[FieldProblem]:
    if not any(parameter.is_doc_entry for parameter in parameters):
        yield FieldProblem(
            "parameters", "Un formato de documento necesita un parámetro que lleve el documento (isDocEntry)."
        )
    for index, parameter in enumerate(parameters):
        is_filled_in = parameter.is_doc_entry or parameter.name.casefold() in fixed
        if parameter.required and not is_filled_in and is_nothing(parameter.input.default):
            yield FieldProblem(
                f"parameters[{index}].input.default",
                "En un formato de documento, un parámetro obligatorio necesita un valor: no se pide a nadie.",
            )
