"""Makes the doubles importable and gives the fixtures used by more than one folder of tests."""

import asyncio
import csv
import io
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

sys.path.append(str(Path(__file__).parent / "doubles"))

from postgresql_server import PostgresServer, find_binaries, run_postgresql
from store_insides import ENGINES, NewStore

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.store.database import Database, open_database
from erp_gateway.store.places import PostgresPlace, StorePlace
from servicekit.clock import ManualClock

ROOMS_OF_BOTH = frozenset({"audit", "commands", "crystal", "permissions", "persistence", "store", "writes"})
"""Folders of tests that run once on each engine of the store."""

TEMPLATE = "template_of_stores"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, 14, 5, 9, 120_000, tzinfo=UTC))


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "app.sqlite"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of rooms that keep something once on each engine of the store, all others on files."""
    marked = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "store_engine" in metafunc.fixturenames and "store_engine" not in marked:
        parts = metafunc.definition.path.relative_to(Path(__file__).parent).parts  # not where the clone lies
        own = [engine for engine in ENGINES if engine in parts]
        of_both = not ROOMS_OF_BOTH.isdisjoint(parts)
        metafunc.parametrize("store_engine", own or (ENGINES if of_both else ENGINES[:1]))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresServer]:
    """Run a server for all tests of a process; its template holds an empty store."""
    binaries = find_binaries()
    if binaries is None:
        if "CI" in os.environ:
            pytest.fail("PostgreSQL is not installed here, and CI needs it: make setup")
        pytest.skip("PostgreSQL is not installed here: make setup")
    with run_postgresql(binaries) as server:
        server.ask(f"CREATE DATABASE {TEMPLATE} TEMPLATE template0 ENCODING 'UTF8'")
        asyncio.run(_make_store(server.place(TEMPLATE)))
        yield server


async def _make_store(place: StorePlace) -> None:
    async with open_database(place):
        pass


@pytest.fixture
def empty_database(postgresql: PostgresServer) -> Iterator[PostgresPlace]:
    """Return a database without anything in it."""
    name = postgresql.new_database()
    yield postgresql.place(name)
    postgresql.drop_database(name)


@pytest.fixture
def new_store(store_engine: str, request: pytest.FixtureRequest) -> NewStore:
    """Return what gives the place of a new store, until the end of a block, in a running loop too."""

    @contextmanager
    def new_file() -> Iterator[StorePlace]:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / "app.sqlite"

    if store_engine == "sqlite":
        return new_file
    server: PostgresServer = request.getfixturevalue("postgresql")  # before: it runs a loop to start

    @contextmanager
    def new_database() -> Iterator[StorePlace]:
        name = server.new_database(TEMPLATE)
        yield server.place(name)
        server.drop_database(name)

    return new_database


@pytest.fixture
def other_place(store_engine: str, tmp_path: Path, request: pytest.FixtureRequest) -> StorePlace:
    """Return where a store may come to be on the other engine."""
    if store_engine == "postgresql":
        return tmp_path / "other.sqlite"
    place: PostgresPlace = request.getfixturevalue("empty_database")
    return place


@pytest.fixture
def store_place(store_engine: str, store_path: Path, new_store: NewStore) -> Iterator[StorePlace]:
    """Return where a store is, or will be."""
    if store_engine == "sqlite":
        yield store_path
    else:
        with new_store() as place:
            yield place


@pytest_asyncio.fixture
async def database(store_place: StorePlace) -> AsyncIterator[Database]:
    async with open_database(store_place) as opened:
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
