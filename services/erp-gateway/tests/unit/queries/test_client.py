"""Running queries over the engine `sqlite`: parameters, limits, places, and every way of giving up."""

import asyncio
import sqlite3
import threading
import time
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from number_queries import ENDLESS, QUERIES

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.engines.sqlite import SqliteEngine
from erp_gateway.queries.errors import (
    DatabaseBusy,
    DatabaseFailed,
    DatabaseTimeout,
    DatabaseUnreachable,
    QueryNotFound,
    UnknownColumn,
)
from erp_gateway.queries.registry import QueryRegistry
from erp_gateway.web.disconnects import cancel_on_disconnect
from servicekit.erp.errors import ClientGone
from servicekit.errors import InvalidBody, ServiceError, ShuttingDown

if TYPE_CHECKING:
    from tests.unit.queries.conftest import Execute


def remove(path: Path) -> None:
    path.unlink()


def is_gone(path: Path) -> bool:
    return not path.exists()


@pytest.mark.asyncio
async def test_a_query_gets_its_values_in_every_place_and_keeps_its_own_cap(
    client: DatabaseClient,
) -> None:
    result = await client.run("rows", {"least": Decimal(10), "since": "2024-01-02"}, user="ana")
    assert result.columns == ("n", "label")
    assert result.rows == [{"n": n, "label": f"Fila {n}"} for n in (10, 12, 13)]
    assert result.truncated
    again = await client.run("rows", {"least": 998, "since": date(2024, 1, 1)}, user="ana")
    assert ([row["n"] for row in again.rows], again.truncated) == ([998], False)


@pytest.mark.asyncio
async def test_no_query_returns_more_than_the_configured_rows(client: DatabaseClient) -> None:
    result = await client.run("all", {}, user="ana")
    assert (len(result.rows), result.truncated) == (500, True)


@pytest.mark.asyncio
async def test_bad_parameters_and_unknown_names_never_reach_the_database(
    client: DatabaseClient, path: Path
) -> None:
    remove(path)
    with pytest.raises(InvalidBody):
        await client.run("rows", {"least": "10", "since": "2024-01-02"}, user="ana")
    with pytest.raises(QueryNotFound):
        await client.run("nope", {}, user="ana")


@pytest.mark.asyncio
async def test_a_query_over_its_time_ends_and_frees_its_place(client: DatabaseClient) -> None:
    for _ in range(4):
        started = time.perf_counter()
        with pytest.raises(DatabaseTimeout):
            await client.read("endless", ENDLESS, [], user="ana", timeout_s=0.1)
        assert time.perf_counter() - started < 5
    assert len((await client.read("all", "SELECT n FROM numbers", [], user="ana")).rows) == 500


@pytest.mark.asyncio
async def test_a_query_without_a_waiting_caller_is_cancelled(client: DatabaseClient) -> None:
    left = asyncio.Event()
    task = asyncio.create_task(cancel_on_disconnect(client.run("endless", {}, user="ana"), left.wait))
    await asyncio.sleep(0.05)
    left.set()
    with pytest.raises(ClientGone):
        await task
    await client.aclose()  # waits for every thread: an endless one would hang here
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("erpdb")] == []


@pytest.mark.asyncio
async def test_a_disconnect_while_waiting_frees_the_place_without_a_read(path: Path) -> None:
    client = DatabaseClient(SqliteEngine(path), QueryRegistry(QUERIES), places=1, timeout_s=60, max_rows=5)
    running = asyncio.create_task(client.run("endless", {}, user="ana"))
    await asyncio.sleep(0.05)
    left = asyncio.Event()
    waiting = asyncio.create_task(cancel_on_disconnect(client.run("all", {}, user="ana"), left.wait))
    await asyncio.sleep(0.01)
    left.set()
    with pytest.raises(ClientGone):
        await waiting
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert len((await client.run("all", {}, user="ana")).rows) == 5
    await client.aclose()


@pytest.mark.asyncio
async def test_draining_rejects_waiting_reads_and_closing_cancels_running_ones(path: Path) -> None:
    client = DatabaseClient(SqliteEngine(path), QueryRegistry(QUERIES), places=1, timeout_s=60, max_rows=5)
    running = asyncio.create_task(client.read("a", ENDLESS, []))
    waiting = asyncio.create_task(client.read("b", ENDLESS, []))
    await asyncio.sleep(0.05)
    client.drain()
    with pytest.raises(ShuttingDown):
        await waiting
    assert not running.done()
    await client.aclose()
    outcomes = await asyncio.gather(running, return_exceptions=True)
    assert isinstance(outcomes[0], Exception)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("sql", "refusal"),
    [
        ("SELECT nope FROM numbers", UnknownColumn),
        ("SELECT 1 FROM nope", DatabaseFailed),
        ("DELETE FROM numbers", DatabaseFailed),
        ("SELECT n, n FROM numbers", DatabaseFailed),
    ],
)
async def test_an_error_of_the_file_is_a_database_failure(
    client: DatabaseClient, sql: str, refusal: type[ServiceError]
) -> None:
    with pytest.raises(refusal):
        await client.read("q", sql, [])
    assert (await client.read("q", "SELECT COUNT(*) AS c FROM numbers", [])).rows == [{"c": 1000}]


@pytest.mark.asyncio
async def test_missing_and_locked_files_are_distinguished(
    client: DatabaseClient, path: Path, execute: "Execute"
) -> None:
    locking = sqlite3.connect(path, isolation_level=None)
    locking.execute("PRAGMA locking_mode = EXCLUSIVE")
    locking.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DatabaseBusy):
        await client.read("q", "SELECT n FROM numbers", [])
    locking.close()
    remove(path)
    with pytest.raises(DatabaseUnreachable) as refused:
        await client.read("q", "SELECT n FROM numbers", [])
    assert (refused.value.status, refused.value.code) == (503, "database_unreachable")
    assert is_gone(path)
