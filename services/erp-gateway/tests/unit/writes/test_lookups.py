"""Unknown creates whose trace field has another name by the time they are looked up."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from store_beside import beside
from uncounted_writes import ledger_on

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.extensions import load_extensions
from erp_gateway.records.proxy.created_key import ResourceKeys
from erp_gateway.store.database import Database
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor
from erp_gateway.web.upstream_errors import OutcomeUnknown
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.items import WriteFilter, WriteItem
from erp_gateway.writes.lookups import Lookups
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import Trace
from erp_gateway.writes.write import Write, WriteKind, WriteSet
from erpclient import Caller, Credentials, ErpClient, ErpSettings
from erpclient.odata import ListQuery
from erpsim.simulator import run_sim
from servicekit.clock import ManualClock

ORDER = {
    "CardCode": "C00001",
    "DocDueDate": "2026-12-31",
    "DocumentLines": [{"ItemCode": "A/1", "Quantity": 1}],
}
BEFORE, NOW = Trace("U_GW_Clave", (1.0,)), Trace("U_GW_Id", (1.0,))
TEST = Caller("test")


class Desk:
    """Writes whose answers get lost, and their lookups, each with the field that is configured then."""

    def __init__(
        self, database: Database, recorder: AuditRecorder, clock: ManualClock, client: ErpClient
    ) -> None:
        self.store = LedgerStore(database)
        self.recorder, self.clock, self.client = recorder, clock, client

    async def lose(self, trace: Trace, *, arrives: bool) -> None:
        """Create an order whose answer is lost; `arrives`: whether it reaches the ERP."""
        ledger = await ledger_on(self.store, self.recorder, self.clock, trace=trace, required=True)
        write = Write(
            kind=WriteKind.CREATE,
            actor=Actor(web_user="ana"),
            resource="Orders",
            body=json.dumps(ORDER).encode(),
            traceable=True,
        )
        entry = await ledger.open(write)
        assert isinstance(entry, Entry)
        async with entry:
            await entry.wait_for_row()
            if arrives:
                await self.client.create("Orders", entry.body, caller=TEST)
            entry.failed(WriteState.UNKNOWN, OutcomeUnknown())
        with pytest.raises(OutcomeUnknown):
            entry.answer()

    async def look_up(self, trace: Trace) -> WriteItem:
        """Make the only lookup and return the write afterwards."""
        keys = ResourceKeys(load_extensions(()).resources)
        self.clock.advance(1)
        lookups = Lookups(self.client, self.store, self.recorder, self.clock, trace=trace, keys=keys)
        assert await lookups.run_due() == 1
        (record,), _ = await self.store.find_page(WriteFilter(), page=1, page_size=2)
        return record

    async def lose_set(self, *copies: tuple[str, int]) -> list[WriteItem]:
        """Lose a set of a change and creates of these resources, each made so many times; -1 as a draft."""
        ledger = await ledger_on(self.store, self.recorder, self.clock, trace=BEFORE, required=True)
        actor, body = Actor(web_user="ana"), json.dumps(ORDER).encode()
        change = Write(kind=WriteKind.UPDATE, actor=actor, resource="Orders", key="1", body=b"{}")
        creates = [
            Write(kind=WriteKind.CREATE, actor=actor, resource=resource, body=body, traceable=True)
            for resource, _ in copies
        ]
        entry = await ledger.open(WriteSet(writes=(change, *creates), body=b"{}"))
        assert isinstance(entry, Entry)
        async with entry:
            await entry.wait_for_row()
            for (resource, count), sent in zip(copies, entry.bodies[1:], strict=True):
                for _ in range(count):
                    await self.client.create(resource, sent, caller=TEST)
                if count < 0:
                    draft = {**json.loads(sent), "DocObjectCode": "oOrders"}
                    await self.client.create("Drafts", json.dumps(draft).encode(), caller=TEST)
            entry.failed(WriteState.UNKNOWN, OutcomeUnknown())
        self.clock.advance(1)
        keys = ResourceKeys(load_extensions(()).resources)
        lookups = Lookups(self.client, self.store, self.recorder, self.clock, trace=BEFORE, keys=keys)
        await lookups.run_due()
        return list(await self.store.find_group(entry.number))


@asynccontextmanager
async def desk_on(
    database: Database,
    recorder: AuditRecorder,
    clock: ManualClock,
    *fields: str,
) -> AsyncIterator[Desk]:
    async with (
        run_sim() as sim,
        ErpClient(ErpSettings(sim.url), Credentials("SBO_DEMO", "manager", "erpsim")) as client,
    ):
        for field in fields:
            declared = {"Name": field[2:], "TableName": "ORDR", "Type": "db_Alpha", "Size": 32}
            body = json.dumps({**declared, "Description": "x"}).encode()
            await client.create("UserFieldsMD", body, caller=TEST)
        yield Desk(database, recorder, clock, client)


@pytest.mark.asyncio
@pytest.mark.parametrize(("arrives", "state"), [(True, WriteState.DONE), (False, WriteState.NOT_DONE)])
async def test_a_document_is_looked_up_in_the_field_of_its_write(
    database: Database, recorder: AuditRecorder, clock: ManualClock, arrives: bool, state: WriteState
) -> None:
    async with desk_on(database, recorder, clock, BEFORE.field, NOW.field) as desk:
        await desk.lose(BEFORE, arrives=arrives)
        found = await desk.look_up(NOW)
    assert (found.state, found.key is not None) == (state, arrives)


@pytest.mark.asyncio
async def test_a_removed_trace_field_leaves_the_write_unknown(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    async with desk_on(database, recorder, clock, NOW.field) as desk:
        await desk.lose(BEFORE, arrives=False)
        found = await desk.look_up(NOW)
    assert (found.state, found.next_look_at) == (WriteState.UNKNOWN, None)


@pytest.mark.asyncio
@pytest.mark.parametrize(("today", "state"), [(BEFORE, WriteState.DONE), (NOW, WriteState.UNKNOWN)])
async def test_a_row_without_field_name_is_found_but_never_not_done(
    database: Database,
    recorder: AuditRecorder,
    clock: ManualClock,
    store_place: StorePlace,
    today: Trace,
    state: WriteState,
) -> None:
    async with desk_on(database, recorder, clock, BEFORE.field, NOW.field) as desk:
        await desk.lose(BEFORE, arrives=True)
        beside(store_place).ask("UPDATE ledger_write SET trace_field = NULL")
        found = await desk.look_up(today)
    assert (found.state, found.next_look_at) == (state, None)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("copies", "state", "keyed"),
    [
        ((("Orders", 1), ("Quotations", 1)), WriteState.DONE, [True, True, True]),
        ((("Orders", 2), ("Quotations", 1)), WriteState.DONE, [True, False, True]),
        ((("Orders", 0), ("Quotations", 1)), WriteState.DONE, [True, False, True]),
        ((("Orders", 0), ("Quotations", 0)), WriteState.NOT_DONE, [True, False, False]),
        ((("Orders", 2), ("Quotations", 0)), WriteState.UNKNOWN, [True, False, False]),
        ((("Orders", 1),) * 25, WriteState.DONE, [True] * 26),
        ((("Orders", 0),) * 25, WriteState.NOT_DONE, [True] + [False] * 25),
    ],
)
async def test_the_creates_of_a_set_decide_all_of_its_writes(
    database: Database,
    recorder: AuditRecorder,
    clock: ManualClock,
    copies: tuple[tuple[str, int], ...],
    state: WriteState,
    keyed: list[bool],
) -> None:
    async with desk_on(database, recorder, clock, BEFORE.field) as desk:
        found = await desk.lose_set(*copies)
    assert {item.state for item in found} == {state}
    assert [item.key is not None for item in found] == keyed
    assert {item.next_look_at for item in found} == {None}


@pytest.mark.asyncio
async def test_a_draft_leaves_its_change_set_unknown(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    async with desk_on(database, recorder, clock, BEFORE.field) as desk:
        found = await desk.lose_set(("Orders", -1), ("Quotations", 0))
        drafts = await desk.client.list("Drafts", ListQuery(), caller=TEST)
    assert drafts.count == 1
    assert {item.state for item in found} == {WriteState.UNKNOWN}
