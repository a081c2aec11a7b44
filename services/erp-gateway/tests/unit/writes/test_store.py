"""What is asked of an old ledger at each start, and how what is too old goes."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from store_beside import beside

from erp_gateway.store.database import Database
from erp_gateway.store.places import StorePlace
from erp_gateway.store.statements import Statements
from erp_gateway.writes.store import DELETE_ENDED, FIND_UNSURE, LedgerStore
from servicekit.clock import ManualClock, iso_utc

ROWS = 3_000
_FILL = (
    "INSERT INTO ledger_write (id, at, kind, web_user, resource, fields, fields_omitted, body_mac, traced, "
    "state, ended_at) WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < ?) "
    "SELECT '00' || CAST(1000000 + i AS TEXT), '', 'create', 'ana', 'Orders', '[]', 0, ?, 0, 'done', ? "
    "FROM number"
)

_KEY = "INSERT INTO ledger_key (key_mac, request_mac, write_id, expires_at) VALUES (?, ?, ?, ?)"


async def plan_of(database: Database, place: StorePlace, sql: str, values: Sequence[str]) -> str:
    """Return how the engine would answer a question, as it tells it."""
    explain = "EXPLAIN QUERY PLAN" if isinstance(place, Path) else "EXPLAIN"
    return "\n".join(str(row[-1]) for row in await database.read(f"{explain} {sql}", values))


@pytest.mark.asyncio
async def test_the_startup_query_does_not_scan_the_ledger(
    database: Database, store_place: StorePlace, clock: ManualClock
) -> None:
    def fill(statements: Statements) -> None:
        statements.execute(_FILL, (ROWS, b"mac", iso_utc(clock.now())))

    await database.write(fill)
    beside(store_place).ask("ANALYZE")
    since = clock.now() - timedelta(minutes=10)
    plan = await plan_of(database, store_place, FIND_UNSURE, [iso_utc(since)])
    assert "SCAN ledger_write" not in plan
    assert "Seq Scan on ledger_write" not in plan
    assert await LedgerStore(database).find_unsure(since) == frozenset()


@pytest.mark.asyncio
async def test_old_writes_are_deleted_in_batches_except_those_with_a_key(
    database: Database, store_place: StorePlace, clock: ManualClock
) -> None:
    def fill(statements: Statements) -> None:
        statements.execute(_FILL, (ROWS, b"mac", iso_utc(clock.now())))
        for number in range(3, ROWS + 1, 3):
            write_id = f"00{1_000_000 + number}"
            statements.execute(_KEY, (write_id.encode(), b"mac", write_id, ""))

    await database.write(fill)
    beside(store_place).ask("ANALYZE")
    plan = await plan_of(database, store_place, DELETE_ENDED, ["", "9", "500"])
    assert "SCAN ledger_key" not in plan
    assert await LedgerStore(database).delete_before(clock.now()) == ROWS * 2 // 3
    kept = await database.read("SELECT count(*) FROM ledger_write JOIN ledger_key ON write_id = id")
    assert kept[0][0] == ROWS // 3
    assert await LedgerStore(database).delete_before(clock.now()) == 0
