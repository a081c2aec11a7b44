"""Sinks, which encode the rows of a table into a spool, in any thread."""

from collections.abc import Iterable, Sequence
from typing import Final, Protocol

import msgspec

from erp_gateway.files.exports.spool import Spool
from erp_gateway.files.exports.xlsx_cells import xlsx_cell
from servicekit.csv_cells import BOM, CsvCells

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


class TableSink(Protocol):
    """Receives one table, or several in turn. Not thread-safe."""

    @property
    def rows(self) -> int:
        """Number of rows so far."""
        ...

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        """Begin a table.

        Args:
            columns: headings.
            title: title of one table among several; None for a single table.

        Raises:
            ExportNoRoom: the spool is full.
        """
        ...

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """Add rows.

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

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:  # noqa: ARG002 - a CSV has one table and no title
        """As `TableSink.begin`."""
        self._spool.write(BOM + self._cells.line(tuple(columns)).encode("utf-8"))

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """As `TableSink.add`."""
        lines = [self._cells.line(tuple(row)) for row in rows]
        self.rows += len(lines)
        self._spool.write("".join(lines).encode("utf-8"))


class WorkbookSink:
    """Writes the input of `workbook_process`: JSON, one object per table and one array per row."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._tables: list[tuple[str, int]] = []
        self.rows = 0

    @property
    def counts(self) -> tuple[tuple[str, int], ...]:
        """Numbers of rows for the last sheet; per table if there are several."""
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
        """Write the names and values of the last sheet."""
        cells = [[xlsx_cell(name), xlsx_cell(value)] for name, value in facts]
        self._spool.write(_ENCODER.encode({"facts": cells}) + b"\n")
