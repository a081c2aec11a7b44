"""The store behind the tables: a file, or memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest

from erpsim.company.exchange import Fields, Key
from erpsim.company.store import Change, FileStore, MemoryStore, StoreError
from erpsim.company.tables import Database
from erpsim.desk import Desk
from erpsim.world import World


def seed_of(rows: dict[str, dict[Key, Fields]]) -> Callable[[str], dict[Key, Fields]]:
    return lambda name: dict(rows.get(name, {}))


@pytest.fixture
def database() -> Database:
    return Database(seed_of({"T": {(2,): {"Id": 2}, (1,): {"Id": 1}}}), MemoryStore(), "x")


def put(database: Database, *rows: Fields, then_fail: bool = False) -> None:
    """Store rows in one transaction, and fail behind the last if told to."""
    with database.transaction():
        for row in rows:
            key = row["Id"]
            assert isinstance(key, int)
            database.put("T", (key,), None if row.get("Name") == "gone" else row)
        if then_fail:
            raise KeyError


def test_changes_survive_a_restart(tmp_path: Path, make_world: Callable[..., World]) -> None:
    path = tmp_path / "company.db"
    store = FileStore(path)
    desk = Desk(make_world(store=store))
    desk.create("Items", {"ItemCode": "ÑANDÚ/1", "MinInventory": "1234567890.123456"})
    order = desk.create(
        "Orders", {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1", "Quantity": 2}]}
    )
    desk.create("BusinessPartners", {"CardCode": "FUERA"})
    desk.delete("BusinessPartners", "FUERA")
    before = desk.read("Orders", int(str(order["DocEntry"])))
    store.close()

    again = FileStore(path)
    desk = Desk(make_world(store=again))
    assert desk.read("Items", "ÑANDÚ/1")["MinInventory"] == Decimal("1234567890.123456")
    assert desk.read("Orders", int(str(order["DocEntry"]))) == before
    following = desk.create("Orders", {"CardCode": "C00001", "DocumentLines": [{"ItemCode": "A/1"}]})
    assert following["DocNum"] == int(str(order["DocNum"])) + 1
    assert desk.refusal(desk.read, "BusinessPartners", "FUERA").status == 404
    desk.world.reset()
    again.close()

    last = FileStore(path)
    desk = Desk(make_world(store=last))
    assert desk.refusal(desk.read, "Items", "ÑANDÚ/1").status == 404
    last.close()


def test_removed_rows_stay_removed(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    store = FileStore(path)
    database = Database(seed_of({"T": {(1,): {"Id": 1}}}), store, "x")
    with database.transaction():
        database.put("T", (1,), None)
    store.close()
    again = FileStore(path)
    assert Database(seed_of({"T": {(1,): {"Id": 1}}}), again, "x").get("T", (1,)) is None
    again.close()


def test_a_refused_change_is_not_stored(tmp_path: Path, make_world: Callable[..., World]) -> None:
    store = FileStore(tmp_path / "x.db")
    desk = Desk(make_world(store=store))
    desk.refusal(desk.create, "Items", {"ItemCode": "X", "ItemsGroupCode": 999})
    assert list(store.load("small")) == []
    store.close()


def test_a_store_with_another_seed_or_format_is_refused(
    tmp_path: Path, make_world: Callable[..., World]
) -> None:
    path = tmp_path / "x.db"
    store = FileStore(path)
    make_world(seed="small", store=store)
    with pytest.raises(StoreError, match="holds changes over the seed 'small', not 'empty'"):
        make_world(seed="empty", store=store)
    store.close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE facts SET value = '99' WHERE name = 'format'")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="format 99"):
        FileStore(path)


@pytest.mark.parametrize("content", [b"no database at all, just text that is long enough to be read" * 20])
def test_a_file_that_is_no_store_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"x\.db"):
        FileStore(path)


def test_a_folder_that_is_missing_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="missing"):
        FileStore(tmp_path / "missing" / "x.db")


def test_changes_are_saved_atomically(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "x.db")
    surrogate = Change("\ud800", (1,), {"Id": 1})  # a name that the file can't hold
    with pytest.raises(UnicodeEncodeError):
        store.save([Change("T", (1,), {"Id": 1}), surrogate])
    assert list(store.load("x")) == []
    store.save([Change("T", (1,), {"Id": 1})])
    assert list(store.load("x")) == [Change("T", (1,), {"Id": 1})]
    store.close()


def test_the_memory_store_keeps_no_changes() -> None:
    store = MemoryStore()
    store.save([Change("T", (1,), {})])
    store.clear()
    store.close()
    assert list(store.load("x")) == []
