"""Strict hooks for plain values: a value is converted only if it keeps its meaning."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from math import isfinite
from typing import Any, Final, get_args

from servicekit.endpoint.shape_problems import WrongTypeError

Hook = Callable[[Any, Any], Any]
"""Hook of cattrs that converts a JSON value to an instance, given the value and the type."""

_MAX_EXPONENT: Final = 30
_MAX_DIGITS: Final = 2 * _MAX_EXPONENT
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def literal(value: Any, cls: Any) -> Any:
    """Accept the values of a `Literal`."""
    return _one_of(value, {word: word for word in get_args(cls)})


def enum_member(value: Any, cls: Any) -> Any:
    """Convert a value to the member of an enum."""
    return _one_of(value, {member.value: member for member in cls})


def _one_of(value: Any, members: dict[Any, Any]) -> Any:
    for word, member in members.items():
        if type(value) is type(word) and value == word:
            return member
    raise WrongTypeError("uno de: " + ", ".join(map(str, members)))


def or_enum(hook: Hook) -> Hook:
    """Exclude enums from a plain type's hook: cattrs calls it for an enum of texts, too."""
    return lambda value, cls: (enum_member if issubclass(cls, Enum) else hook)(value, cls)


def _text(value: Any, _cls: Any) -> str:
    if not isinstance(value, str):
        raise WrongTypeError("un texto")
    return value


def _integer(value: Any, _cls: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise WrongTypeError("un número entero")
    return value


def _number(value: Any, _cls: Any) -> float:
    if not isinstance(value, int | float | Decimal) or isinstance(value, bool):
        raise WrongTypeError("un número")
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if not isfinite(number):
        raise WrongTypeError("un número de menor tamaño")
    return number


def _boolean(value: Any, _cls: Any) -> bool:
    if not isinstance(value, bool):
        raise WrongTypeError("verdadero o falso (true o false)")
    return value


def _decimal(value: Any, _cls: Any) -> Decimal:
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        raise WrongTypeError("un número")
    number = Decimal(value)
    if abs(number.adjusted()) > _MAX_EXPONENT:
        raise WrongTypeError("un número de menor tamaño")
    if len(number.as_tuple().digits) > _MAX_DIGITS:  # zeros too: all of them would be written on
        raise WrongTypeError("un número con menos cifras")
    return number


def _date(value: Any, _cls: Any) -> date:
    try:
        return date.fromisoformat(value if _DATE.fullmatch(value) else "")
    except (TypeError, ValueError) as exc:
        raise WrongTypeError("una fecha como 2026-01-31") from exc


def _datetime(value: Any, _cls: Any) -> datetime:
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError) as exc:
        raise WrongTypeError("una fecha y hora como 2026-01-31T15:00:00Z") from exc
    if moment.tzinfo is None:
        raise WrongTypeError("una fecha y hora con zona, como 2026-01-31T15:00:00Z")
    return moment.astimezone(UTC)


PLAIN_HOOKS: Final[dict[Any, Hook]] = {
    str: _text,
    int: _integer,
    float: _number,
    bool: _boolean,
    Decimal: _decimal,
    date: _date,
    datetime: _datetime,
}
"""The hook of each plain type."""
