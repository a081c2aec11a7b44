"""Check declarations of parameters for consistency."""

import re
from collections.abc import Container, Iterator, Sequence
from datetime import date
from typing import Final

import attrs

from erp_gateway.values.parameters.declare import ORDERED, ReportParameter
from erp_gateway.values.parameters.reading import (
    NO_DATE,
    RELATIVE_DAYS,
    ValueProblem,
    check_bounds,
    is_relative,
    not_before_problem,
    on_day,
    order_problems,
    read_scalar,
    read_value,
)
from servicekit.errors import FieldProblem

MAX_PARAMETERS: Final = 100
MAX_OPTIONS: Final = 500
MAX_NAME_CHARS: Final = 1_000
"""Longest name: it may hold a whole look-up statement."""

_MAX_LABEL_CHARS: Final = 200
_TYPE: Final = re.compile(r"[A-Za-z][A-Za-z0-9:._-]{0,63}")


def declaration_problems(
    parameters: Sequence[ReportParameter],
    *,
    fixed: Container[str] = (),
    has_queries: bool = False,
) -> Iterator[FieldProblem]:
    """Yield the problems of the parameters of one report, each with its path (`parameters[0].name`).

    Args:
        parameters: all parameters of the report.
        fixed: casefolded names of parameters with a fixed value.
        has_queries: whether options may come from a query.
    """
    if len(parameters) > MAX_PARAMETERS:
        yield FieldProblem("parameters", f"Se admiten hasta {MAX_PARAMETERS} parámetros.")
        return
    names: set[str] = set()
    document: str | None = None
    for index, parameter in enumerate(parameters):
        at = f"parameters[{index}]"
        if parameter.name in names:
            yield FieldProblem(f"{at}.name", "Este parámetro está repetido.")
        names.add(parameter.name)
        if parameter.is_doc_entry and document is not None:
            yield FieldProblem(f"{at}.isDocEntry", f"Ya lo lleva el parámetro {document}.")
        elif parameter.is_doc_entry:
            document = parameter.name
        if parameter.input.options_from is not None and not has_queries:
            yield FieldProblem(
                f"{at}.input.optionsFrom", "Solo un informe HTML toma sus opciones de una consulta."
            )
        own = list(_own_problems(parameter, at, fixed))
        yield from own
        if not own:
            yield from _order_problems(parameter, parameters, f"{at}.input")


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
    wrong = [
        *_option_problems(parameter, f"{at}.input.options"),
        *_bound_problems(parameter, f"{at}.input"),
    ]
    yield from wrong
    if not wrong:
        yield from _default_problems(parameter, f"{at}.input.default", fixed)


def _order_problems(
    parameter: ReportParameter, parameters: Sequence[ReportParameter], at: str
) -> Iterator[FieldProblem]:
    """Yield problems of a parameter's `not_before`, with relative defaults tried on some days."""
    wrong = not_before_problem(parameter, parameters)
    if wrong is not None:
        yield FieldProblem(f"{at}.notBefore", wrong)
        return
    both = [each for each in parameters if each.name in (parameter.name, parameter.input.not_before)]
    defaults = {each.name: each.input.default for each in both if each.input.default not in (None, "")}
    if parameter.input.not_before is None or len(set(map(is_relative, defaults.values()))) != 1:
        return
    for day in _DAYS:
        plain = on_day(both, day)
        try:
            read = {each.name: read_value(each, each.input.default) for each in plain}
        except ValueProblem:  # the other parameter's own check reports it
            return
        values = {name: value for name, value in read.items() if value is not None}
        for _, problem in order_problems(plain, values):
            yield FieldProblem(f"{at}.default", problem)
            return


def _option_problems(parameter: ReportParameter, at: str) -> Iterator[FieldProblem]:
    options = parameter.input.options
    if parameter.input.options_from is not None:
        if parameter.input.kind != "select":
            yield FieldProblem(f"{at}From", "Solo un parámetro de tipo select tiene opciones.")
        if options:
            yield FieldProblem(at, "Las opciones se declaran o vienen de una consulta, no ambas cosas.")
        return
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


def _bound_problems(parameter: ReportParameter, at: str) -> Iterator[FieldProblem]:
    declared = parameter.input
    bounds = {"minimum": declared.minimum, "maximum": declared.maximum}
    if not any(bound is not None for bound in bounds.values()):
        return
    if parameter.value_type not in ORDERED:
        yield FieldProblem(f"{at}.minimum", "Solo un número, una fecha o una hora tiene mínimo y máximo.")
        return
    (plain,) = on_day([parameter], _DAYS[0])
    for name, bound in (("minimum", plain.input.minimum), ("maximum", plain.input.maximum)):
        try:
            _ = None if bound is None else read_scalar(parameter.value_type, bound)
        except ValueProblem as problem:
            yield FieldProblem(f"{at}.{name}", _message(problem))
            return
    if declared.minimum is not None and list(_bound_violations(parameter, declared.minimum, at)):
        yield FieldProblem(f"{at}.minimum", f"Está más allá del máximo, {declared.maximum}.")


def _message(problem: ValueProblem) -> str:
    """Return the message for a default or bound, which unlike a sent value may be a relative day."""
    words = f"Debe ser una fecha como 2026-01-31, o una de: {', '.join(RELATIVE_DAYS)}."
    return words if str(problem) == NO_DATE else str(problem)


def _bound_violations(parameter: ReportParameter, value: object, at: str) -> Iterator[FieldProblem]:
    """Yield a problem if a declared value violates a bound on any day."""
    # A relative day cannot be compared with a fixed one for all days, so that pair is not checked.
    declared = parameter.input
    for bounds in ({"minimum": declared.minimum}, {"maximum": declared.maximum}):
        (bound,) = bounds.values()
        if bound is None or is_relative(value) is not is_relative(bound):
            continue
        alone = attrs.evolve(declared, default=value, **{"minimum": None, "maximum": None, **bounds})
        for day in _DAYS:
            (plain,) = on_day([attrs.evolve(parameter, input=alone)], day)
            try:
                check_bounds(plain, read_scalar(parameter.value_type, plain.input.default))
            except ValueProblem as problem:
                yield FieldProblem(at, str(problem))
                return


def _single_values(default: object) -> list[object]:
    """Return the ends of a range, the items of a list, or the one value; empty ones are left out."""
    several = list(default.values()) if isinstance(default, dict) else default
    values = several if isinstance(several, list | tuple) else [several]
    return [each for each in values if each not in (None, "")]


# Beginning, middle and end of months and years, where relative days fall together or apart.
_DAYS: Final = (date(2024, 1, 1), date(2024, 2, 29), date(2024, 12, 31))


def _default_problems(parameter: ReportParameter, at: str, fixed: Container[str]) -> Iterator[FieldProblem]:
    unbound = attrs.evolve(parameter.input, minimum=None, maximum=None)
    if parameter.input.options_from is not None:  # which only the database knows
        unbound = attrs.evolve(unbound, kind="text", options_from=None)
    values = _single_values(parameter.input.default)
    tried = attrs.evolve(parameter, input=unbound)
    if parameter.is_range and len(set(map(is_relative, values))) > 1:  # which end comes first, days differ
        tried = attrs.evolve(
            tried, is_range=False, is_multiple=True, input=attrs.evolve(unbound, default=values)
        )
    default = None
    try:
        for day in _DAYS:
            (plain,) = on_day([tried], day)
            default = read_value(plain, plain.input.default)
    except ValueProblem as problem:
        yield FieldProblem(at, _message(problem))
        return
    for each in values:
        yield from _bound_violations(parameter, each, at)
    if parameter.is_doc_entry and default is not None:
        yield FieldProblem(at, "El documento se pide siempre: no puede tener un valor fijo.")
    is_filled_in = parameter.is_doc_entry or parameter.name.casefold() in fixed
    if parameter.input.kind == "hidden" and parameter.required and not is_filled_in and default is None:
        yield FieldProblem(at, "Un parámetro oculto y obligatorio necesita un valor.")
