"""A store copied to the other engine, and back, holds the same; one that is not empty is left alone."""

import asyncio
import sqlite3
from datetime import timedelta
from pathlib import Path

import pytest
from store_beside import beside
from store_insides import SQLITE_ONLY

from erp_gateway.audit.chain_check import ChainCheck, check_chain
from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.store import AuditStore
from erp_gateway.store.copying import TABLES, copy_store
from erp_gateway.store.database import Database, open_database
from erp_gateway.store.errors import StoreNotUsable, StoreUnavailable
from erp_gateway.store.places import StorePlace
from erp_gateway.store.statements import Statements
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from servicekit.clock import ManualClock

pytestmark = pytest.mark.asyncio

WRITE = (
    "INSERT INTO ledger_write (id, at, kind, web_user, resource, fields, fields_omitted, body_mac, traced, "
    "trace_field, state) VALUES ('w', '', 'create', 'ana', 'Orders', '[]', 0, ?, 1, 'U_GW_Clave', 'unknown')"
)
OTHERS = (
    ("INSERT INTO menu_permission VALUES (?, ?, '', '')", ("Ñandú\x00", '["*", "/ventas/ñ"]')),
    ("INSERT INTO gateway_reports VALUES ('r', 'Título', '', 1, '[]', '', '', '[\"x\"]')", ()),
    ("INSERT INTO gateway_report_screens VALUES ('r', 0, '/a', 1), ('r', 1, '/b', 0)", ()),
    (WRITE, (b"m",)),
    ("INSERT INTO ledger_secret VALUES (1, ?)", (bytes(range(32)),)),
    ("INSERT INTO ledger_key VALUES (?, ?, 'w', '')", (b"\x00\xff", b"\\x41")),
    ("INSERT INTO ledger_answer VALUES ('w', 201, 'application/json', '{}', ?, '')", (b"\x00" * 300_000,)),
    ("INSERT INTO ledger_answer VALUES ('v', 204, '', '{}', NULL, '')", ()),
    ("INSERT INTO web_session VALUES ('ana', ?, 7, 'Ana', '', '', ?, '', '')", (b"d", b"m")),
    ("INSERT INTO login_failure VALUES ('user', 'ana', '[]', ''), ('address', 'ana', '[]', '')", ()),
)


async def fill(database: Database, clock: ManualClock, records: int) -> None:
    def work(statements: Statements) -> None:
        for sql, values in OTHERS:
            statements.execute(sql, values)

    await database.write(work)
    store = AuditStore(database)
    for start in range(0, records, 1000):
        await asyncio.gather(
            *(store.add(event(start + number), clock.now()) for number in range(min(1000, records - start)))
        )


def event(number: int) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.SL_UPDATE,
        result=AuditResult.OK,
        actor=Actor(web_user=f"ana\x00{number % 7}", ip="10.0.0.7"),
        key=f"Ñ/{number}",
        fields=("ItemName", "\ufdd0", "a\x00b"),
        detail=AuditDetail(rows=number),
    )


async def everything(database: Database) -> dict[str, list[tuple[object, ...]]]:
    found = {}
    for table in TABLES:
        rows = await database.read(
            f"SELECT {', '.join(table.columns)} FROM {table.name} ORDER BY {', '.join(table.key)}"
        )
        found[table.name] = [tuple(row) for row in rows]
    return found


async def check_of(database: Database) -> ChainCheck:
    return await check_chain(AuditChain(database))


@pytest.mark.parametrize(
    "records", [450, pytest.param(50_000, marks=[pytest.mark.proof, pytest.mark.timeout(1200)])]
)
async def test_a_copy_to_the_other_engine_and_back_equals_the_original(
    database: Database, other_place: StorePlace, tmp_path: Path, clock: ManualClock, records: int
) -> None:
    for number in range(9):
        await AuditStore(database).add(event(number), clock.now() - timedelta(days=2))
    await fill(database, clock, records)
    await AuditChain(database).cut_before(clock.now() - timedelta(days=1), now=clock.now())
    before = await everything(database)

    async with open_database(other_place) as other:
        copied = await copy_store(database, other)
        assert dict(copied.rows) == {name: len(rows) for name, rows in before.items()}
        assert copied.head == await AuditChain(database).head()
        assert await everything(other) == before
        assert (await check_of(other)).faults == []
        if isinstance(other_place, Path):
            return
        async with open_database(tmp_path / "back.sqlite") as back:
            assert await copy_store(other, back) == copied
            assert await everything(back) == before
            end = await AuditStore(back).add(event(0), clock.now())
            assert end is not None
            assert end.entry_id == 9 + records + 1
            check = await check_of(back)
            assert (check.faults, check.records) == ([], records + 1)


async def test_a_filled_target_is_rejected_and_unchanged(
    database: Database, other_place: StorePlace, clock: ManualClock
) -> None:
    await fill(database, clock, 3)
    async with open_database(other_place) as other:
        await AuditStore(other).add(event(0), clock.now())
        before = await everything(other)
        with pytest.raises(StoreNotUsable, match="not empty: there is something in audit_log"):
            await copy_store(database, other)
        assert await everything(other) == before


async def test_an_unreadable_source_leaves_the_target_empty(
    database: Database, store_place: StorePlace, other_place: StorePlace, clock: ManualClock
) -> None:
    await fill(database, clock, 3)
    beside(store_place).ask("ALTER TABLE ledger_key RENAME TO taken_away")
    async with open_database(other_place) as other:
        with pytest.raises(StoreUnavailable):
            await copy_store(database, other)
        assert (await everything(other))["audit_log"] == []
        beside(store_place).ask("ALTER TABLE taken_away RENAME TO ledger_key")
        await copy_store(database, other)


@SQLITE_ONLY
async def test_every_table_and_column_of_the_schema_is_copied(database: Database, store_path: Path) -> None:
    requested = sqlite3.connect(store_path)
    tables = [
        name
        for (name,) in requested.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        if not name.startswith("sqlite_")
    ]
    there = {name: {row[1] for row in requested.execute(f"PRAGMA table_info({name})")} for name in tables}
    requested.close()
    assert {table.name: set(table.columns) for table in TABLES} == there
