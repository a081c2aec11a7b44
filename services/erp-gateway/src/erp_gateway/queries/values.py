"""Converts parameter values from JSON or Python for an engine, never through a float."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from decimal import Decimal
from typing import Final, TypeAlias

from erp_gateway.queries.registry import QueryParameter
from erp_gateway.values.parameters.declare import ReportParameter
from erp_gateway.values.parameters.reading import (
    ValueProblem,
    check_limits,
    order_problems,
    read_scalar,
    read_value,
)
from servicekit.errors import FieldProblem, InvalidBody

Value: TypeAlias = str | Decimal | date
"""A value to bind."""

MAX_DIGITS: Final = 38
"""Maximum digits of a number, before and after the point together: the limit of a database DECIMAL."""

MAX_TEXT: Final = 5000
"""Maximum characters of a text: the limit of a database NVARCHAR."""

_ISO_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def read_values(parameters: tuple[QueryParameter, ...], params: Mapping[str, object]) -> dict[str, Value]:
    """Return a typed value for each declared parameter.

    Args:
        parameters: the query's.
        params: values by name: `str`; `int`, `Decimal` or `float`; `date` or its ISO text.

    Raises:
        InvalidBody: a value is missing, of the wrong type, or for no declared parameter; with `errors`.
    """
    values: dict[str, Value] = {}
    problems = list(_read(parameters, params, values))
    if problems:
        raise InvalidBody(errors=problems)
    return values


def read_form_values(
    parameters: Sequence[QueryParameter],
    form_parameters: Sequence[ReportParameter],
    params: Mapping[str, object],
) -> dict[str, Value]:
    """Return a typed value for each declared parameter from a user's form.

    A missing parameter takes its default; a hidden one always does. A choice may be sent in its displayed
    text form, whatever its type.

    Args:
        parameters: the query's.
        form_parameters: the same parameters with current choices and resolved days.
        params: as for `read_values`.

    Raises:
        InvalidBody: as `read_values`; or a value is out of bounds, not a choice, or out of order with
            another.
    """
    forms = {parameter.name: parameter for parameter in form_parameters}
    filled = dict(params)
    for form in form_parameters:
        if form.input.default is not None and (form.input.kind == "hidden" or form.name not in params):
            default = read_value(form, form.input.default)
            filled[form.name] = form.input.default if default is None else default
        elif form.input.kind == "select" and isinstance(params.get(form.name), str):
            with suppress(ValueProblem):  # reported below
                filled[form.name] = read_scalar(form.value_type, params[form.name])
    values: dict[str, Value] = {}
    problems = list(_read(parameters, filled, values))
    for name, value in values.items():
        try:
            check_limits(forms[name], value)
        except ValueProblem as problem:
            problems.append(FieldProblem(f"params.{name}", str(problem)))
    problems += [
        FieldProblem(f"params.{name}", problem) for name, problem in order_problems(form_parameters, values)
    ]
    if problems:
        raise InvalidBody(errors=problems)
    return values


def _read(
    parameters: Sequence[QueryParameter], params: Mapping[str, object], values: dict[str, Value]
) -> Iterator[FieldProblem]:
    declared = {parameter.name for parameter in parameters}
    yield from (
        FieldProblem(f"params.{name[:100]}", "Este parámetro no existe.")
        for name in params
        if name not in declared
    )
    for parameter in parameters:
        path = f"params.{parameter.name}"
        if parameter.name not in params:
            yield FieldProblem(path, "Falta este parámetro.")
            continue
        convert, expected = _CONVERTERS[parameter.type]
        value = convert(params[parameter.name])
        if value is None:
            yield FieldProblem(path, expected)
        else:
            values[parameter.name] = value


def _text(value: object) -> str | None:
    if not isinstance(value, str) or len(value) > MAX_TEXT or "\0" in value:
        return None
    return value if value.isascii() or not _SURROGATE.search(value) else None


_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def _number(value: object) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    if isinstance(value, int) and value.bit_length() > 4 * MAX_DIGITS:
        return None
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not number.is_finite():
        return None
    integer_digits, fraction = max(number.adjusted() + 1, 0), max(-int(number.as_tuple().exponent), 0)
    return number if integer_digits + fraction <= MAX_DIGITS else None


def _day(value: object) -> date | None:
    if isinstance(value, datetime):
        return None
    if isinstance(value, date):
        return value
    if not isinstance(value, str) or not _ISO_DAY.fullmatch(value):
        return None
    try:
        return date.fromisoformat(value)
    except ValueError:
        return None


_CONVERTERS: Final[Mapping[str, tuple[Callable[[object], Value | None], str]]] = {
    "string": (_text, f"Debe ser un texto de hasta {MAX_TEXT} caracteres."),
    "number": (_number, f"Debe ser un número de hasta {MAX_DIGITS} dígitos."),
    "date": (_day, "Debe ser una fecha como 2024-01-31."),
}
