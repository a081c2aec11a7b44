"""The chain's formula, as docs/audit.md tells it, and the records from before there was one."""

import asyncio
import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from erp_gateway.audit.chain_check import ChainCheck, check_chain
from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.store.chain_hash import MEMBERS, START, ChainPosition, link
from erp_gateway.store.database import open_database
from erp_gateway.store.migrations import load_migrations

ROW = (
    *(7, "2026-03-02T14:05:09.120Z", "José", None, "sl_update", "Items", "A/1 'ñ'"),
    *("ok", '["ItemName"]', '{"rows": 2, "attempts": 3}', None, "01J"),
)


def test_the_formula_is_the_documented_one() -> None:
    text = (
        '{"action":"sl_update","at":"2026-03-02T14:05:09.120Z","detail":{"rows":2},"fields":["ItemName"],'
        '"id":7,"ip":null,"key":"A/1 \'ñ\'","reason":null,"requestId":"01J","resource":"Items","result":"ok",'
        '"webUser":"José"}'
    )
    assert link(START, *ROW) == hashlib.sha256(f"{'0' * 64}\n{text}".encode()).hexdigest()
    assert link(START, *ROW).startswith("c8424ff290f2")  # else every store's chain would be broken


@pytest.mark.parametrize("place", [place for place, name in enumerate(MEMBERS) if name != "detail"])
def test_every_member_is_hashed(place: int) -> None:
    other = list(ROW)
    other[place] = '["Other"]' if MEMBERS[place] == "fields" else "other"
    assert link(START, *other) != link(START, *ROW)
    assert link("1" * 64, *ROW) != link(START, *ROW)


def test_the_detail_is_hashed_except_the_growing_member() -> None:
    def with_detail(detail: object) -> str:
        row = list(ROW)
        row[MEMBERS.index("detail")] = json.dumps(detail)
        return link(START, *row)

    assert with_detail({"rows": 2, "attempts": 4}) == link(START, *ROW)
    assert with_detail({"rows": 3, "attempts": 3}) != link(START, *ROW)
    assert with_detail("2") != link(START, *ROW)


def before_the_chain(store_path: Path, numbers: list[int]) -> None:
    """Make a store of the version before the chain, with records of these numbers."""

    async def make() -> None:
        async with open_database(store_path, migrations=load_migrations()[:2]):
            pass

    asyncio.run(make())
    older = sqlite3.connect(store_path)
    older.executemany(
        "INSERT INTO audit_log (id, at, web_user, action, result, fields, detail, key) "
        "VALUES (?, '2026-01-01T00:00:00.000Z', 'ana', 'sl_update', 'ok', '[\"Ñ\"]', '{\"rows\": 1}', ?)",
        [(number, str(number)) for number in numbers],
    )
    older.commit()
    older.close()


def check_upgraded(store_path: Path) -> ChainCheck:
    async def walk() -> ChainCheck:
        async with open_database(store_path) as database:
            return await check_chain(AuditChain(database))

    return asyncio.run(walk())


@pytest.mark.parametrize(
    ("numbers", "first", "last"),
    [([], 0, 0), ([1, 2, 3], 0, 3), ([41, 42, 50], 40, 50), (list(range(1, 1200)), 0, 1199)],
)
def test_the_records_of_an_older_store_are_chained_unchanged(
    store_path: Path, numbers: list[int], first: int, last: int
) -> None:
    before_the_chain(store_path, numbers)
    check = check_upgraded(store_path)
    assert (check.faults, check.records) == ([], len(numbers))
    assert check.head is not None
    assert (check.head.entry_id, check.last) == (last, check.head)


def test_an_older_store_without_records_continues_its_numbers(store_path: Path) -> None:
    before_the_chain(store_path, [8, 9])
    older = sqlite3.connect(store_path, isolation_level=None)
    older.execute("DELETE FROM audit_log")
    older.close()
    check = check_upgraded(store_path)
    assert (check.faults, check.records, check.head) == ([], 0, ChainPosition(9, START))
