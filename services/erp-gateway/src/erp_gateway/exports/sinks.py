"""Where rows go: encoded at once, in whichever thread they come, into a spool.

A value is None, bool, int, float, `Decimal`, str, bytes, date, time or datetime; anything else is shown as
compact JSON.
"""

import base64
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from erp_gateway.exports.budget import Spool

_UNROUNDED: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""The usual one would round to 28 digits."""


def without_end_zeros(number: Decimal) -> Decimal:
    """Return the same number without zeros at its end, and with every other digit."""
    return number.normalize(_UNROUNDED)


EXACT_DIGITS: Final = 15
"""Digits of a number that a spreadsheet keeps: it calculates with binary doubles."""

Cell: TypeAlias = bool | int | float | Decimal | str | tuple[str, str] | None
"""What the XLSX process reads of a value: a pair is a moment, `("d" | "m" | "t", ISO text)`."""

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")
_LONE_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_NULL: Final = "\0"
_REPLACEMENT: Final = "\ufffd"
_FIRST_DAY: Final = date(1900, 1, 1)
"""Spreadsheets have no earlier one."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


class CsvCells:
    """Values as texts of a CSV, quoted where that is needed.

    Args:
        separator: `;` goes with a decimal comma, `,` with a point.
    """

    def __init__(self, separator: str) -> None:
        self._comma = separator == ";"
        self._separator = separator
        self._special = re.compile(f'["\r\n{separator}]|^[ \t]|[ \t]$')

    def line(self, values: "list[object] | tuple[object, ...]") -> str:
        """Return a row with its line end."""
        return self._separator.join([self.text(value) for value in values]) + "\r\n"

    def text(self, value: object) -> str:
        """Return one cell."""
        kind = type(value)
        if value is None:
            return ""
        if isinstance(value, str):
            return self._quoted(neutralised(_writable(value).replace(_NULL, _REPLACEMENT)))
        if kind is bool:
            return self._truth(value=bool(value))
        if isinstance(value, int | float | Decimal):
            return self._quoted(self._number(value))
        return self._quoted(neutralised(as_text(value)))

    def _truth(self, *, value: bool) -> str:
        words = ("FALSO", "VERDADERO") if self._comma else ("FALSE", "TRUE")
        return words[value]

    def _number(self, value: float | Decimal) -> str:
        text = plain_number(value)
        return text.replace(".", ",") if self._comma else text

    def _quoted(self, text: str) -> str:
        if self._special.search(text):
            return '"' + text.replace('"', '""') + '"'
        return text


def neutralised(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula: with `'` before it where it begins like one.

    What is nothing but a number stays as it is, whatever its sign.
    """
    if text.startswith(_FORMULA_STARTS) and not _LONE_NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def plain_number(value: float | Decimal) -> str:
    """Return a number with all its digits, without an exponent, with a decimal point."""
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            return str(value)
        value = Decimal(repr(value))
    return format(value, "f")


def as_text(value: object) -> str:
    """Return what is neither text nor number as text; a midnight as its day alone."""
    if isinstance(value, datetime):
        if _is_day(value):
            return value.date().isoformat()
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    return _writable(_ENCODER.encode(value).decode("utf-8"))


def xlsx_cell(value: object) -> Cell:
    """Return what the XLSX process is told of a value.

    Numbers are numbers as long as a double keeps their digits, moments are moments from 1900 on; everything
    else is text.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _writable(value)
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
    if _is_day(value):
        return _day(value.date())
    whole_ms = value.microsecond % 1000 == 0
    if value.tzinfo is None and whole_ms and value.date() >= _FIRST_DAY:
        return ("m", value.isoformat())
    return as_text(value)


def _time_of_day(value: time) -> Cell:
    whole_ms = value.microsecond % 1000 == 0
    return ("t", value.isoformat()) if value.tzinfo is None and whole_ms else value.isoformat()


_MOMENTS: Final[Mapping[type, Callable[[Any], Cell]]] = {date: _day, datetime: _moment, time: _time_of_day}


def _is_day(value: datetime) -> bool:
    return value.tzinfo is None and not (value.hour or value.minute or value.second or value.microsecond)


def _writable(text: str) -> str:
    """Return the text with halves of surrogate pairs replaced: they have no UTF-8 form."""
    return text if text.isascii() or not _SURROGATE.search(text) else _SURROGATE.sub(_REPLACEMENT, text)


BOM: Final = b"\xef\xbb\xbf"
"""By it Excel knows UTF-8."""


class TableSink(Protocol):
    """Takes a table, or several one after the other. One thread at a time."""

    @property
    def rows(self) -> int:
        """How many rows it has taken."""
        ...

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        """Begin a table.

        Args:
            columns: its headings.
            title: its name among several; None for the one table.

        Raises:
            ExportNoRoom: the spool is full.
        """
        ...

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """Take some rows.

        Raises:
            ExportNoRoom: the spool is full.
        """
        ...


class CsvSink:
    """Writes CSV: UTF-8 with a byte order mark, lines ended by CR LF (RFC 4180)."""

    def __init__(self, spool: Spool, separator: str) -> None:
        self._spool = spool
        self._cells = CsvCells(separator)
        self.rows = 0

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:  # noqa: ARG002 - a CSV holds one table and no title
        """As `TableSink.begin`."""
        self._spool.write(BOM + self._cells.line(tuple(columns)).encode("utf-8"))

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """As `TableSink.add`."""
        lines = [self._cells.line(tuple(row)) for row in rows]
        self.rows += len(lines)
        self._spool.write("".join(lines).encode("utf-8"))


class WorkbookSink:
    """Writes what `workbook_process` reads: JSON, one object for each table and one array for each row."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._tables: list[tuple[str, int]] = []
        self.rows = 0

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """How many rows there are, as they stand on the last sheet: of each table where there are several."""
        if len(self._tables) > 1:
            return tuple((f"Filas de {title}", rows) for title, rows in self._tables)
        return (("Filas", self.rows),)

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        """As `TableSink.begin`."""
        self._tables.append((title or "", 0))
        headings = [xlsx_cell(name) for name in columns]
        self._spool.write(_ENCODER.encode({"title": title, "columns": headings}) + b"\n")

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """As `TableSink.add`."""
        cells = [[xlsx_cell(value) for value in row] for row in rows]
        self.rows += len(cells)
        title, before = self._tables[-1]
        self._tables[-1] = (title, before + len(cells))
        self._spool.write(_ENCODER.encode_lines(cells) if cells else b"")

    def finish(self, facts: Iterable[tuple[str, object]]) -> None:
        """Write what stands on the last sheet: names and values."""
        told = [[xlsx_cell(name), xlsx_cell(value)] for name, value in facts]
        self._spool.write(_ENCODER.encode({"facts": told}) + b"\n")
