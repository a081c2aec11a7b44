"""`audit verify`: what was changed, removed, moved or cut off is told, and nothing else is."""

import argparse
import asyncio
import io
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from store_beside import beside

from erp_gateway.audit.chain import AuditChain
from erp_gateway.audit.store import AuditStore
from erp_gateway.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands, run_command
from erp_gateway.storage.audit_chain import MEMBERS, START, link
from erp_gateway.storage.database import open_database
from erp_gateway.storage.places import StorePlace
from servicekit.clock import ManualClock

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


def test_a_log_that_nobody_touched_is_as_it_was_written(run: Run) -> None:
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
def test_what_was_done_to_the_log_is_told(
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


def test_a_log_written_anew_is_found_by_the_logged_head(run: Run, store_place: StorePlace) -> None:
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
            heads = [step.end.as_text() async for step in AuditChain(database).walk() if hasattr(step, "end")]
            await AuditChain(database).cut_before(
                clock.now() + timedelta(days=4), now=clock.now() + timedelta(days=9)
            )
            return heads

    heads = asyncio.run(cut())
    assert run("audit", "verify", "--head", heads[2], "--head", heads[3])[0] == 0
    code, out, _ = run("audit", "verify", "--head", heads[0])
    assert code == 1
    assert out.startswith("record 1: deleted since by retention (up to 3)")


def test_no_more_than_twenty_faults_are_told(run: Run, store_place: StorePlace, clock: ManualClock) -> None:
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


@pytest.mark.parametrize("text", ["5", "5:abc", "x:" + "0" * 64, "5:" + "0" * 65])
def test_a_head_that_is_none_is_refused(run: Run, capsys: pytest.CaptureFixture[str], text: str) -> None:
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
