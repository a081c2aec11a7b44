"""Cells of an XLSX.

A value is None, bool, int, float, `Decimal`, str, bytes, date, time or datetime. Anything else becomes
compact JSON.
"""

import math
from collections.abc import Callable, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, TypeAlias

from erp_gateway.values.measures import without_end_zeros
from servicekit.csv_cells import as_text, is_day, plain_number, writable

EXACT_DIGITS: Final = 15
"""Significant digits of a spreadsheet number (a binary double)."""

Cell: TypeAlias = bool | int | float | Decimal | str | tuple[str, str] | None
"""A value for the XLSX process. A pair is a date or time: `("d" | "m" | "t", ISO text)`."""

# First date that spreadsheets can represent.
_FIRST_DAY: Final = date(1900, 1, 1)


def xlsx_cell(value: object) -> Cell:
    """Return the cell of a value.

    A number stays a number if a double keeps its digits. A date stays a date from 1900 on. Anything else
    becomes text.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return writable(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, int | Decimal):
        return _exact_or_text(value)
    return _MOMENTS.get(type(value), as_text)(value)


def _exact_or_text(value: int | Decimal) -> Cell:
    if isinstance(value, int):
        return value if abs(value) < 10**EXACT_DIGITS else str(value)
    if not value.is_finite():
        return str(value)
    digits = len(without_end_zeros(value).as_tuple().digits)
    return value if digits <= EXACT_DIGITS and abs(value.adjusted()) < 300 else plain_number(value)  # noqa: PLR2004 - a double's exponent ends at 308


def _day(value: date) -> Cell:
    return ("d", value.isoformat()) if value >= _FIRST_DAY else value.isoformat()


def _moment(value: datetime) -> Cell:
    if is_day(value):
        return _day(value.date())
    whole_ms = value.microsecond % 1000 == 0
    if value.tzinfo is None and whole_ms and value.date() >= _FIRST_DAY:
        return ("m", value.isoformat())
    return as_text(value)


def _time_of_day(value: time) -> Cell:
    whole_ms = value.microsecond % 1000 == 0
    return ("t", value.isoformat()) if value.tzinfo is None and whole_ms else value.isoformat()


_MOMENTS: Final[Mapping[type, Callable[[Any], Cell]]] = {date: _day, datetime: _moment, time: _time_of_day}
