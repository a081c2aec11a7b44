"""What every start asks the ledger reads a few rows, however old the ledger is."""

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from store_beside import beside

from erp_gateway.ledger.store import FIND_UNSURE, LedgerStore
from erp_gateway.storage.database import Database
from erp_gateway.storage.places import StorePlace
from erp_gateway.storage.statements import Statements
from servicekit.clock import ManualClock, iso_utc

ROWS = 3_000
_FILL = (
    "INSERT INTO ledger_write (id, at, kind, web_user, resource, fields, fields_omitted, body_mac, traced, "
    "state, ended_at) WITH RECURSIVE number (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM number WHERE i < ?) "
    "SELECT CAST(1000000 + i AS TEXT), '', 'create', 'ana', 'Orders', '[]', 0, ?, 0, 'done', ? FROM number"
)


async def plan_of(database: Database, place: StorePlace, sql: str, values: Sequence[str]) -> str:
    """Return how the engine would answer a question, as it tells it."""
    explain = "EXPLAIN QUERY PLAN" if isinstance(place, Path) else "EXPLAIN"
    return "\n".join(str(row[-1]) for row in await database.read(f"{explain} {sql}", values))


@pytest.mark.asyncio
async def test_what_a_start_asks_reads_no_ledger_from_end_to_end(
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
