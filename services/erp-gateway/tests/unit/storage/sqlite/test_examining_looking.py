"""What a store's file says to somebody who only looks."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from erp_gateway.storage.database import open_database
from erp_gateway.storage.sqlite.examining import look_at


def other_programs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE a (b)")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("make", "is_empty"),
    [(Path.touch, True), (other_programs, False)],
    ids=["nothing in it", "another program's"],
)
async def test_a_file_that_is_no_store_is_empty_or_not_ours(
    tmp_path: Path, make: Callable[[Path], None], is_empty: bool
) -> None:
    make(path := tmp_path / "app.sqlite")
    facts = await look_at(path)
    assert facts is not None
    assert (facts.ours, facts.empty) == (False, is_empty)


@pytest.mark.asyncio
async def test_a_store_is_ours_and_not_empty(tmp_path: Path) -> None:
    async with open_database(path := tmp_path / "app.sqlite"):
        pass
    facts = await look_at(path)
    assert facts is not None
    assert (facts.ours, facts.empty, facts.sound) == (True, False, True)


@pytest.mark.asyncio
async def test_what_sqlite_cannot_read_says_nothing(tmp_path: Path) -> None:
    (path := tmp_path / "app.sqlite").write_bytes(b"no database at all" * 99)
    assert await look_at(path) is None
