"""Tables and their undo."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from erpsim.company.exchange import Fields, Key
from erpsim.company.store import Change, MemoryStore
from erpsim.company.tables import Database


def seed_of(rows: dict[str, dict[Key, Fields]]) -> Callable[[str], dict[Key, Fields]]:
    return lambda name: dict(rows.get(name, {}))


@pytest.fixture
def database() -> Database:
    return Database(seed_of({"T": {(2,): {"Id": 2}, (1,): {"Id": 1}}}), MemoryStore(), "x")


def test_rows_stay_in_key_order_after_changes(database: Database) -> None:
    table = database.table("T")
    assert [row["Id"] for row in table] == [1, 2]
    with database.transaction():
        for key in (7, 5, 8):
            database.put("T", (key,), {"Id": key})
        database.put("T", (2,), None)
    assert [row["Id"] for row in table] == [1, 5, 7, 8]
    assert len(table) == 4
    assert table.next_number() == 9


def test_an_empty_table_starts_at_number_one(database: Database) -> None:
    assert database.table("LEER").next_number() == 1


def test_rows_change_inside_transactions_only(database: Database) -> None:
    with pytest.raises(RuntimeError):
        database.put("T", (3,), {"Id": 3})


def put(database: Database, *rows: Fields, then_fail: bool = False) -> None:
    """Store rows in one transaction, and fail behind the last if told to."""
    with database.transaction():
        for row in rows:
            key = row["Id"]
            assert isinstance(key, int)
            database.put("T", (key,), None if row.get("Name") == "gone" else row)
        if then_fail:
            raise KeyError


def test_a_failed_transaction_leaves_no_trace(database: Database) -> None:
    rows: list[Fields] = [{"Id": 1, "Name": "new"}, {"Id": 2, "Name": "gone"}, {"Id": 3}]
    with pytest.raises(KeyError):
        put(database, *rows, then_fail=True)
    assert list(database.table("T")) == [{"Id": 1}, {"Id": 2}]


def test_an_inner_failure_undoes_only_the_inner_changes(database: Database) -> None:
    with database.transaction():
        database.put("T", (1,), {"Id": 1, "Name": "outer"})
        with pytest.raises(KeyError):
            put(database, {"Id": 1, "Name": "inner"}, then_fail=True)
    assert database.get("T", (1,)) == {"Id": 1, "Name": "outer"}


def test_an_outer_failure_undoes_the_inner_success(database: Database) -> None:
    def outer() -> None:
        with database.transaction():
            put(database, {"Id": 1, "Name": "inner"})
            raise KeyError

    with pytest.raises(KeyError):
        outer()
    assert database.get("T", (1,)) == {"Id": 1}


class FullDisk:
    """A store that can't save."""

    def load(self, seed: str) -> list[Change]:
        return []

    def save(self, changes: object) -> None:
        raise OSError("disk full")

    def clear(self) -> None: ...

    def close(self) -> None: ...


def test_a_change_that_can_not_be_stored_is_rolled_back() -> None:
    database = Database(seed_of({}), FullDisk(), "x")
    with pytest.raises(OSError, match="disk full"):
        put(database, {"Id": 1})
    assert database.get("T", (1,)) is None
