"""Convert sent values and relative days into typed values."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import attrs

from erp_gateway.values.parameters.declare import (
    ORDERED,
    Interval,
    ReportParameter,
    Scalar,
    Value,
    ValueType,
)
from servicekit.errors import FieldProblem, InvalidBody


def order_problems(
    parameters: Sequence[ReportParameter], values: Mapping[str, Value]
) -> Iterator[tuple[str, str]]:
    """Yield parameters whose value lies before that of another one, each with a Spanish sentence.

    Args:
        parameters: declarations without problems of `not_before_problem`.
        values: by parameter name; a pair with a missing value is skipped.
    """
    labels = {parameter.name: parameter.shown_label for parameter in parameters}
    for parameter in parameters:
        first = parameter.input.not_before
        if first is None or first not in values or parameter.name not in values:
            continue
        if values[parameter.name] < values[first]:  # type: ignore[operator]  # same types, as was declared
            is_number = parameter.value_type is ValueType.NUMBER
            word = "menor que" if is_number else "anterior a"
            yield parameter.name, f"{parameter.shown_label} no puede ser {word} {labels[first]}."


def not_before_problem(parameter: ReportParameter, parameters: Sequence[ReportParameter]) -> str | None:
    """Return the problem of a parameter's `not_before`, or None."""
    first = parameter.input.not_before
    if first is None:
        return None
    others = {each.name: each for each in parameters if each is not parameter}
    if first not in others:
        return f"No hay otro parámetro {first!r}; hay: {', '.join(others) or 'ninguno'}."
    both = (parameter, others[first])
    if parameter.value_type is not others[first].value_type or parameter.value_type not in ORDERED:
        return f"Debe ser del mismo tipo que {first}: números, fechas o fechas con hora."
    if any(each.is_range or each.is_multiple for each in both):
        return "Solo se comparan parámetros de un solo valor."
    return None


MAX_TEXT_CHARS: Final = 1_000
"""Longest text of a value."""

MAX_VALUES_BYTES: Final = 256 * 1024
"""Most bytes of a body with values: as many long texts as a report has parameters at most."""

MAX_VALUES: Final = 100
"""Most values of a parameter that takes several."""

MAX_DOC_ENTRY: Final = 2**31 - 1
"""The ERP numbers documents with 32-bit integers."""


NO_DATE: Final = "Debe ser una fecha como 2026-01-31."
NOTHING_FIXED: Final[Mapping[str, Scalar]] = {}


class ValueProblem(ValueError):  # noqa: N818 - it says what is wrong with a value
    """Problem of one value, as a Spanish sentence."""


def read_values(
    parameters: Sequence[ReportParameter],
    values: Mapping[str, object],
    *,
    doc_entry: int | None = None,
    fixed: Mapping[str, Scalar] = NOTHING_FIXED,
) -> dict[str, Value]:
    """Convert sent values into typed ones.

    Unknown parameters are dropped. A parameter that was not sent takes its default; one sent empty (null, an
    empty text or list) has no value and is left out.

    Args:
        parameters: the declared ones, in order.
        values: sent values by parameter name.
        doc_entry: entry of the printed document; it overrides the sent value of its parameter.
        fixed: fixed values by casefolded name.

    Returns:
        values by parameter name, in the order of the parameters, without the empty ones.

    Raises:
        InvalidBody: required values are missing, have the wrong type, or lie before another one; `errors` has
            a path such as `values.Desde` for each.
    """
    read: dict[str, Value] = {}
    problems: list[FieldProblem] = []
    for parameter in parameters:
        try:
            value = _value_of(parameter, values, doc_entry, fixed.get(parameter.name.casefold()))
        except ValueProblem as problem:
            problems.append(FieldProblem(f"values.{parameter.name}", str(problem)))
        else:
            if value is not None:
                read[parameter.name] = value
    problems += [
        FieldProblem(f"values.{name}", problem) for name, problem in order_problems(parameters, read)
    ]
    if problems:
        raise InvalidBody(errors=problems)
    return read


def _value_of(
    parameter: ReportParameter, values: Mapping[str, object], doc_entry: int | None, fixed: Scalar | None
) -> Value | None:
    if fixed is not None:
        return fixed
    if parameter.is_doc_entry and doc_entry is not None:
        return Decimal(doc_entry)
    hidden = parameter.input.kind == "hidden" and not parameter.is_doc_entry
    sent = parameter.input.default if hidden or parameter.name not in values else values[parameter.name]
    value = read_value(parameter, sent)
    if value is None and (parameter.required or parameter.is_doc_entry):
        raise ValueProblem(f"Falta un valor para {parameter.shown_label}.")
    return value


def read_value(parameter: ReportParameter, sent: object) -> Value | None:
    """Convert one sent value.

    Returns:
        the value; None for an empty one (null, an empty text, an empty list, a range without ends).

    Raises:
        ValueProblem: the parameter does not accept it.
    """
    if _is_empty(sent):
        return None
    if parameter.is_range:
        return _interval(parameter, sent)
    if isinstance(sent, list) and parameter.is_multiple:
        if len(sent) > MAX_VALUES:
            raise ValueProblem(f"Se admiten hasta {MAX_VALUES} valores.")
        return tuple(_scalar(parameter, item) for item in sent if not _is_empty(item)) or None
    return _scalar(parameter, sent)


def _is_empty(sent: object) -> bool:
    if isinstance(sent, dict):
        return set(sent) <= {"from", "to"} and all(_is_empty(end) for end in sent.values())
    return sent is None or sent == [] or (isinstance(sent, str) and not sent.strip())


def is_nothing(sent: object) -> bool:
    """Return True if a value is empty in any form: `read_value` returns None for it."""
    return all(map(_is_empty, sent)) if isinstance(sent, list) else _is_empty(sent)


def _interval(parameter: ReportParameter, sent: object) -> Interval:
    if not isinstance(sent, dict) or set(sent) != {"from", "to"} or any(map(_is_empty, sent.values())):
        raise ValueProblem('Debe ser un rango con sus dos extremos: {"from": …, "to": …}.')
    interval = Interval(_scalar(parameter, sent["from"]), _scalar(parameter, sent["to"]))
    if parameter.value_type in ORDERED and interval.start > interval.end:  # type: ignore[operator]  # same types
        raise ValueProblem("El comienzo del rango es mayor que su final.")
    return interval


def _scalar(parameter: ReportParameter, sent: object) -> Scalar:
    value = read_scalar(parameter.value_type, sent)
    if parameter.is_doc_entry and not _is_doc_entry(value):
        raise ValueProblem("Debe ser el número interno de un documento.")
    check_limits(parameter, value)
    return value


def check_limits(parameter: ReportParameter, value: Scalar) -> None:
    """Check a typed value against bounds and choices.

    Raises:
        ValueProblem: it violates a bound, or is not one of the choices.
    """
    check_bounds(parameter, value)
    if parameter.input.kind == "select":
        choices = (read_scalar(parameter.value_type, option.value) for option in parameter.input.options)
        if value not in choices:
            raise ValueProblem("Debe ser una de las opciones.")


def check_bounds(parameter: ReportParameter, value: Scalar) -> None:
    """Check a typed value against the declared bounds.

    Raises:
        ValueProblem: it violates one of them.
    """
    bounds = (parameter.input.minimum, parameter.input.maximum)
    low, high = (None if bound is None else read_scalar(parameter.value_type, bound) for bound in bounds)
    least, most = (
        ("al menos {}", "a lo más {}")
        if parameter.value_type is ValueType.NUMBER
        else ("{} o después", "{} o antes")
    )
    if low is not None and value < low:  # type: ignore[operator]  # same types
        raise ValueProblem(f"Debe ser {least.format(bounds[0])}.")
    if high is not None and value > high:  # type: ignore[operator]  # same types
        raise ValueProblem(f"Debe ser {most.format(bounds[1])}.")


def read_scalar(value_type: ValueType, sent: object) -> Scalar:
    """Convert one sent value that is neither empty nor a range nor a list.

    Raises:
        ValueProblem: it has another type.
    """
    return _READERS[value_type](sent)


def _is_doc_entry(value: Scalar) -> bool:
    text = str(value)
    return text.isascii() and text.isdigit() and 0 < int(text) <= MAX_DOC_ENTRY


_NUMBER: Final = re.compile(r"-?[0-9]{1,19}(\.[0-9]{1,19})?", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_DATETIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?)?", re.ASCII)
_MAX_EXPONENT: Final = 18
_MAX_DECIMALS: Final = 19


def _read_text(sent: object) -> str:
    if not isinstance(sent, str):
        raise ValueProblem("Debe ser un texto.")
    if len(sent) > MAX_TEXT_CHARS:
        raise ValueProblem(f"Debe tener hasta {MAX_TEXT_CHARS} caracteres.")
    if any(ord(character) < ord(" ") for character in sent):
        raise ValueProblem("No debe tener caracteres de control.")
    return sent


def _read_number(sent: object) -> Decimal:
    is_text = isinstance(sent, str) and _NUMBER.fullmatch(sent) is not None
    if is_text or (isinstance(sent, int | Decimal) and not isinstance(sent, bool)):
        number = Decimal(sent)  # type: ignore[arg-type]  # one of the three
        if (
            number.is_finite()
            and abs(number.adjusted()) <= _MAX_EXPONENT
            and _decimals(number) <= _MAX_DECIMALS
        ):
            return number
    raise ValueProblem("Debe ser un número.")


def _decimals(number: Decimal) -> int:
    return -int(number.as_tuple().exponent)


def _read_date(sent: object) -> date:
    try:
        return date.fromisoformat(sent if isinstance(sent, str) and _DATE.fullmatch(sent) else "")
    except ValueError as error:
        raise ValueProblem(NO_DATE) from error


def _read_datetime(sent: object) -> datetime:
    try:
        return datetime.fromisoformat(sent if isinstance(sent, str) and _DATETIME.fullmatch(sent) else "")
    except ValueError as error:
        raise ValueProblem("Debe ser una fecha y hora como 2026-01-31T15:00:00.") from error


def _read_boolean(sent: object) -> bool:
    if isinstance(sent, bool):
        return sent
    if sent not in ("true", "false"):
        raise ValueProblem("Debe ser verdadero o falso (true o false).")
    return sent == "true"


_READERS: Final[Mapping[ValueType, Callable[[object], Scalar]]] = {
    ValueType.TEXT: _read_text,
    ValueType.NUMBER: _read_number,
    ValueType.DATE: _read_date,
    ValueType.DATETIME: _read_datetime,
    ValueType.BOOLEAN: _read_boolean,
}


RELATIVE_DAYS: Final[Mapping[str, Callable[[date], date]]] = {
    "hoy": lambda today: today,
    "inicio_mes": lambda today: today.replace(day=1),
    "inicio_ano": lambda today: today.replace(month=1, day=1),
}
"""Functions that resolve the words of relative days."""


def on_day(parameters: Iterable[ReportParameter], today: date) -> tuple[ReportParameter, ...]:
    """Return declarations with relative days replaced by dates, in defaults and bounds.

    Args:
        parameters: the declarations.
        today: the day in the installation's time zone.
    """
    return tuple(_on_day(parameter, today) for parameter in parameters)


def _on_day(parameter: ReportParameter, today: date) -> ReportParameter:
    declared = parameter.input
    if parameter.value_type is not ValueType.DATE:
        return parameter
    return attrs.evolve(
        parameter,
        input=attrs.evolve(
            declared,
            default=_plain(declared.default, today),
            minimum=_plain(declared.minimum, today),
            maximum=_plain(declared.maximum, today),
        ),
    )


def is_relative(value: Any) -> bool:
    """Return True if a default or bound is a relative day, or contains one."""
    if isinstance(value, dict):
        return any(map(is_relative, value.values()))
    if isinstance(value, list | tuple):
        return any(map(is_relative, value))
    return isinstance(value, str) and value in RELATIVE_DAYS


def _plain(value: Any, today: date) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each, today) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each, today) for each in value]
    if isinstance(value, str) and value in RELATIVE_DAYS:
        return RELATIVE_DAYS[value](today).isoformat()
    return value
