"""`backup` into a folder and `restore`: dated names, pruning, a drill, the store put back."""

import argparse
import io
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.store.database import hold_process_lock
from erp_gateway.store.places import PostgresPlace, StorePlace
from servicekit.clock import ManualClock
from servicekit.config import Secret

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(store_path: Path, clock: ManualClock) -> Run:
    def run_it(*words: object, store: StorePlace = store_path) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser(prog="erp-gateway")
        add_commands(parser.add_subparsers(dest="command", required=True))
        out, err = io.StringIO(), io.StringIO()
        context = CommandContext(store=store, timezone=ZoneInfo("UTC"), clock=clock, out=out, err=err)
        return run_command(parser.parse_args(list(map(str, words))), context), out.getvalue(), err.getvalue()

    return run_it


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "backups"
    made.mkdir()
    return made


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def back_up(run: Run, folder: Path, *words: object) -> Path:
    code, out, err = run("backup", folder, *words)
    assert (code, err) == (0, "")
    return Path(out.partition(":")[0])


def test_a_copy_in_a_folder_has_the_time_in_its_name(run: Run, folder: Path, clock: ManualClock) -> None:
    run("permissions", "grant", "ana", "*")
    copy = back_up(run, folder)
    assert copy.name == f"gateway-{clock.now():%Y%m%dT%H%M%SZ}.sqlite"
    assert names(folder) == [copy.name]
    code, _, err = run("backup", folder)
    assert code == 1, "of the same second"
    assert "exists already" in err


def test_only_dated_copies_beyond_the_newest_are_deleted(run: Run, folder: Path, clock: ManualClock) -> None:
    run("permissions", "grant", "ana", "*")
    others = ["app.sqlite", "gateway-20260101T000000Z.sqlite.gz", "gateway-20269999T000000Z.sqlite", "notes"]
    for name in others:
        (folder / name).touch()
    (folder / "gateway-20200101T000000Z.sqlite").mkdir()
    made = []
    for _ in range(4):
        made.append(back_up(run, folder, "--keep", 2).name)
        clock.advance(3600)
    assert names(folder) == sorted([*others, "gateway-20200101T000000Z.sqlite", *made[-2:]])


def test_a_failed_copy_deletes_no_file(run: Run, folder: Path, tmp_path: Path) -> None:
    (folder / "gateway-20260101T000000Z.sqlite").touch()
    code, _, err = run("backup", folder, "--keep", 1, store=tmp_path / "none.sqlite")
    assert (code, "there is no store" in err) == (1, True)
    assert names(folder) == ["gateway-20260101T000000Z.sqlite"]


@pytest.mark.parametrize("number", ["0", "-1", "many", "1.5"])
def test_at_least_one_copy_is_kept(run: Run, folder: Path, number: str) -> None:
    with pytest.raises(SystemExit):
        run("backup", folder, "--keep", number)


def test_keep_needs_a_folder(run: Run, tmp_path: Path) -> None:
    run("permissions", "grant", "ana", "*")
    code, _, err = run("backup", tmp_path / "one.sqlite", "--keep", 3)
    assert (code, err) == (1, f"error: --keep needs a folder, and {tmp_path}/one.sqlite is none\n")
    assert not (tmp_path / "one.sqlite").exists()


def test_a_check_summarizes_the_backup_and_changes_nothing(run: Run, folder: Path) -> None:
    run("permissions", "grant", "ana", "*")
    copy = back_up(run, folder)
    before = copy.read_bytes()
    head = run("audit", "verify")[1].splitlines()[-1]
    code, out, err = run("restore", "--check", copy)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("version ")
    assert lines[1:5] == ["menu_permission: 1", "gateway_reports: 0", "audit_log: 1", "ledger_write: 0"]
    assert lines[5:] == [f"audit: 1 records, {head}", f"{copy} can be restored"]
    assert (copy.read_bytes(), names(folder)) == (before, [copy.name])


def change_audit(copy: Path) -> None:
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        connection.execute("UPDATE audit_log SET web_user = 'another'")


def test_a_drill_of_a_changed_copy_fails(run: Run, folder: Path) -> None:
    run("permissions", "grant", "ana", "*")
    copy = back_up(run, folder)
    change_audit(copy)
    code, out, err = run("restore", "--check", copy)
    assert (code, "can be restored" in out) == (1, False)
    assert err == f"error: the audit log in {copy} is not as it was written: faults found: 1\n"
    assert run("restore", copy)[0] == 0, "who has nothing better can still restore it"


@pytest.mark.parametrize("content", [None, b"", b"no database at all" * 100])
def test_a_file_that_is_not_a_backup_is_refused(
    run: Run, folder: Path, store_path: Path, content: bytes | None
) -> None:
    run("permissions", "grant", "ana", "*")
    before = store_path.read_bytes()
    file = folder / "copy"
    if content is not None:
        file.write_bytes(content)
    for words in (("restore", "--check", file), ("restore", file)):
        code, out, err = run(*words)
        assert (code, out) == (1, "")
        assert str(file) in err
    assert store_path.read_bytes() == before
    assert names(folder) == ([] if content is None else ["copy"])


def test_a_copy_of_another_program_is_refused(run: Run, folder: Path) -> None:
    with closing(sqlite3.connect(folder / "other.sqlite")) as connection:
        connection.execute("CREATE TABLE another (id)")
    code, _, err = run("restore", folder / "other.sqlite")
    assert (code, "is no sound copy" in err) == (1, True)


def test_restoring_brings_back_the_copy_and_keeps_the_former_store(
    run: Run, folder: Path, store_path: Path
) -> None:
    run("permissions", "grant", "ana", "*")
    copy = back_up(run, folder)
    run("permissions", "grant", "bea", "*")
    code, out, err = run("restore", copy)
    assert (code, err) == (0, "")
    kept = store_path.with_name(f"{store_path.name}.before-restore")
    assert f"the former store is {kept}; delete it once the service runs\n" in out
    assert "bea" not in run("permissions", "list")[1]
    assert "bea" in run("permissions", "list", store=kept)[1]
    assert stat.S_IMODE(store_path.stat().st_mode) == 0o600
    assert run("audit", "verify")[0] == 0


def test_no_session_of_the_copy_is_live_again(run: Run, folder: Path, store_path: Path) -> None:
    run("permissions", "grant", "ana", "*")
    with closing(sqlite3.connect(store_path, isolation_level=None)) as connection:
        columns = [(row[1], row[2]) for row in connection.execute("PRAGMA table_info(web_session)")]
        values = ["x'00'" if kind == "BLOB" else "'1'" for _, kind in columns]
        named = ", ".join(name for name, _ in columns)
        connection.execute(f"INSERT INTO web_session ({named}) VALUES ({', '.join(values)})")
    copy = back_up(run, folder)
    run("restore", copy)
    with closing(sqlite3.connect(store_path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM web_session").fetchone() == (0,)


def test_a_store_that_serves_is_not_replaced(run: Run, folder: Path, store_path: Path) -> None:
    run("permissions", "grant", "ana", "*")
    copy = back_up(run, folder)
    with hold_process_lock(store_path):
        code, _, err = run("restore", copy)
        assert (code, "process" in err) == (1, True)
        assert run("restore", "--check", copy)[0] == 0
    assert not store_path.with_name(f"{store_path.name}.before-restore").exists()


def test_a_lost_store_comes_back(run: Run, folder: Path, store_path: Path) -> None:
    run("permissions", "grant", "ana", "*")
    copy = back_up(run, folder)
    store_path.unlink()
    code, out, _ = run("restore", copy)
    assert (code, "former store" in out) == (0, False)
    assert "ana" in run("permissions", "list")[1]


def test_of_a_database_the_dump_is_named_by_date_and_restored_by_its_own_tool(
    run: Run, folder: Path, clock: ManualClock
) -> None:
    place = PostgresPlace(Secret("postgresql://gateway:canary-5e1f@db.example/gateway"))
    code, out, err = run("backup", folder, store=place)
    assert (code, "canary" in out + err) == (1, False)
    assert f"--file={folder}/gateway-{clock.now():%Y%m%dT%H%M%SZ}.dump" in out
    code, _, err = run("restore", folder / "x.dump", store=place)
    assert (code, "pg_restore" in err) == (1, True)


def test_the_age_of_a_copy_is_that_of_its_name(run: Run, folder: Path, clock: ManualClock) -> None:
    run("permissions", "grant", "ana", "*")
    oldest = newest = back_up(run, folder)
    for _ in range(2):
        clock.advance(3600)
        oldest.touch()  # as a tool that copies files does
        newest = back_up(run, folder, "--keep", 2)
    assert oldest.name not in names(folder)
    assert newest.name in names(folder)
