"""Running queries over the engine `sqlite`: parameters, limits, places, and every way of giving up."""

import asyncio
import sqlite3
import threading
import time
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from erp_gateway.declarations import RegistryError
from erp_gateway.erpdb.engines.sqlite import SqliteEngine
from erp_gateway.erpdb.errors import (
    DatabaseBusy,
    DatabaseFailed,
    DatabaseTimeout,
    DatabaseUnreachable,
    QueryNotFound,
    UnknownColumn,
)
from erp_gateway.erpdb.registry import Query, QueryParameter, QueryRegistry
from erp_gateway.erpdb.runner import DatabaseReader, QueryRunner
from erp_gateway.erpdb.service import open_erp_database
from erp_gateway.settings.modules import ErpDatabase
from erp_gateway.web.disconnects import cancel_on_disconnect
from servicekit.clock import ManualClock
from servicekit.config import load
from servicekit.erp.errors import ClientGone
from servicekit.errors import InvalidBody, NotConfigured, ServiceError, ShuttingDown

if TYPE_CHECKING:
    from tests.unit.erpdb.conftest import Execute

ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT MAX(i) FROM r"
UTC_ZONE = ZoneInfo("UTC")
QUERIES = (
    Query(
        name="rows",
        title="Filas",
        sql={
            "sqlite": "SELECT n, label FROM numbers WHERE n >= :least AND made >= :since AND n <> :least + 1"
        },
        parameters=(
            QueryParameter(name="least", type="number"),
            QueryParameter(name="since", type="date"),
        ),
        max_rows=3,
    ),
    Query(name="all", title="Todo", sql={"sqlite": "SELECT n FROM numbers"}),
    Query(name="endless", title="Sin fin", sql={"sqlite": ENDLESS}),
)


def remove(path: Path) -> None:
    path.unlink()


def is_gone(path: Path) -> bool:
    return not path.exists()


@pytest.fixture
def runner(reader: DatabaseReader) -> QueryRunner:
    return QueryRunner(QueryRegistry(QUERIES), "sqlite", reader)


@pytest.mark.asyncio
async def test_a_query_gets_its_values_in_every_place_and_keeps_its_own_cap(
    runner: QueryRunner,
) -> None:
    result = await runner.run("rows", {"least": Decimal(10), "since": "2024-01-02"}, user="ana")
    assert result.columns == ("n", "label")
    assert result.rows == [{"n": n, "label": f"Fila {n}"} for n in (10, 12, 13)]
    assert result.truncated
    again = await runner.run("rows", {"least": 998, "since": date(2024, 1, 1)}, user="ana")
    assert ([row["n"] for row in again.rows], again.truncated) == ([998], False)


@pytest.mark.asyncio
async def test_no_query_returns_more_than_the_configured_rows(runner: QueryRunner) -> None:
    result = await runner.run("all", {}, user="ana")
    assert (len(result.rows), result.truncated) == (500, True)


@pytest.mark.asyncio
async def test_bad_parameters_and_unknown_names_never_reach_the_database(
    runner: QueryRunner, path: Path
) -> None:
    remove(path)
    with pytest.raises(InvalidBody):
        await runner.run("rows", {"least": "10", "since": "2024-01-02"}, user="ana")
    with pytest.raises(QueryNotFound):
        await runner.run("nope", {}, user="ana")


@pytest.mark.asyncio
async def test_a_query_over_its_time_ends_and_frees_its_place(reader: DatabaseReader) -> None:
    for _ in range(4):
        started = time.perf_counter()
        with pytest.raises(DatabaseTimeout):
            await reader.read("endless", ENDLESS, [], user="ana", timeout_s=0.1)
        assert time.perf_counter() - started < 5
    assert len((await reader.read("all", "SELECT n FROM numbers", [], user="ana")).rows) == 500


@pytest.mark.asyncio
async def test_a_query_nobody_waits_for_any_more_is_given_up(
    reader: DatabaseReader, runner: QueryRunner
) -> None:
    left = asyncio.Event()
    task = asyncio.create_task(cancel_on_disconnect(runner.run("endless", {}, user="ana"), left.wait))
    await asyncio.sleep(0.05)
    left.set()
    with pytest.raises(ClientGone):
        await task
    await reader.aclose()  # waits for every thread: an endless one would hang here
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("erpdb")] == []


@pytest.mark.asyncio
async def test_who_leaves_while_waiting_makes_room_without_having_read(path: Path) -> None:
    reader = DatabaseReader(SqliteEngine(path), places=1, timeout_s=60, max_rows=5)
    runner = QueryRunner(QueryRegistry(QUERIES), "sqlite", reader)
    running = asyncio.create_task(runner.run("endless", {}, user="ana"))
    await asyncio.sleep(0.05)
    left = asyncio.Event()
    waiting = asyncio.create_task(cancel_on_disconnect(runner.run("all", {}, user="ana"), left.wait))
    await asyncio.sleep(0.01)
    left.set()
    with pytest.raises(ClientGone):
        await waiting
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert len((await runner.run("all", {}, user="ana")).rows) == 5
    await reader.aclose()


@pytest.mark.asyncio
async def test_draining_ends_the_waiting_and_closing_ends_the_running(path: Path) -> None:
    reader = DatabaseReader(SqliteEngine(path), places=1, timeout_s=60, max_rows=5)
    running = asyncio.create_task(reader.read("a", ENDLESS, []))
    waiting = asyncio.create_task(reader.read("b", ENDLESS, []))
    await asyncio.sleep(0.05)
    reader.drain()
    with pytest.raises(ShuttingDown):
        await waiting
    assert not running.done()
    await reader.aclose()
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
async def test_what_the_file_refuses_is_the_databases_failure(
    reader: DatabaseReader, sql: str, refusal: type[ServiceError]
) -> None:
    with pytest.raises(refusal):
        await reader.read("q", sql, [])
    assert (await reader.read("q", "SELECT COUNT(*) AS c FROM numbers", [])).rows == [{"c": 1000}]


@pytest.mark.asyncio
async def test_a_file_that_is_gone_or_locked_is_told_apart(
    reader: DatabaseReader, path: Path, execute: "Execute"
) -> None:
    locking = sqlite3.connect(path, isolation_level=None)
    locking.execute("PRAGMA locking_mode = EXCLUSIVE")
    locking.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DatabaseBusy):
        await reader.read("q", "SELECT n FROM numbers", [])
    locking.close()
    remove(path)
    with pytest.raises(DatabaseUnreachable) as refused:
        await reader.read("q", "SELECT n FROM numbers", [])
    assert (refused.value.status, refused.value.code) == (503, "database_unreachable")
    assert is_gone(path)


def settings(**changes: str) -> ErpDatabase:
    return load(
        ErpDatabase, {"CONFIG_FILE": "/dev/null", "ERPDB_ENGINE": "sqlite", **changes}, own_prefixes=()
    )


@pytest.mark.asyncio
async def test_an_unconfigured_module_says_so_whatever_is_asked(clock: ManualClock) -> None:
    async with open_erp_database(None, QueryRegistry(QUERIES), clock, timezone=UTC_ZONE) as module:
        with pytest.raises(NotConfigured):
            _ = module.runner.queries
        with pytest.raises(NotConfigured):
            module.runner.find("nope")
        with pytest.raises(NotConfigured):
            await module.runner.run("all", {}, user="ana")
        with pytest.raises(NotConfigured):
            await module.find_user_field("ORDR", "X")
        module.drain()


@pytest.mark.asyncio
async def test_a_configured_module_runs_queries_until_it_is_drained(path: Path, clock: ManualClock) -> None:
    configured = settings(ERPDB_DATABASE=str(path), ERPDB_MAX_ROWS="7")
    async with open_erp_database(configured, QueryRegistry(QUERIES), clock, timezone=UTC_ZONE) as module:
        assert len((await module.runner.run("all", {}, user="ana")).rows) == 7
        assert [module.row_cap(query) for query in module.runner.queries] == [7, 7, 3]
        module.drain()
        with pytest.raises(ShuttingDown):
            await module.runner.run("all", {}, user="ana")


@pytest.mark.asyncio
async def test_a_query_that_the_engine_can_not_run_stops_the_start(clock: ManualClock) -> None:
    hana: dict[str, Any] = {"ERPDB_ENGINE": "hana", "ERPDB_SERVER": "127.0.0.1", "ERPDB_USER": "u"}
    configured = settings(**hana, ERPDB_PASSWORD="p", ERPDB_SCHEMA="S")
    with pytest.raises(RegistryError, match="all: has no SQL for the engine hana"):
        async with open_erp_database(configured, QueryRegistry(QUERIES), clock, timezone=UTC_ZONE):
            pytest.fail("opened")
