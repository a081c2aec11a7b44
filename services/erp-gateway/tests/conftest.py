"""Fixtures used by more than one folder of tests."""

import csv
import io
import re
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.storage.database import Database, open_database
from servicekit.clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, 14, 5, 9, 120_000, tzinfo=UTC))


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "app.sqlite"


@pytest_asyncio.fixture
async def database(store_path: Path) -> AsyncIterator[Database]:
    async with open_database(store_path) as opened:
        yield opened


@pytest.fixture
def audit_store(database: Database) -> AuditStore:
    return AuditStore(database)


@pytest.fixture
def recorder(audit_store: AuditStore, clock: ManualClock) -> AuditRecorder:
    return AuditRecorder(audit_store, clock)


CsvCells = Callable[..., list[list[str]]]
Sheets = dict[str, list[list[Any]]]


@pytest.fixture
def csv_cells() -> CsvCells:
    """Return what reads a CSV as a spreadsheet would, its byte order mark taken off."""

    def read(content: bytes, separator: str = ";") -> list[list[str]]:
        text = content.decode("utf-8")
        assert text[:1] == "\ufeff"
        return list(csv.reader(io.StringIO(text[1:], newline=""), delimiter=separator))

    return read


@pytest.fixture
def sheets_of() -> Callable[[bytes], Sheets]:
    """Return what reads every sheet of an XLSX, escapes of control characters read, too."""
    import openpyxl  # type: ignore[import-untyped]  # it has no types

    def read(content: bytes) -> Sheets:
        book = openpyxl.load_workbook(io.BytesIO(content))
        return {
            sheet.title: [[_unescaped(cell.value) for cell in row] for row in sheet.iter_rows()]
            for sheet in book.worksheets
        }

    return read


def _unescaped(value: Any) -> Any:
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value) if isinstance(value, str) else value


_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
