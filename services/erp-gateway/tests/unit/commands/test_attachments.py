"""`attachments bind`, against the simulated ERP."""

import argparse
import asyncio
import io
import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio

from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.commands.attachments import bind
from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.parser import add_commands
from erp_gateway.settings.root import load_settings
from erp_gateway.store.database import open_database
from erp_gateway.values.audit_event import AuditAction
from erpclient import Caller, Credentials, ErpClient, ErpSettings, FilePart, StreamedBody
from erpclient.odata import RecordQuery
from erpsim.faults import Drop, Fault, Refuse, When
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock

ANA = Caller("ana")


async def one_piece(content: bytes) -> AsyncIterator[bytes]:
    yield content


class Installation:
    """An ERP with a stored file that no record refers to, and the command."""

    def __init__(self, sim: Simulator, client: ErpClient, store: Path, clock: ManualClock) -> None:
        self.sim = sim
        self.client = client
        self.store = store
        self.clock = clock

    async def store_file(self, name: str) -> int:
        part = FilePart(name, StreamedBody(4, lambda: one_piece(b"%PDF")))
        stored = await self.client.upload([part], entry=None, caller=ANA)
        return int(json.loads(stored.body)["AbsoluteEntry"])

    async def entry_of(self, resource: str, predicate: str) -> Any:
        query = RecordQuery(select=("AttachmentEntry",))
        record = await self.client.get(resource, predicate, query, caller=ANA)
        return json.loads(record.body)["AttachmentEntry"]

    async def bind(self, *words: str) -> tuple[int, str, str]:
        settings = load_settings(
            {
                "CONFIG_FILE": os.devnull,
                "ENVIRONMENT": "test",
                "ERP_SL_URL": self.sim.url,
                "ERP_SL_COMPANY_DB": "SBO_DEMO",
                "ERP_SL_USER": "manager",
                "ERP_SL_PASSWORD": "erpsim",
                "SQLITE_PATH": str(self.store),
            }
        )
        parser = argparse.ArgumentParser(prog="erp-gateway")
        add_commands(parser.add_subparsers(dest="command", required=True))
        parsed = parser.parse_args(["attachments", "bind", *words])
        out, err = io.StringIO(), io.StringIO()
        context = CommandContext(
            store=self.store, timezone=ZoneInfo("UTC"), clock=self.clock, out=out, err=err
        )
        code = await asyncio.to_thread(bind, parsed, settings, context)
        return code, out.getvalue(), err.getvalue()

    async def audited(self) -> list[tuple[Any, ...]]:
        async with open_database(self.store, may_create=False) as database:
            found = await AuditStore(database).find(
                AuditFilter(action=AuditAction.SL_ATTACH), page=1, page_size=9
            )
        return [(each.web_user, each.resource, each.key, each.result, each.fields) for each in found.entries]


@pytest_asyncio.fixture
async def installed(store_path: Path, clock: ManualClock) -> AsyncIterator[Installation]:
    async with run_sim() as sim, open_database(store_path):
        settings = ErpSettings(url=sim.url)
        async with ErpClient(settings, Credentials("SBO_DEMO", "manager", "erpsim")) as client:
            yield Installation(sim, client, store_path, clock)


@pytest.mark.asyncio
async def test_lost_files_are_bound_and_that_is_audited(installed: Installation) -> None:
    entry = await installed.store_file("a.pdf")
    done = await installed.bind("Orders", "1", str(entry))
    assert done == (0, f"Orders\t1\tbound to {entry}\n", "")
    assert await installed.entry_of("Orders", "(1)") == entry
    assert await installed.audited() == [("cli", "Orders", "1", "ok", ("AttachmentEntry",))]

    again = await installed.bind("Orders", "1", str(entry))
    assert again == (1, "", f"error: Orders 1 has the files of entry {entry}\n")


@pytest.mark.asyncio
async def test_an_entry_that_another_record_uses_is_refused(installed: Installation) -> None:
    entry = await installed.store_file("a.pdf")
    body = json.dumps({"AttachmentEntry": entry}).encode()
    await installed.client.modify("PurchaseOrders", "(1)", body, caller=ANA)
    refused = await installed.bind("Orders", "1", str(entry))
    assert refused == (1, "", f"error: a record of PurchaseOrders has the files of entry {entry}\n")
    assert await installed.entry_of("Orders", "(1)") is None
    assert await installed.audited() == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("Orders", "1", "77"), "the ERP has no files with the entry 77"),
        (("JournalEntries", "1", "1"), "JournalEntries is no registered resource with attachments"),
        (("EmployeesInfo", "1", "1"), "EmployeesInfo is no registered resource with attachments"),
        (("Orders", "x", "1"), "Orders has no such key: x"),
    ],
)
async def test_an_invalid_binding_is_refused(
    installed: Installation, words: tuple[str, ...], error: str
) -> None:
    assert await installed.bind(*words) == (1, "", f"error: {error}\n")
    assert await installed.audited() == []


@pytest.mark.asyncio
async def test_how_the_erp_fails_is_printed_and_audited(installed: Installation) -> None:
    entry = await installed.store_file("a.pdf")
    refusal = Refuse(status=400, code=-10, text="Document is closed")
    installed.sim.faults.add(Fault(action=refusal, method="PATCH", path="Orders(1)"))
    code, _, err = await installed.bind("Orders", "1", str(entry))
    assert (code, err.startswith("error: the ERP changed nothing")) == (1, True)
    installed.sim.faults.add(Fault(action=Drop(when=When.AFTER_WORK), method="PATCH", path="Orders(1)"))
    code, _, err = await installed.bind("Orders", "1", str(entry))
    assert (code, err.startswith("error: the ERP may have changed the record")) == (1, True)
    assert [each[3] for each in await installed.audited()] == ["unknown", "error"]


@pytest.mark.parametrize("entry", ["0", "-1", "x", "1.0", "99999999999"])
def test_an_entry_is_a_number(entry: str) -> None:
    parser = argparse.ArgumentParser(prog="erp-gateway", exit_on_error=False)
    add_commands(parser.add_subparsers(dest="command", required=True))
    with pytest.raises(SystemExit):
        parser.parse_args(["attachments", "bind", "Orders", "1", entry])
