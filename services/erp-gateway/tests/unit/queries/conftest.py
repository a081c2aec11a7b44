"""A company's database as a SQLite file."""

import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio
from number_queries import QUERIES

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.engines.sqlite import SqliteEngine
from erp_gateway.queries.registry import QueryRegistry

Execute = Callable[[str], None]

SCRIPT = """
CREATE TABLE numbers (n INTEGER, label TEXT, amount REAL, made TEXT);
WITH RECURSIVE r(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM r WHERE i < 999)
INSERT INTO numbers SELECT i, 'Fila ' || i, i / 8.0, '2024-01-' || printf('%02d', 1 + i % 28) FROM r;
CREATE TABLE "CUFD" ("TableID" TEXT, "FieldID" INT, "AliasID" TEXT, "Descr" TEXT, "TypeID" TEXT,
                     "EditType" TEXT, "SizeID" INT, "EditSize" INT, "RTable" TEXT);
CREATE TABLE "UFD1" ("TableID" TEXT, "FieldID" INT, "IndexID" INT, "FldValue" TEXT, "Descr" TEXT);
CREATE TABLE "OUTB" ("TableName" TEXT);
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "company with #.sqlite"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(SCRIPT)
    return file


@pytest.fixture
def execute(path: Path) -> Execute:
    """Return what changes the file."""

    def run(sql: str) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(sql)

    return run


@pytest_asyncio.fixture
async def client(path: Path) -> AsyncIterator[DatabaseClient]:
    opened = DatabaseClient(SqliteEngine(path), QueryRegistry(QUERIES), places=4, timeout_s=10, max_rows=500)
    yield opened
    await opened.aclose()
