"""What keeps a process from a store: named without writing, and without failing at what it may not see."""

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from unprivileged import unprivileged, unprivileged_folder

from erp_gateway.doctor.store import obstacle_told
from erp_gateway.store.database import open_database
from erp_gateway.store.sqlite.examining import Obstacle, OutOfReach, find_obstacle, look_at


def found(path: Path) -> OutOfReach | None:
    with unprivileged():
        return find_obstacle(path)


@pytest.mark.parametrize("mode", [0o500, 0o000])
@pytest.mark.parametrize("below", ["app.sqlite", "deeper/app.sqlite"])
def test_a_folder_that_may_not_be_written_to_or_looked_into_is_named(mode: int, below: str) -> None:
    with unprivileged_folder() as folder:
        closed = folder / "closed"
        closed.mkdir(mode=mode)
        kept = found(closed / below)
        closed.chmod(0o700)
    assert kept == OutOfReach(closed, Obstacle.FOLDER_CLOSED)


def test_a_file_that_may_not_be_written_is_named_with_its_owner_its_mode_and_who_looks() -> None:
    with unprivileged_folder() as folder:
        folder.chmod(0o777)
        store = folder / "app.sqlite"
        store.touch()
        store.chmod(0o400)
        kept = found(store)
        assert kept == OutOfReach(store, Obstacle.FILE_CLOSED)
        told = obstacle_told(kept)
    assert told.startswith(f"{store} no se puede leer y escribir: dueño {os.geteuid()} (")
    assert f"modo 0400; este proceso es el usuario {os.geteuid()} (" in told


def test_a_folder_in_the_files_place_and_a_file_in_the_folders_are_named(tmp_path: Path) -> None:
    store = tmp_path / "app.sqlite"
    assert find_obstacle(store) is None
    store.touch()
    assert find_obstacle(store) is None
    assert find_obstacle(tmp_path) == OutOfReach(tmp_path, Obstacle.NO_FILE)
    assert find_obstacle(store / "app.sqlite") == OutOfReach(store, Obstacle.NO_FOLDER)


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
