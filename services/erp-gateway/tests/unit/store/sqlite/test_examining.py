"""Obstacles to opening a store are named without writing, even where files are not readable."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from unprivileged import unprivileged, unprivileged_folder

from erp_gateway.doctor.store import describe_blocker
from erp_gateway.store.database import open_database
from erp_gateway.store.sqlite.examining import Blocker, Obstacle, find_blocker, read_facts


def found(path: Path) -> Blocker | None:
    with unprivileged():
        return find_blocker(path)


@pytest.mark.parametrize("mode", [0o500, 0o000])
@pytest.mark.parametrize("below", ["app.sqlite", "deeper/app.sqlite"])
def test_a_closed_folder_is_named(mode: int, below: str) -> None:
    with unprivileged_folder() as folder:
        closed = folder / "closed"
        closed.mkdir(mode=mode)
        kept = found(closed / below)
        closed.chmod(0o700)
    assert kept == Blocker(closed, Obstacle.FOLDER_CLOSED)


def test_a_closed_file_is_named_with_owner_mode_and_current_user() -> None:
    with unprivileged_folder() as folder:
        folder.chmod(0o777)
        store = folder / "app.sqlite"
        store.touch()
        store.chmod(0o400)
        kept = found(store)
        assert kept == Blocker(store, Obstacle.FILE_CLOSED)
        text = describe_blocker(kept)
    assert text.startswith(f"{store} no se puede leer y escribir: dueño {os.geteuid()} (")
    assert f"modo 0400; este proceso es el usuario {os.geteuid()} (" in text


def test_a_folder_instead_of_the_file_and_a_file_instead_of_the_folder_are_named(tmp_path: Path) -> None:
    store = tmp_path / "app.sqlite"
    assert find_blocker(store) is None
    store.touch()
    assert find_blocker(store) is None
    assert find_blocker(tmp_path) == Blocker(tmp_path, Obstacle.NO_FILE)
    assert find_blocker(store / "app.sqlite") == Blocker(store, Obstacle.NO_FOLDER)


def other_programs(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE a (b)")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("make", "is_empty"),
    [(Path.touch, True), (other_programs, False)],
    ids=["nothing in it", "another program's"],
)
async def test_a_file_that_is_not_a_store_is_empty_or_not_ours(
    tmp_path: Path, make: Callable[[Path], None], is_empty: bool
) -> None:
    make(path := tmp_path / "app.sqlite")
    facts = await read_facts(path)
    assert facts is not None
    assert (facts.ours, facts.empty) == (False, is_empty)


@pytest.mark.asyncio
async def test_a_store_is_ours_and_not_empty(tmp_path: Path) -> None:
    async with open_database(path := tmp_path / "app.sqlite"):
        pass
    facts = await read_facts(path)
    assert facts is not None
    assert (facts.ours, facts.empty, facts.sound) == (True, False, True)


@pytest.mark.asyncio
async def test_an_unreadable_file_has_no_facts(tmp_path: Path) -> None:
    (path := tmp_path / "app.sqlite").write_bytes(b"no database at all" * 99)
    assert await read_facts(path) is None
