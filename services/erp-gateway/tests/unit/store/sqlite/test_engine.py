"""A store that cannot be used ends the start with a message that says what to do."""

import asyncio
import random
import sqlite3
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from erp_gateway.store.database import open_database
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.migrations import Migration, load_migrations, plan_upgrade
from erp_gateway.store.sqlite.connection import prepare_file

NEXT = Migration(number=2, name="next", script="CREATE TABLE next_thing (id INTEGER);")
BROKEN = Migration(number=2, name="broken", script="CREATE TABLE next_thing (id INTEGER); CREATE TABEL x;")


async def open_and_close(path: Path, **options: object) -> None:
    async with open_database(path, **options):  # type: ignore[arg-type] # whatever the case passes on
        pass


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(StoreNotUsable) as caught:
        asyncio.run(open_and_close(path, **options))
    return str(caught.value)


def ask(path: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def test_a_new_store_is_made_with_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "some" / "where" / "app.sqlite"
    asyncio.run(open_and_close(path))
    assert ask(path, "PRAGMA user_version") == [(len(load_migrations()),)]


def test_an_existing_store_opens_again(store_path: Path) -> None:
    asyncio.run(open_and_close(store_path))
    asyncio.run(open_and_close(store_path))


def test_an_older_store_is_brought_up_to_date(store_path: Path) -> None:
    asyncio.run(open_and_close(store_path, migrations=load_migrations()[:1]))
    asyncio.run(open_and_close(store_path, migrations=[*load_migrations()[:1], NEXT]))
    assert ask(store_path, "PRAGMA user_version") == [(2,)]
    assert ask(store_path, "SELECT name FROM sqlite_schema WHERE name = 'next_thing'") == [("next_thing",)]


def test_an_upgrade_that_fails_leaves_the_store_untouched(store_path: Path) -> None:
    asyncio.run(open_and_close(store_path, migrations=load_migrations()[:1]))
    assert "TABEL" in refusal(store_path, migrations=[*load_migrations()[:1], BROKEN])
    assert ask(store_path, "PRAGMA user_version") == [(1,)]
    assert ask(store_path, "SELECT name FROM sqlite_schema WHERE name = 'next_thing'") == []


def test_an_older_store_is_not_upgraded_under_a_running_service(store_path: Path) -> None:
    asyncio.run(open_and_close(store_path, migrations=load_migrations()[:1]))
    message = refusal(store_path, migrations=[*load_migrations()[:1], NEXT], may_upgrade=False)
    assert "restart the service" in message
    assert ask(store_path, "PRAGMA user_version") == [(1,)]


def test_a_newer_store_is_refused(store_path: Path) -> None:
    asyncio.run(open_and_close(store_path, migrations=[*load_migrations()[:1], NEXT]))
    message = refusal(store_path, migrations=load_migrations()[:1])
    assert "newer version" in message
    assert str(store_path) in message


def test_another_programs_database_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (id INTEGER)")
    other.close()
    assert "another program" in refusal(path)
    assert ask(path, "SELECT name FROM sqlite_schema") == [("theirs",)]


def test_a_file_that_is_no_database_is_refused_and_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "app.sqlite"
    content = random.Random(7).randbytes(8192)
    path.write_bytes(content)
    assert "damaged or not a database" in refusal(path)
    assert path.read_bytes() == content


def test_a_damaged_page_is_found_at_the_start(store_path: Path) -> None:
    asyncio.run(open_and_close(store_path))
    damaged = bytearray(store_path.read_bytes())
    damaged[4096 : 4096 + 8] = b"\xff" * 8  # the header of the second page
    store_path.write_bytes(damaged)
    message = refusal(store_path)
    assert "damaged" in message
    assert "restore the latest backup" in message


def test_a_large_store_is_not_checked_page_by_page(store_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asyncio.run(open_and_close(store_path))
    with store_path.open("r+b") as file:
        file.truncate(65 * 1024 * 1024)  # sparse: only its length counts
    asyncio.run(open_and_close(store_path))


@pytest.mark.parametrize("place", ["a_file/app.sqlite", "a_folder"])
def test_a_place_that_cannot_hold_a_store_is_refused(tmp_path: Path, place: str) -> None:
    (tmp_path / "a_file").touch()
    (tmp_path / "a_folder").mkdir()
    assert "SQLITE_PATH" in refusal(tmp_path / place)


def test_a_store_locked_by_a_foreign_program_is_refused(
    store_path: Path,
) -> None:
    asyncio.run(open_and_close(store_path))
    other = sqlite3.connect(store_path, isolation_level=None)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    other.execute("COMMIT")
    try:
        assert "cannot use the store" in refusal(store_path, busy_timeout_s=0.1)
    finally:
        other.close()


def test_a_mode_that_cannot_be_changed_is_logged(store_path: Path) -> None:
    class OthersFile(type(store_path)):  # type: ignore[misc] # a path whose file belongs to somebody else
        def chmod(self, mode: int, *, follow_symlinks: bool = True) -> None:
            raise PermissionError

    with capture_logs() as logs:
        prepare_file(OthersFile(store_path))
    assert [entry["event"] for entry in logs] == ["store_mode_not_private"]


def test_the_shipped_scripts_are_numbered_without_gaps() -> None:
    shipped = load_migrations()
    assert plan_upgrade(0, shipped) == shipped
    assert plan_upgrade(len(shipped), shipped) == ()


def test_scripts_with_a_gap_are_refused() -> None:
    with pytest.raises(ValueError, match="without gaps"):
        plan_upgrade(0, [NEXT])


def test_a_script_with_another_kind_of_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "2_next.sql").touch()
    with pytest.raises(ValueError, match="2_next"):
        load_migrations(tmp_path)
