# ruff: noqa: DTZ001 - the moments of a database have no zone
"""Whatever stands in a row comes out of both kinds of files as it went in, and nothing becomes a formula."""

import asyncio
import io
import math
import os
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.sinks import CsvSink, WorkbookSink
from erp_gateway.files.exports.spool import Spool
from erp_gateway.files.exports.workbook_process import write_workbook
from servicekit.csv_cells import neutralised

if TYPE_CHECKING:
    from tests.conftest import CsvCells, Sheets

HOSTILE = st.sampled_from(
    [
        '=HYPERLINK("http://x","y")',
        "x,=1+1", "x;\uff1d1", "x\n@A1",
        "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "'=1", "a;b", "a,b", '"', '""', "\r\n",
        "a\nb", "\0", "a\0=1", "_x0041_", "\u202e=1", "\u200f=1", "\ufeff", "\ufffe", "\ud800", "-", "+", "=",
        " = 1", "-5", "0012", "1,5", "2026-01-01", "\x85", "\u2028",
    ]
)  # fmt: skip
LONG = st.sampled_from("x\U0001f600").map(lambda each: each * 40_000)
TEXTS = HOSTILE | LONG | st.text(max_size=30)
NUMBERS = (
    st.integers(-(10**18), 10**18)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=6)
    | st.floats(allow_nan=False, allow_infinity=False, width=32)
)
MOMENTS = (
    st.dates(date(1850, 1, 1), date(2199, 12, 31))
    | st.datetimes(datetime(1850, 1, 1), datetime(2199, 12, 31)).map(lambda each: each.replace(microsecond=0))
    | st.times().map(lambda each: each.replace(microsecond=0))
)
VALUES = TEXTS | NUMBERS | MOMENTS | st.none() | st.booleans() | st.binary(max_size=20)
ROWS = st.lists(st.tuples(VALUES, VALUES, VALUES), min_size=1, max_size=6)
COUNTED = settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)


def written(make: Callable[[Spool], Any]) -> bytes:
    async def run() -> bytes:
        spool = Spool(SpoolBudget(64 * 1024 * 1024))
        try:
            make(spool)
            return os.read(spool.rewound(), spool.size)
        finally:
            spool.close()

    return asyncio.run(run())


@COUNTED
@given(ROWS, st.sampled_from(";,"))
def test_a_csv_reads_back_the_written_values(
    csv_cells: "CsvCells", rows: list[tuple[Any, ...]], separator: str
) -> None:
    def make(spool: Spool) -> None:
        sink = CsvSink(spool, separator)
        sink.begin(["a", "=b", "c;d,e"])
        sink.add(rows)

    read = csv_cells(written(make), separator)
    assert read[0] == ["a", "'=b", "c;d,e"]
    assert len(read) == 1 + len(rows)
    for row, cells in zip(rows, read[1:], strict=True):
        for value, text in zip(row, cells, strict=True):
            check_csv(value, text)


def check_csv(value: Any, text: str) -> None:
    if isinstance(value, bool) or value is None:
        assert text in {"", "VERDADERO", "FALSO", "TRUE", "FALSE"}
    elif isinstance(value, int | float | Decimal):
        assert Decimal(text.replace(",", ".")) == Decimal(repr(value) if isinstance(value, float) else value)
    elif isinstance(value, datetime):
        assert datetime.fromisoformat(text) == value
    elif isinstance(value, date):
        assert date.fromisoformat(text) == value
    elif isinstance(value, time):
        assert time.fromisoformat(text) == value
    elif isinstance(value, str):
        assert text == neutralised(value.replace("\0", "\ufffd").replace("\ud800", "\ufffd"))


@COUNTED
@given(ROWS)
def test_a_workbook_reads_back_the_written_values(
    sheets_of: "Callable[[bytes], Sheets]", tmp_path: Path, rows: list[tuple[Any, ...]]
) -> None:
    def make(spool: Spool) -> None:
        sink = WorkbookSink(spool)
        sink.begin(["a", "=b", "c"])
        sink.add(rows)
        sink.finish([("Título", "=1+1")])

    target = io.BytesIO()
    write_workbook(io.BytesIO(written(make)), target, str(tmp_path))
    sheets = sheets_of(target.getvalue())
    assert list(sheets) == ["Datos", "Acerca de"]
    assert sheets["Acerca de"][0] == ["Título", "=1+1"]
    read = sheets["Datos"]
    assert read[0] == ["a", "=b", "c"]
    for index, row in enumerate(rows):
        cells = read[1 + index] if 1 + index < len(read) else [None] * len(row)  # empty rows at the end
        for value, cell in zip(row, cells, strict=True):
            check_cell(value, cell)


def check_cell(value: Any, cell: Any) -> None:
    if value is None or value in ("", b""):
        assert cell in {None, ""}
    elif isinstance(value, bool):
        assert cell is value
    elif isinstance(value, float):
        assert math.isclose(cell, value, rel_tol=1e-15) or cell == value
    elif isinstance(value, int | Decimal):
        digits = len(Decimal(value).normalize().as_tuple().digits)
        assert isinstance(cell, str) == (digits > 15 or (isinstance(value, int) and abs(value) >= 10**15))
        assert Decimal(repr(cell) if isinstance(cell, float) else cell) == value
    elif isinstance(value, datetime | date | time):
        check_moment(value, cell)
    elif isinstance(value, str):
        kept = value.replace("\ud800", "\ufffd").encode("utf-16-le")[: 2 * 32_767]
        assert cell == kept.decode("utf-16-le", "ignore")


def check_moment(value: Any, cell: Any) -> None:
    if isinstance(value, time):
        assert cell == value
    elif value.year < 1900:
        assert cell.startswith(value.isoformat()[:10])
    elif isinstance(value, datetime):
        assert cell == value
    else:
        assert cell == datetime(value.year, value.month, value.day)
