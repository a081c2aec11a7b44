"""What keeps a process from a store: named without writing, and without failing at what it may not see."""

import os
from pathlib import Path

import pytest
from unprivileged import unprivileged, unprivileged_folder

from erp_gateway.doctor.store.in_file import obstacle_told
from erp_gateway.storage.sqlite.examining import Obstacle, OutOfReach, find_obstacle


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
