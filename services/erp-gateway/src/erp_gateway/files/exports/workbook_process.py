"""The process that writes XLSX files: `python -I -m <this module> FOLDER MAX_BYTES CPU_S`.

It reads the lines of `sinks.WorkbookSink` from standard input and writes the file to standard output, which
must be seekable. XlsxWriter holds Python's lock all the time (18 s of CPU for a million cells), so it runs in
its own process. In its constant-memory mode, each row is written to disk when the next one begins.

Every text is written as text, never as a formula or a link. Control characters become `_x0001_` (ECMA-376,
ST_Xstring). Excel limits a cell to 32,767 characters; longer texts are cut, and the last sheet lists them.
"""

import os
import re
import sys
from collections.abc import Iterable
from datetime import date, datetime, time
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from servicekit.child_limits import keep_within

MAX_CELL_UNITS: Final = 32_767
"""UTF-16 code units of a cell's text, by Excel's limits."""

MAX_SHEET_ROWS: Final = 1_048_576
"""Rows of a sheet, its headings included, by Excel's limits."""

FULL: Final = 3
"""Exit code if the disk budget is exceeded."""

CLOSING: Final = "closing"
"""Name of an empty file. It exists once all rows are written and the file is being assembled."""

_FACTS_SHEET: Final = "Acerca de"
_TABLE_SHEET: Final = "Datos"
_MAX_SHEET_NAME: Final = 31
_NOT_IN_SHEET_NAMES: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f]+")
_MAX_LISTED_CUTS: Final = 100
_MEASURED_ROWS: Final = 200
_NARROWEST, _WIDEST = 8, 60
_MOMENT_WIDTHS: Final = {"d": 10, "m": 19, "t": 8}


class WorkbookWriter:
    """Writes tables, one sheet each, and a last sheet with facts about the file.

    Args:
        target: seekable output.
        folder: for temporary files.
    """

    def __init__(self, target: IO[bytes], folder: str) -> None:
        import xlsxwriter  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; only needed here
        from xlsxwriter.utility import (  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
            xl_rowcol_to_cell,
        )

        self._cell_name = xl_rowcol_to_cell
        self._folder = Path(folder)
        self._book = xlsxwriter.Workbook(target, {"constant_memory": True, "tmpdir": folder})
        self._bold = self._book.add_format({"bold": True})
        self._moments = {
            "d": self._book.add_format({"num_format": "dd-mm-yyyy"}),
            "m": self._book.add_format({"num_format": "dd-mm-yyyy hh:mm:ss"}),
            "t": self._book.add_format({"num_format": "hh:mm:ss"}),
        }
        self._names: set[str] = {_FACTS_SHEET.casefold()}
        self._sheet: Any = None
        self._name = ""
        self._row = 0
        self._widths: list[int] = []
        self._cuts: list[str] = []
        self._cut_count = 0

    def table(self, title: str | None, columns: list[Any]) -> None:
        """Begin a sheet with frozen headings."""
        self._end_sheet()
        self._name = self._sheet_name(title or _TABLE_SHEET)
        self._sheet = self._book.add_worksheet(self._name)
        self._sheet.freeze_panes(1, 0)
        self._row = 0
        self._widths = [_NARROWEST] * len(columns)
        for column, heading in enumerate(columns):
            self._text(column, str(heading), self._bold)
        self._row = 1

    def row(self, cells: list[Any]) -> None:
        """Write a row.

        Raises:
            ValueError: the sheet is full.
        """
        if self._row >= MAX_SHEET_ROWS:
            raise ValueError("more rows than a sheet has")
        for column, cell in enumerate(cells):
            if isinstance(cell, str):
                self._text(column, cell)
            elif isinstance(cell, bool):
                self._sheet.write_boolean(self._row, column, cell)
            elif isinstance(cell, list):
                self._moment(column, *cell)
            elif cell is not None:
                self._sheet.write_number(self._row, column, cell)
                self._measure(column, len(str(cell)))
        self._row += 1

    def finish(self, facts: Iterable[list[Any]]) -> None:
        """Write the last sheet and the file."""
        self._end_sheet()
        cuts = self._list_cuts()
        self._name, self._row, self._widths = _FACTS_SHEET, 0, [_NARROWEST, _NARROWEST]
        self._sheet = self._book.add_worksheet(_FACTS_SHEET)
        for fact in [*facts, *cuts]:
            self.row(fact)
        self._end_sheet()
        self._folder.joinpath(CLOSING).touch()
        self._book.close()

    def _list_cuts(self) -> list[list[Any]]:
        if not self._cut_count:
            return []
        where = ", ".join(self._cuts) + (" …" if self._cut_count > len(self._cuts) else "")
        return [[f"Celdas recortadas a {MAX_CELL_UNITS} caracteres", self._cut_count], ["Dónde", where]]

    def _moment(self, column: int, kind: str, text: str) -> None:
        readers: dict[str, Any] = {"d": date, "m": datetime, "t": time}
        self._sheet.write_datetime(self._row, column, readers[kind].fromisoformat(text), self._moments[kind])
        self._measure(column, _MOMENT_WIDTHS[kind])

    def _text(self, column: int, text: str, cell_format: Any = None) -> None:
        if len(text) > MAX_CELL_UNITS // 2:
            shortened = _cut(text)
            if len(shortened) < len(text):
                self._cut_count += 1
                if len(self._cuts) < _MAX_LISTED_CUTS:
                    self._cuts.append(f"{self._name}!{self._cell_name(self._row, column)}")
                text = shortened
        self._sheet.write_string(self._row, column, text, cell_format)
        self._measure(column, len(text))

    def _measure(self, column: int, width: int) -> None:
        if self._row <= _MEASURED_ROWS and column < len(self._widths):
            self._widths[column] = max(self._widths[column], width)

    def _end_sheet(self) -> None:
        if self._sheet is not None:
            for column, width in enumerate(self._widths):
                self._sheet.set_column(column, column, min(width, _WIDEST) + 2)

    def _sheet_name(self, title: str) -> str:
        """Return a valid name that no other sheet has."""
        plain = _NOT_IN_SHEET_NAMES.sub(" ", title).strip("' ")[:_MAX_SHEET_NAME].strip("' ") or _TABLE_SHEET
        name, number = plain, 1
        while name.casefold() in self._names or name.casefold() == "history":
            number += 1
            suffix = f" ({number})"
            name = plain[: _MAX_SHEET_NAME - len(suffix)] + suffix
        self._names.add(name.casefold())
        return name


def write_workbook(lines: Iterable[bytes], target: IO[bytes], folder: str) -> None:
    """Write the file that the lines describe.

    Raises:
        ValueError: the last line is missing, or a table has too many rows.
        OSError: there is no disk space.
    """
    writer = WorkbookWriter(target, folder)
    for line in lines:
        read = msgspec.json.decode(line)
        if isinstance(read, list):
            writer.row(read)
        elif "facts" in read:
            writer.finish(read["facts"])
            return
        else:
            writer.table(read["title"], read["columns"])
    raise ValueError("the lines have no end")


def _cut(text: str) -> str:
    """Cut a text to the length of a cell without splitting a surrogate pair."""
    encoded = text.encode("utf-16-le")
    return (
        text
        if len(encoded) <= 2 * MAX_CELL_UNITS
        else encoded[: 2 * MAX_CELL_UNITS].decode("utf-16-le", "ignore")
    )


def main(arguments: list[str]) -> int:
    """Write one file; return the exit code. Values never appear in the output."""
    from xlsxwriter.exceptions import (  # type: ignore[import-untyped]  # noqa: PLC0415 - as above
        FileCreateError,
    )

    folder, max_bytes, cpu_s = arguments
    keep_within(cpu_s=int(cpu_s), file_bytes=int(max_bytes))
    os.nice(5)  # run behind the service
    try:
        with os.fdopen(1, "wb", closefd=False) as target:
            write_workbook(sys.stdin.buffer, target, folder)
    except (OSError, FileCreateError) as error:
        sys.stderr.write(f"{type(error).__name__}\n")
        return FULL
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
