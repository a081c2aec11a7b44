"""Where rows go: encoded at once, in whichever thread they come, into a spool."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

import msgspec

from erp_gateway.exports.budget import Spool
from erp_gateway.exports.cells import CsvCells, xlsx_cell

BOM: Final = b"\xef\xbb\xbf"
"""By it Excel knows UTF-8."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


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
