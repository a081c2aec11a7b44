"""Where rows go: encoded at once, in whichever thread they come, into a spool.

A value is None, bool, int, float, `Decimal`, str, bytes, date, time or datetime; anything else is shown as
compact JSON.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final, Protocol, TypeAlias

import msgspec

from erp_gateway.files.exports.budget import Spool
from erp_gateway.values.measures import Decimals, Measure, without_end_zeros
from servicekit.csv_cells import BOM, CsvCells, as_text, is_day, plain_number, writable

EXACT_DIGITS: Final = 15
"""Digits of a number that a spreadsheet keeps: it calculates with binary doubles."""

Cell: TypeAlias = bool | int | float | Decimal | str | tuple[str, str] | None
"""What the XLSX process reads of a value: a pair is a moment, `("d" | "m" | "t", ISO text)`."""

_FIRST_DAY: Final = date(1900, 1, 1)
"""Spreadsheets have no earlier one."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def xlsx_cell(value: object) -> Cell:
    """Return what the XLSX process is told of a value.

    Numbers are numbers as long as a double keeps their digits, moments are moments from 1900 on; everything
    else is text.
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


class TitledSink:
    """Hands a table on, its columns headed by what people call them.

    Args:
        sink: takes it.
        titles: by the columns' names; the others keep these.
    """

    def __init__(self, sink: TableSink, titles: Mapping[str, str]) -> None:
        self._sink = sink
        self._titles = titles

    @property
    def rows(self) -> int:
        """As `TableSink.rows`."""
        return self._sink.rows

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        """As `TableSink.begin`."""
        self._sink.begin([self._titles.get(name, name) for name in columns], title=title)

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """As `TableSink.add`."""
        self._sink.add(rows)


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


class AmountSink:
    """Hands a table on, its amounts with their currency's decimals.

    Args:
        sink: takes it.
        measures: what numbers count, by the names of their columns.
        decimals: of each currency.
    """

    def __init__(self, sink: TableSink, measures: Mapping[str, Measure], decimals: Decimals) -> None:
        self._sink = sink
        self._measures = measures
        self._decimals = decimals
        self._amounts: list[tuple[int, int | None]] = []

    @property
    def rows(self) -> int:
        """As `TableSink.rows`."""
        return self._sink.rows

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        """As `TableSink.begin`."""
        at = {name: place for place, name in enumerate(columns)}
        amounts = [(name, each.by) for name, each in self._measures.items() if each.kind == "amount"]
        self._amounts = [
            (at[name], None if by is None else at[by])
            for name, by in amounts
            if name in at and (by is None or by in at)
        ]
        self._sink.begin(columns, title=title)

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """As `TableSink.add`."""
        self._sink.add([self._written(row) for row in rows])

    def _written(self, row: Sequence[object]) -> Sequence[object]:
        cells = list(row)
        for place, currency in self._amounts:
            code = None if currency is None else str(row[currency] or "")
            cells[place] = self._decimals.written(cells[place], code)
        return cells
