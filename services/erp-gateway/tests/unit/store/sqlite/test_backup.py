"""A backup is a complete store, made while work goes on, and overwrites nothing."""

import asyncio
import signal
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from erp_gateway.store.database import Database, open_database
from erp_gateway.store.errors import BackupFailed
from erp_gateway.store.restore import replace_store
from erp_gateway.store.sqlite.backup import back_up
from erp_gateway.store.statements import Statements


def files_in(folder: Path) -> list[str]:
    return [file.name for file in folder.iterdir()]


def adding(user: str) -> Callable[[Statements], None]:
    def work(connection: Statements) -> None:
        connection.execute("INSERT INTO menu_permission VALUES (?, '[]', '', '')", (user,))

    return work


async def count(database: Database) -> int:
    return int((await database.read("SELECT COUNT(*) FROM menu_permission"))[0][0])


@pytest.mark.asyncio
async def test_a_backup_has_everything_committed_before_it(
    database: Database, store_path: Path, tmp_path: Path
) -> None:
    await database.write(adding("ana"))
    target = tmp_path / "copy.sqlite"

    size = await back_up(store_path, target)

    assert target.stat().st_size == size
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    async with open_database(target) as copy:
        assert await count(copy) == 1


@pytest.mark.asyncio
async def test_writes_continue_during_a_backup(database: Database, store_path: Path, tmp_path: Path) -> None:
    async def write_on() -> None:
        for number in range(50):
            await database.write(adding(f"user{number}"))

    await asyncio.gather(write_on(), *(back_up(store_path, tmp_path / f"{n}.sqlite") for n in range(3)))

    assert await count(database) == 50
    for number in range(3):
        async with open_database(tmp_path / f"{number}.sqlite") as copy:
            assert 0 <= await count(copy) <= 50


@pytest.mark.asyncio
async def test_a_backup_never_overwrites_a_file(database: Database, store_path: Path, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    with pytest.raises(BackupFailed, match="exists already"):
        await back_up(store_path, target)
    assert target.read_text() == "precious"


@pytest.mark.asyncio
async def test_a_backup_without_a_store_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(BackupFailed, match="there is no store"):
        await back_up(tmp_path / "none.sqlite", tmp_path / "copy.sqlite")
    assert files_in(tmp_path) == []


@pytest.mark.asyncio
async def test_a_backup_to_a_missing_folder_is_rejected(
    database: Database, store_path: Path, tmp_path: Path
) -> None:
    with pytest.raises(BackupFailed, match="could not write"):
        await back_up(store_path, tmp_path / "nowhere" / "copy.sqlite")


@pytest.mark.asyncio
async def test_a_backup_of_a_damaged_store_fails_and_leaves_nothing(tmp_path: Path) -> None:
    broken = tmp_path / "app.sqlite"
    broken.write_bytes(b"this is no database at all, but long enough to look at" * 100)
    with pytest.raises(BackupFailed, match="could not write"):
        await back_up(broken, tmp_path / "copy.sqlite")
    assert files_in(tmp_path) == ["app.sqlite"]


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from erp_gateway.store.database import open_database

async def main():
    async with open_database(Path(sys.argv[1])) as database:
        row = "INSERT INTO menu_permission VALUES ('later', '[]', '', '')"
        await database.write(lambda store: store.execute(row))
        os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


@pytest.mark.asyncio
async def test_a_restore_replaces_the_files_of_a_killed_process(store_path: Path, tmp_path: Path) -> None:
    async with open_database(store_path):
        pass
    backup = tmp_path / "backup.sqlite"
    await back_up(store_path, backup)
    killed = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, str(store_path))
    assert await killed.wait() == -signal.SIGKILL
    assert store_path.with_name(f"{store_path.name}-wal").stat().st_size > 0

    replace_store(backup, store_path)
    async with open_database(store_path) as restored:
        assert await count(restored) == 0
