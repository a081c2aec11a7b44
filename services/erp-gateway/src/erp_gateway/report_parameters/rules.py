"""Whether declarations of parameters make sense together."""

import re
from collections.abc import Container, Iterator, Sequence
from typing import Final

from erp_gateway.report_parameters.declare import ReportParameter
from erp_gateway.report_parameters.reading import ValueProblem, read_scalar, read_value
from servicekit.errors import FieldProblem

MAX_PARAMETERS: Final = 100
MAX_OPTIONS: Final = 500
MAX_NAME_CHARS: Final = 1_000
"""Longest name: it may hold a whole look-up statement."""

_MAX_LABEL_CHARS: Final = 200
_TYPE: Final = re.compile(r"[A-Za-z][A-Za-z0-9:._-]{0,63}")


def declaration_problems(
    parameters: Sequence[ReportParameter], *, path: str = "parameters", fixed: Container[str] = ()
) -> Iterator[FieldProblem]:
    """Yield what is wrong with the parameters of one report, each with its path (`parameters[0].name`).

    Args:
        parameters: all of the report's.
        path: where they are in the body they came with.
        fixed: casefolded names of parameters whose value is known without asking anybody.
    """
    if len(parameters) > MAX_PARAMETERS:
        yield FieldProblem(path, f"Se admiten hasta {MAX_PARAMETERS} parámetros.")
        return
    seen: set[str] = set()
    document: str | None = None
    for index, parameter in enumerate(parameters):
        at = f"{path}[{index}]"
        if parameter.name in seen:
            yield FieldProblem(f"{at}.name", "Este parámetro está repetido.")
        seen.add(parameter.name)
        if parameter.is_doc_entry and document is not None:
            yield FieldProblem(f"{at}.isDocEntry", f"Ya lo lleva el parámetro {document}.")
        elif parameter.is_doc_entry:
            document = parameter.name
        yield from _own_problems(parameter, at, fixed)


def _own_problems(parameter: ReportParameter, at: str, fixed: Container[str]) -> Iterator[FieldProblem]:
    if not parameter.name.strip() or len(parameter.name) > MAX_NAME_CHARS:
        yield FieldProblem(f"{at}.name", f"Debe tener entre 1 y {MAX_NAME_CHARS} caracteres.")
    if not _TYPE.fullmatch(parameter.type):
        yield FieldProblem(f"{at}.type", "Debe ser un tipo del diseñador, como xsd:string.")
    if parameter.label is not None and not 0 < len(parameter.label.strip()) <= _MAX_LABEL_CHARS:
        yield FieldProblem(f"{at}.label", f"Debe tener entre 1 y {_MAX_LABEL_CHARS} caracteres.")
    if parameter.is_range and parameter.is_multiple:
        yield FieldProblem(f"{at}.isMultiple", "Un parámetro no puede ser un rango y tomar varios valores.")
    if parameter.is_doc_entry and (parameter.is_range or parameter.is_multiple):
        yield FieldProblem(f"{at}.isDocEntry", "Un documento es un solo valor.")
    options = list(_option_problems(parameter, f"{at}.input.options"))
    yield from options
    if not options:
        yield from _default_problems(parameter, f"{at}.input.default", fixed)


def _option_problems(parameter: ReportParameter, at: str) -> Iterator[FieldProblem]:
    options = parameter.input.options
    if parameter.input.kind != "select":
        if options:
            yield FieldProblem(at, "Solo un parámetro de tipo select tiene opciones.")
        return
    if not 0 < len(options) <= MAX_OPTIONS:
        yield FieldProblem(at, f"Debe tener entre 1 y {MAX_OPTIONS} opciones.")
        return
    if len({option.value for option in options}) != len(options):
        yield FieldProblem(at, "Hay un valor repetido.")
    for index, option in enumerate(options):
        if not 0 < len(option.label.strip()) <= _MAX_LABEL_CHARS:
            yield FieldProblem(f"{at}[{index}].label", f"Debe tener entre 1 y {_MAX_LABEL_CHARS} caracteres.")
        try:
            read_scalar(parameter.value_type, option.value)
        except ValueProblem as problem:
            yield FieldProblem(f"{at}[{index}].value", str(problem))


def _default_problems(parameter: ReportParameter, at: str, fixed: Container[str]) -> Iterator[FieldProblem]:
    try:
        default = read_value(parameter, parameter.input.default)
    except ValueProblem as problem:
        yield FieldProblem(at, str(problem))
        return
    if parameter.is_doc_entry and default is not None:
        yield FieldProblem(at, "El documento se pide siempre: no puede tener un valor fijo.")
    known = parameter.is_doc_entry or parameter.name.casefold() in fixed
    if parameter.input.kind == "hidden" and parameter.required and not known and default is None:
        yield FieldProblem(at, "Un parámetro oculto y obligatorio necesita un valor.")
