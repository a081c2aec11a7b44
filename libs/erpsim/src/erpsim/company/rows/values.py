"""Typed values: from a request's JSON to stored values.

A row contains text (strings, enum members by name, dates as `YYYY-MM-DD`, times as `HH:MM:00`), `int`,
`Decimal` in one normal form (at least one decimal, no further trailing zeros, as the real server prints
numbers), None, rows (complex values) and lists of rows.
"""

from __future__ import annotations

import re
from datetime import date, time
from decimal import ROUND_HALF_UP, Decimal

from erpsim.company.errors import bad_value
from erpsim.company.exchange import Value
from erpsim.facts.model import EDM_DATE, EDM_DOUBLE, EDM_INT32, EDM_STRING, EDM_TIME, EnumFacts

ZERO = Decimal("0.0")
_ONE_DECIMAL = Decimal("0.1")
_SIX_DECIMALS = Decimal("0.000001")
# Amounts are DECIMAL(21,6) in the database.
_LIMIT = Decimal(10) ** 15

_DATE = re.compile(r"([0-9]{4})-?([0-9]{2})-?([0-9]{2})(?:[T ].*)?", re.ASCII | re.DOTALL)
_TIME = re.compile(r"(?:[0-9-]{8,10}[T ])?([0-9]{1,2}):?([0-9]{2})(?::?[0-9]{2}(?:\.[0-9]+)?)?Z?", re.ASCII)
_DURATION = re.compile(r"PT(?:([0-9]{1,2})H)?(?:([0-9]{1,2})M)?(?:[0-9.]+S)?", re.ASCII)
_INTEGER = re.compile(r"[+-]?[0-9]{1,10}", re.ASCII)
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{0,40})?([eE][+-]?[0-9]{1,2})?", re.ASCII)


def normal(number: Decimal | int) -> Decimal:
    """Return the number in the stored form: at least one decimal, at most six."""
    exact = Decimal(number)
    if exact == exact.to_integral_value():
        return exact.quantize(_ONE_DECIMAL)
    rounded = exact.quantize(_SIX_DECIMALS, ROUND_HALF_UP).normalize()
    return rounded if rounded != rounded.to_integral_value() else rounded.quantize(_ONE_DECIMAL)


def rounded(number: Decimal, decimals: int) -> Decimal:
    """Round half up, as amounts are rounded; the result is in the stored form."""
    return normal(number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def parse_date(text: str) -> str | None:
    """Read `2014-04-23` or `20140423`, a time behind it is ignored (SAP manual 1.22, 3.7.4); None if
    impossible."""
    match = _DATE.fullmatch(text)
    if match is None:
        return None
    try:
        return date(*(int(part) for part in match.groups())).isoformat()
    except ValueError:
        return None


def parse_time(text: str) -> str | None:
    """Read `18:38`, `183800` or ISO; only hour and minute count (SAP manual 1.22, 3.7.5); None if
    impossible."""
    match = _TIME.fullmatch(text) or (_DURATION.fullmatch(text) if len(text) > len("PT") else None)
    if match is None:
        return None
    try:
        return time(int(match[1] or 0), int(match[2] or 0)).isoformat()
    except ValueError:
        return None


def parse_integer(value: object) -> int | None:
    """Read a 32-bit integer from a number or a text of digits; None if impossible."""
    if isinstance(value, str) and _INTEGER.fullmatch(value):
        value = int(value)
    if isinstance(value, Decimal) and value == value.to_integral_value() and abs(value) < _LIMIT:
        value = int(value)
    if isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31:
        return value
    return None


def parse_number(value: object) -> Decimal | None:
    """Read a number from a number or a text; None if impossible.

    Numbers may come as strings (`"Quantity": "100"` in the vendor's API reference).
    """
    if isinstance(value, str):
        if not _NUMBER.fullmatch(value):
            return None
        value = Decimal(value)
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    number = Decimal(value)
    return normal(number) if number.is_finite() and abs(number) < _LIMIT else None


def as_decimal(value: Value) -> Decimal:
    """Return a stored number, 0 if missing."""
    return value if isinstance(value, Decimal) else ZERO


def as_int(value: Value) -> int:
    """Return a stored integer, 0 if missing."""
    return value if isinstance(value, int) else 0


def convert(value: object, name: str, type_name: str, enum: EnumFacts | None) -> Value:
    """Convert a plain JSON value to its stored form.

    Args:
        value: as parsed from the body.
        name: the property, for the refusal.
        type_name: its primitive type, or any other name when `enum` is given.
        enum: the enumeration of an enum property.

    Raises:
        SlError: -1004 for a value that does not fit. A date refuses an empty text, null clears it (seen
            live).
    """
    if value is None:
        return None
    result = _converted(value, type_name, enum)
    if result is None:
        raise bad_value(value, name)
    return result


def _converted(value: object, type_name: str, enum: EnumFacts | None) -> Value:
    if enum is not None:
        return (
            enum.member(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
        )
    if type_name == EDM_STRING:
        # A document type may come as 21 or "21" (six public callers do either).
        return str(value) if isinstance(value, str | int | Decimal) and not isinstance(value, bool) else None
    if type_name == EDM_INT32:
        return parse_integer(value)
    if type_name == EDM_DOUBLE:
        return parse_number(value)
    if not isinstance(value, str):
        return None
    return {EDM_DATE: parse_date, EDM_TIME: parse_time}[type_name](value)
