"""The commands: alone and beside a running service, refusing clearly, leaking nothing."""

import argparse
import asyncio
import csv
import io
import json
import os
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from store_beside import beside
from store_insides import SQLITE_ONLY

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.people.user_activity import save_sign_in
from erp_gateway.store.database import hold_process_lock, open_database
from erp_gateway.store.migrations import load_migrations
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from servicekit.clock import ManualClock
from servicekit.tasks import every


class Outcome:
    """Result of a command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


Run = Callable[..., Outcome]


@pytest.fixture
def run(store_place: StorePlace, clock: ManualClock) -> Run:
    def run_it(*words: str) -> Outcome:
        parser = argparse.ArgumentParser(prog="erp-gateway")
        add_commands(parser.add_subparsers(dest="command", required=True))
        out, err = io.StringIO(), io.StringIO()
        context = CommandContext(
            store=store_place, timezone=ZoneInfo("America/Santiago"), clock=clock, out=out, err=err
        )
        code = run_command(parser.parse_args(words), context)
        return Outcome(code, out.getvalue(), err.getvalue())

    return run_it


def fill_audit(store_place: StorePlace, clock: ManualClock) -> None:
    async def fill() -> None:
        async with open_database(store_place) as database:
            store = AuditStore(database)
            for user, resource in (("ana", "Orders"), ('=HYPERLINK("http://x";=1)', "Items"), (None, None)):
                event = AuditEvent(
                    action=AuditAction.SL_CREATE,
                    result=AuditResult.OK,
                    actor=Actor(web_user=user, ip="10.0.0.7", request_id="01J"),
                    resource=resource,
                    key="A/1, ñ",
                    fields=("ItemName", "ItemPrices[].Price"),
                    detail=AuditDetail(rows=2),
                )
                await store.add(event, clock.now())
                clock.advance(86_400)

    asyncio.run(fill())


def test_grant_revoke_and_list(run: Run) -> None:
    assert run("permissions", "grant", "ana", "*", "/ventas/*").out == (
        "ana\t* /ventas/*\t2026-03-02T14:05:09.120Z\tcli\n"
    )
    assert run("permissions", "grant", "bea", "/x").code == 0
    assert run("permissions", "revoke", "ana", "/ventas/*").out.startswith("ana\t*\t")
    assert run("permissions", "revoke", "bea", "/x").out.startswith("bea\t(none)\t")

    listed = run("permissions", "list")
    assert [line.split("\t")[:2] for line in listed.out.splitlines()] == [["ana", "*"], ["bea", "(none)"]]
    as_json = run("permissions", "list", "--json").out.splitlines()
    assert json.loads(as_json[0]) == {
        "webUser": "ana",
        "paths": ["*"],
        "updatedAt": "2026-03-02T14:05:09.120Z",
        "updatedBy": "cli",
    }


def test_a_whole_entry_can_be_removed(run: Run) -> None:
    run("permissions", "grant", "ana", "/x")
    assert run("permissions", "revoke", "ana", "--all").out == "ana\t(no entry)\n"
    assert run("permissions", "list").out == ""


@pytest.mark.parametrize("words", [("--all",), ("*",)])
def test_the_last_administrator_stays(run: Run, words: tuple[str, ...]) -> None:
    run("permissions", "grant", "ana", "*")
    refused = run("permissions", "revoke", "ana", *words)
    assert refused.code == 1
    assert "last administrator" in refused.err
    assert run("permissions", "list").out.startswith("ana\t*\t")


def test_an_administrator_who_never_signed_in_does_not_replace_one_who_did(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    async def sign_in(user: str) -> None:
        async with open_database(store_place) as database:
            await database.write(lambda statements: save_sign_in(statements, user, clock.now()))

    for user in ("ana", "nadie", "ana "):
        run("permissions", "grant", user, "*")
    asyncio.run(sign_in("ana"))
    for words in (("ana", "*"), ("ana", "--all")):
        refused = run("permissions", "revoke", *words)
        assert (refused.code, "last administrator who can sign in" in refused.err) == (1, True)
    assert run("permissions", "revoke", "ana ", "--all").code == 0
    asyncio.run(sign_in("nadie"))
    assert run("permissions", "revoke", "ana", "--all").code == 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("grant", "ana", "/x*"), "'/x*' is no route pattern"),
        (("grant", " ", "/x"), "name is empty"),
        (("grant", "Cli", "/x"), "Cli is a name of the service itself"),
        (("revoke", "ana", "nonsense"), "'nonsense' is no route pattern"),
        (("revoke", "nobody", "/x"), "nobody has no permissions entry"),
        (("revoke", "nobody", "--all"), "nobody has no permissions entry"),
    ],
)
def test_a_refusal_says_why(run: Run, words: tuple[str, ...], text: str) -> None:
    run("permissions", "grant", "somebody", "/x")
    refused = run("permissions", *words)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("error: ")
    assert text in refused.err


def test_too_many_patterns_are_refused(run: Run) -> None:
    run("permissions", "grant", "ana", *(f"/x{number}" for number in range(500)))
    refused = run("permissions", "grant", "ana", "/one/more")
    assert refused.code == 1
    assert "too many" in refused.err


@pytest.mark.parametrize(
    "words",
    [
        ("permissions",),
        ("permissions", "revoke", "ana"),
        ("permissions", "grant", "ana"),
        ("backup",),
        ("audit",),
    ],
)
def test_a_command_that_is_not_complete_is_not_run(
    run: Run, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        run(*words)
    assert caught.value.code == 2


def test_changes_are_recorded_as_cli(run: Run, store_place: StorePlace) -> None:
    run("permissions", "grant", "ana", "*")
    run("permissions", "revoke", "ana", "--all")
    assert beside(store_place).ask(
        "SELECT web_user, action, key, result, reason FROM audit_log ORDER BY id"
    ) == [
        ("cli", "permissions_replace", "ana", "ok", None),
        ("cli", "permissions_remove", "ana", "denied", "last_administrator"),
    ]


@SQLITE_ONLY
@pytest.mark.parametrize(
    "words",
    [
        ("permissions", "list"),
        ("permissions", "revoke", "ana", "--all"),
        ("audit", "export"),
        ("backup", "copy"),
    ],
)
def test_listing_without_a_store_creates_none(run: Run, store_path: Path, words: tuple[str, ...]) -> None:
    refused = run(*words)
    assert refused.code == 1
    assert "there is no store" in refused.err
    assert not store_path.exists()


@SQLITE_ONLY
def test_an_older_store_is_not_upgraded_while_it_is_served(run: Run, store_path: Path) -> None:
    run("permissions", "grant", "ana", "*")
    connection = sqlite3.connect(store_path)
    connection.execute(f"PRAGMA user_version = {len(load_migrations()) - 1}")
    connection.close()
    with hold_process_lock(store_path):
        refused = run("permissions", "list")
    assert refused.code == 1
    assert "restart the service" in refused.err


@SQLITE_ONLY
def test_a_store_that_can_not_be_written_is_reported(run: Run, store_path: Path) -> None:
    run("permissions", "grant", "ana", "/x")
    connection = sqlite3.connect(store_path)
    connection.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON menu_permission BEGIN SELECT RAISE(ABORT, 'refused'); END"
    )
    connection.close()
    refused = run("permissions", "grant", "ana", "/y")
    assert refused.code == 1
    assert "refused" in refused.err


@pytest.mark.asyncio
async def test_a_running_service_knows_within_a_second(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    with hold_process_lock(store_place):
        async with open_database(store_place) as database:
            service = PermissionService(database, AuditRecorder(AuditStore(database), clock), clock)
            await service.reload()
            async with every(0.5, "permissions_reload", service.reload_if_changed):
                await asyncio.sleep(0.01)
                done = await asyncio.to_thread(run, "permissions", "grant", "ana", "/x")
                started = time.monotonic()
                while not service.allows("ana", "/x"):
                    assert time.monotonic() - started < 10
                    await asyncio.sleep(0.01)
    assert done.code == 0


def test_the_audit_log_is_exported_as_json_lines(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    fill_audit(store_place, clock)
    exported = run("audit", "export")
    records = [json.loads(line) for line in exported.out.splitlines()]
    assert records[0] == {
        "id": 1,
        "at": "2026-03-02T14:05:09.120Z",
        "webUser": "ana",
        "ip": "10.0.0.7",
        "action": "sl_create",
        "resource": "Orders",
        "key": "A/1, ñ",
        "result": "ok",
        "fields": ["ItemName", "ItemPrices[].Price"],
        "detail": {"rows": 2},
        "reason": None,
        "requestId": "01J",
        "chain": records[0]["chain"],
    }
    assert [len(record["chain"]) for record in records] == [64, 64, 64]
    assert [record["id"] for record in records] == [1, 2, 3]
    assert exported.err == "3 records\n"


def test_the_audit_log_is_exported_as_csv_that_no_spreadsheet_runs(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    fill_audit(store_place, clock)
    rows = list(csv.DictReader(io.StringIO(run("audit", "export", "--format", "csv").out)))
    assert [row["webUser"] for row in rows] == ["ana", "'=HYPERLINK(\"http://x\";'=1)", ""]
    assert rows[0]["fields"] == "ItemName ItemPrices[].Price"
    assert (rows[0]["key"], rows[0]["detail"], rows[0]["reason"]) == ("A/1, ñ", '{"rows": 2}', "")


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (("--usuario", "ana"), [1]),
        (("--recurso", "Items"), [2]),
        (("--accion", "login"), []),
        (("--desde", "2026-03-03", "--hasta", "2026-03-03"), [2]),
    ],
)
def test_an_export_can_be_narrowed(
    run: Run, store_place: StorePlace, clock: ManualClock, words: tuple[str, ...], ids: list[int]
) -> None:
    fill_audit(store_place, clock)
    exported = run("audit", "export", *words)
    assert [json.loads(line)["id"] for line in exported.out.splitlines()] == ids


def test_an_invalid_filter_is_refused(run: Run, store_place: StorePlace, clock: ManualClock) -> None:
    fill_audit(store_place, clock)
    refused = run("audit", "export", "--desde", "yesterday", "--resultado", "maybe")
    assert (refused.code, refused.out) == (1, "")
    assert "desde" in refused.err
    assert "resultado" in refused.err


def test_an_export_goes_to_a_new_private_file(
    run: Run, store_place: StorePlace, clock: ManualClock, tmp_path: Path
) -> None:
    fill_audit(store_place, clock)
    target = tmp_path / "audit.csv"
    assert run("audit", "export", "--format", "csv", "--output", str(target)).out == ""
    assert len(target.read_text(encoding="utf-8").splitlines()) == 4
    assert stat.S_IMODE(target.stat().st_mode) == 0o600

    refused = run("audit", "export", "--output", str(target))
    assert refused.code == 1
    assert "cannot write" in refused.err


@SQLITE_ONLY
def test_a_backup_says_how_large_it_is(run: Run, tmp_path: Path) -> None:
    run("permissions", "grant", "ana", "*")
    target = tmp_path / "copy.sqlite"
    assert run("backup", str(target)).out == f"{target}: {target.stat().st_size} bytes\n"
    assert beside(target).ask("SELECT web_user FROM menu_permission") == [("ana",)]
    refused = run("backup", str(target))
    assert refused.code == 1
    assert "exists already" in refused.err


def test_a_reader_that_has_seen_enough_ends_the_export_quietly(store_path: Path, clock: ManualClock) -> None:
    async def fill_much() -> None:
        async with open_database(store_path) as database:
            store = AuditStore(database)
            event = AuditEvent(
                action=AuditAction.LOGIN, result=AuditResult.OK, actor=Actor(web_user="ana"), key="x" * 200
            )
            await asyncio.gather(*(store.add(event, clock.now()) for _ in range(1500)))

    asyncio.run(fill_much())
    script = """
import argparse, sys
from pathlib import Path
from zoneinfo import ZoneInfo
from servicekit.clock import SystemClock
from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands, run_command
parser = argparse.ArgumentParser()
add_commands(parser.add_subparsers())
context = CommandContext(store=Path(sys.argv[1]), timezone=ZoneInfo("UTC"), clock=SystemClock(),
                         out=sys.stdout, err=sys.stderr)
sys.exit(run_command(parser.parse_args(["audit", "export"]), context))
"""
    reader, writer = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-c", script, store_path], stdout=writer, stderr=subprocess.PIPE, text=True
    )
    os.close(writer)
    assert os.read(reader, 100).startswith(b'{"id": 1')
    os.close(reader)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (1, "")
