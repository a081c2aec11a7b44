"""`audit verify`: what was changed, removed, moved or cut off is told, and nothing else is."""

import argparse
import asyncio
import gzip
import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Literal, TextIO
from zoneinfo import ZoneInfo

import pytest
import structlog
from store_beside import beside

from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.recorder import open_recorder
from erp_gateway.audit.retention import apply_retention
from erp_gateway.audit.store import AuditStore
from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.store.chain_hash import MEMBERS, START, link
from erp_gateway.store.database import open_database
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from servicekit.clock import ManualClock
from servicekit.logs import LogSettings, configure_logging

Run = Callable[..., tuple[int, str, str]]
CUT_TAIL = "the last record is 3, but record 5 was written last: the newest records were removed or changed"
UNCHANGED = "5 records, each follows from the one before it\n"


@pytest.fixture
def run(store_place: StorePlace, clock: ManualClock) -> Run:
    async def fill() -> None:
        async with open_database(store_place) as database:
            for number in range(1, 6):
                event = AuditEvent(
                    action=AuditAction.SL_UPDATE,
                    result=AuditResult.OK,
                    actor=Actor(web_user="ana"),
                    resource="Orders",
                    key=str(number),
                    fields=("Comments",),
                )
                await AuditStore(database).add(event, clock.now() + timedelta(days=number))

    asyncio.run(fill())

    def run_it(*words: str) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser(prog="erp-gateway")
        add_commands(parser.add_subparsers(dest="command", required=True))
        out, err = io.StringIO(), io.StringIO()
        context = CommandContext(
            store=store_place, timezone=ZoneInfo("America/Santiago"), clock=clock, out=out, err=err
        )
        code = run_command(parser.parse_args(words), context)
        return code, out.getvalue(), err.getvalue()

    return run_it


def edit(store_place: StorePlace, *statements: str) -> None:
    for statement in statements:
        beside(store_place).ask(statement)


def head_of(run: Run) -> str:
    return run("audit", "verify")[1].splitlines()[-1].removeprefix("head ")


def test_an_untouched_log_verifies(run: Run) -> None:
    code, out, err = run("audit", "verify")
    assert (code, err) == (0, "")
    assert out.startswith(UNCHANGED + "head 5:")
    assert run("audit", "verify", "--head", head_of(run)) == (code, out, err)


@pytest.mark.parametrize(
    ("statements", "faults"),
    [
        pytest.param(
            ["UPDATE audit_log SET web_user = 'luis' WHERE id = 3"],
            ["record 3: changed, or not the one that was written after record 2"],
            id="an edited row",
        ),
        pytest.param(
            ["UPDATE audit_log SET chain = '' WHERE id = 3"],
            [
                "record 3: changed, or not the one that was written after record 2",
                "record 4: changed, or not the one that was written after record 3",
            ],
            id="an edited chain",
        ),
        pytest.param(["DELETE FROM audit_log WHERE id = 3"], ["record 3: missing"], id="a removed row"),
        pytest.param(
            ["DELETE FROM audit_log WHERE id IN (2, 3)"], ["records 2 to 3: missing"], id="removed rows"
        ),
        pytest.param(["DELETE FROM audit_log WHERE id = 1"], ["record 1: missing"], id="the first row"),
        pytest.param(
            [
                "UPDATE audit_log SET id = 100 WHERE id = 2",
                "UPDATE audit_log SET id = 2 WHERE id = 3",
                "UPDATE audit_log SET id = 3 WHERE id = 100",
            ],
            [
                f"record {number}: changed, or not the one that was written after record {number - 1}"
                for number in (2, 3, 4)
            ],
            id="a reordered pair",
        ),
        pytest.param(
            ["DELETE FROM audit_log WHERE id > 3"],
            [CUT_TAIL],
            id="a cut tail",
        ),
    ],
)
def test_changes_to_the_audit_are_described(
    run: Run, store_place: StorePlace, statements: list[str], faults: list[str]
) -> None:
    edit(store_place, *statements)
    code, out, err = run("audit", "verify")
    assert (code, out.splitlines()) == (1, faults)
    assert err == f"error: the audit log is not as it was written: faults found: {len(faults)}\n"


def test_a_cut_tail_whose_traces_were_removed_too_is_found_by_the_logged_head(
    run: Run, store_place: StorePlace
) -> None:
    head = head_of(run)
    edit(
        store_place,
        "DELETE FROM audit_log WHERE id > 3",
        "UPDATE audit_chain SET id = 3, chain = (SELECT chain FROM audit_log WHERE id = 3) "
        "WHERE place = 'head'",
    )
    if isinstance(store_place, Path):
        edit(store_place, "UPDATE sqlite_sequence SET seq = 3 WHERE name = 'audit_log'")
    assert run("audit", "verify")[0] == 0  # the store alone can't tell
    code, out, _ = run("audit", "verify", "--head", head)
    assert code == 1
    assert out.startswith("record 5: not there, but it was the last one written when the head given was")


def test_a_rebuilt_chain_is_detected_by_a_logged_head(run: Run, store_place: StorePlace) -> None:
    head = head_of(run)
    foreign = beside(store_place)
    foreign.ask("UPDATE audit_log SET web_user = 'luis' WHERE id = 2")
    chain = START
    columns = "id, at, web_user, ip, action, resource, key, result, fields, detail, reason, request_id"
    for row in foreign.ask(f"SELECT {columns} FROM audit_log ORDER BY id"):
        chain = link(chain, *row)
        foreign.ask(f"UPDATE audit_log SET chain = '{chain}' WHERE id = {row[0]}")
    foreign.ask(f"UPDATE audit_chain SET chain = '{chain}' WHERE place = 'head'")
    assert run("audit", "verify")[0] == 0
    code, out, _ = run("audit", "verify", "--head", head)
    assert (code, out) == (
        1,
        "record 5: not the one whose chain was logged: records up to this one were replaced\n",
    )


def test_a_head_that_retention_has_deleted_since_cannot_be_compared(
    run: Run, store_place: StorePlace, clock: ManualClock
) -> None:
    async def cut() -> list[str]:
        async with open_database(store_place) as database:
            heads = [
                step.position.as_text()
                async for step in AuditChain(database).walk()
                if hasattr(step, "position")
            ]
            await AuditChain(database).cut_before(
                clock.now() + timedelta(days=4), now=clock.now() + timedelta(days=9)
            )
            return heads

    heads = asyncio.run(cut())
    assert run("audit", "verify", "--head", heads[2], "--head", heads[3])[0] == 0
    code, out, _ = run("audit", "verify", "--head", heads[0])
    assert code == 1
    assert out.startswith("record 1: deleted since by retention (up to 3)")


def test_at_most_twenty_faults_are_printed(run: Run, store_place: StorePlace, clock: ManualClock) -> None:
    async def fill() -> None:
        async with open_database(store_place) as database:
            event = AuditEvent(action=AuditAction.LOGIN, result=AuditResult.OK, actor=Actor(web_user="ana"))
            await asyncio.gather(*(AuditStore(database).add(event, clock.now()) for _ in range(30)))

    asyncio.run(fill())
    edit(store_place, "UPDATE audit_log SET ip = '10.9.9.9'")
    code, out, err = run("audit", "verify")
    assert (code, len(out.splitlines())) == (1, 20)
    assert "found: 35" in err


def test_a_text_nested_beyond_reading_is_a_fault(run: Run, store_place: StorePlace) -> None:
    edit(store_place, "UPDATE audit_log SET detail = '" + "[" * 990 + "]" * 990 + "' WHERE id = 2")
    code, out, _ = run("audit", "verify")
    assert (code, len(out.splitlines())) == (1, 1)


Form = Literal["json", "console"]


@pytest.fixture(params=["json", "console"])
def log_format(request: pytest.FixtureRequest) -> Form:
    form: Form = request.param
    return form


@pytest.fixture
def log(run: Run, store_place: StorePlace, clock: ManualClock, tmp_path: Path, log_format: Form) -> Path:
    """Return a log with the lines of records 6 to 9, among lines of other things."""
    path = tmp_path / "gateway.log"
    with path.open("w", encoding="utf-8") as stream:
        record_into(store_place, clock, stream, log_format)
    return path


def record_into(store_place: StorePlace, clock: ManualClock, stream: TextIO, form: Form) -> None:
    """Record four events as the service does, with its log in `stream`."""

    async def work() -> None:
        async with (
            open_database(store_place) as database,
            open_recorder(AuditStore(database), clock, interval_s=600) as recorder,
        ):
            clock.advance(5 * 86_400)
            for number in range(4):
                structlog.get_logger("x").warning("request_finished", status=403, user=f"head={number}")
                clock.advance(86_400)
                event = AuditEvent(
                    action=AuditAction.SL_UPDATE,
                    result=AuditResult.OK,
                    actor=Actor(web_user="ana"),
                    key=f"x head={number}",
                )
                await recorder.record(event)

    before = structlog.get_config()
    output = configure_logging(LogSettings(level="ERROR", format=form), stream=stream)
    try:
        asyncio.run(work())
    finally:
        output.close()
        structlog.configure(**before)


def cut_off(store_place: StorePlace, last: int) -> None:
    """Remove the records after `last`, with all traces that the store itself has of them."""
    edit(
        store_place,
        f"DELETE FROM audit_log WHERE id > {last}",
        f"UPDATE audit_chain SET id = {last}, chain = (SELECT chain FROM audit_log WHERE id = {last}) "
        "WHERE place = 'head'",
    )
    if isinstance(store_place, Path):
        edit(store_place, f"UPDATE sqlite_sequence SET seq = {last} WHERE name = 'audit_log'")


def rebuild(store_place: StorePlace) -> None:
    """Number the records anew and chain them, as someone would who may write the store."""
    foreign = beside(store_place)
    chain = START
    columns = "id, at, web_user, ip, action, resource, key, result, fields, detail, reason, request_id"
    number = 0
    for number, row in enumerate(foreign.ask(f"SELECT {columns} FROM audit_log ORDER BY id"), 1):
        chain = link(chain, number, *row[1:])
        foreign.ask(f"UPDATE audit_log SET id = {number}, chain = '{chain}' WHERE id = {row[0]}")
    foreign.ask(f"UPDATE audit_chain SET id = {number}, chain = '{chain}' WHERE place = 'head'")


def test_records_that_are_as_the_log_has_them_are_counted(run: Run, log: Path) -> None:
    code, out, err = run("audit", "verify", "--log", str(log))
    assert code == 0
    assert out.startswith("9 records, each follows from the one before it\nhead 9:")
    assert err == "log: it has 4 of the 9 records\n"


def test_records_cut_off_after_the_last_head_are_found_by_the_lines_of_the_log(
    run: Run, store_place: StorePlace, log: Path
) -> None:
    cut_off(store_place, 7)
    assert run("audit", "verify")[0] == 0  # the store alone can't tell
    code, out, _ = run("audit", "verify", "--log", str(log))
    assert (code, out) == (
        1,
        "records 8 to 9: not there, but the log has 2 of them: the newest records were removed\n",
    )


def test_records_written_in_the_place_of_those_cut_off_are_found(
    run: Run, store_place: StorePlace, clock: ManualClock, log: Path
) -> None:
    cut_off(store_place, 7)
    record_into(store_place, clock, io.StringIO(), "json")
    if isinstance(store_place, Path):
        assert run("audit", "verify")[0] == 0
    else:  # PostgreSQL's own count of the numbers can't be turned back
        rebuild(store_place)
    code, out, _ = run("audit", "verify", "--log", str(log))
    assert (code, out.splitlines()) == (
        1,
        [
            f"record {number}: not the one that the log has: it, or one before it, was replaced"
            for number in (8, 9)
        ],
    )


@pytest.mark.parametrize("removed", [1, 6, 8])
def test_a_record_removed_from_the_middle_is_found_although_the_chain_was_rebuilt(
    run: Run, store_place: StorePlace, log: Path, removed: int
) -> None:
    edit(store_place, f"DELETE FROM audit_log WHERE id = {removed}")
    rebuild(store_place)
    code, out, _ = run("audit", "verify", "--log", str(log))
    assert code == 1
    assert "record 8: not the one that the log has" in out
    assert "records 9 to 9: not there, but the log has 1 of them" in out


def test_logged_retention_is_not_a_fault(
    run: Run, store_place: StorePlace, clock: ManualClock, log: Path, log_format: Form
) -> None:
    async def retention() -> None:
        async with open_database(store_place) as database:
            await apply_retention(AuditChain(database), clock, keep_days=1)

    before = structlog.get_config()
    with log.open("a", encoding="utf-8") as stream:
        output = configure_logging(LogSettings(level="ERROR", format=log_format), stream=stream)
        try:
            asyncio.run(retention())
        finally:
            output.close()
            structlog.configure(**before)
    code, out, err = run("audit", "verify", "--log", str(log))
    assert (code, out.splitlines()[0]) == (0, "2 records, each follows from the one before it")
    assert err.splitlines() == [
        "log: it has 2 of the 2 records",
        "log: 1 older records were deleted since, so they can't be compared",
    ]
    lines = [line for line in log.read_text(encoding="utf-8").splitlines() if "records_deleted" not in line]
    log.write_text("\n".join(lines), encoding="utf-8")
    code, out, _ = run("audit", "verify", "--log", str(log))
    assert code == 1
    assert out.startswith("records up to 7: deleted, but the log has no line audit_records_deleted")


def test_several_logs_are_read_in_any_order_also_compressed_ones(
    run: Run, store_place: StorePlace, log: Path, tmp_path: Path
) -> None:
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    newer, older = tmp_path / "gateway.log.new", tmp_path / "gateway.log.1.gz"
    newer.write_text("".join(lines[4:]), encoding="utf-8")
    older.write_bytes(gzip.compress("".join(lines[:4]).encode()))
    dropped = tmp_path / "other.log"
    dropped.write_text('noise\n{"event":"log_lines_dropped","audit":3,"other":1}\n\xff', encoding="latin-1")
    code, _, err = run("audit", "verify", "--log", str(newer), str(older), "--log", str(dropped))
    assert (code, err.splitlines()) == (
        0,
        [
            "log: it has 4 of the 9 records",
            "log: 3 lines of the audit were dropped when they were written",
        ],
    )
    cut_off(store_place, 7)
    assert run("audit", "verify", "--log", str(older))[0] == 0  # it ends before
    assert run("audit", "verify", "--log", str(older), "--log", str(newer))[0] == 1


def test_a_log_without_a_head_is_refused(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "other.log"
    for content in (b"", b"AUDIT\n", b'{"event":"AUDIT","action":"login"}\n', b"\x1f\x8bno gzip"):
        path.write_bytes(content)
        code, out, err = run("audit", "verify", "--log", str(path))
        assert (code, out) == (1, ""), content
        assert str(path) in err
    code, _, err = run("audit", "verify", "--log", str(tmp_path / "absent.log"))
    assert (code, "absent.log" in err) == (1, True)


@pytest.mark.parametrize("text", ["5", "5:abc", "x:" + "0" * 64, "5:" + "0" * 65])
def test_an_invalid_head_is_refused(run: Run, capsys: pytest.CaptureFixture[str], text: str) -> None:
    with pytest.raises(SystemExit) as caught:
        run("audit", "verify", "--head", text)
    assert caught.value.code == 2
    assert "is no head" in capsys.readouterr().err


def test_an_export_carries_the_chain_and_can_be_verified_by_itself(run: Run) -> None:
    chain = START
    for line in run("audit", "export")[1].splitlines():
        record = json.loads(line)
        row = [record[name] for name in MEMBERS]
        row[MEMBERS.index("fields")] = json.dumps(record["fields"])
        row[MEMBERS.index("detail")] = json.dumps(record["detail"])
        chain = link(chain, *row)
        assert record["chain"] == chain
    assert head_of(run) == f"5:{chain}"


def test_an_export_of_one_document_is_its_history(run: Run) -> None:
    exported = run("audit", "export", "--recurso", "Orders", "--clave", "4")
    assert [json.loads(line)["id"] for line in exported[1].splitlines()] == [4]
    refused = run("audit", "export", "--clave", "4")
    assert (refused[0], refused[1]) == (1, "")
    assert "clave" in refused[2]
