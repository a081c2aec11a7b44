"""What is told of a write that a process before this one may still have under way: the same everywhere."""

from datetime import timedelta
from typing import TYPE_CHECKING, cast

import pytest
from uncounted_writes import Uncounted, ledger_on

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.settings.ledger import LedgerRules
from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import Actor
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.errors import FirstOutcomeUnknown
from erp_gateway.writes.items import WriteFilter, WriteItem
from erp_gateway.writes.ledger import Ledger
from erp_gateway.writes.lookups import RecordKeys
from erp_gateway.writes.opening import open_ledger
from erp_gateway.writes.resolution import WriteResolution
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import Trace
from erp_gateway.writes.write import Write, WriteKind
from servicekit.clock import ManualClock
from servicekit.errors import ServiceError

if TYPE_CHECKING:
    from erpclient import ErpClient

ANA = Actor(web_user="ana")
SPARE = timedelta(seconds=120)
TRACE = Trace("U_GW_Clave", (30.0, 60.0))


def spare(_: int) -> timedelta:
    """Return how long writes may take in an earlier process."""
    return SPARE


class AnyKeys:
    """Knows nothing of keys."""

    def check(self, resource: str, key: str) -> None:
        """Refuse none."""


class Desk:
    """One process after the other on a store, and what people are told."""

    def __init__(
        self, database: Database, recorder: AuditRecorder, clock: ManualClock, trace: Trace | None
    ) -> None:
        self._store = LedgerStore(database)
        self._recorder, self._clock, self._trace = recorder, clock, trace
        self._settling = WriteResolution(self._store, recorder, lambda resource, key: None, clock)

    async def process(self) -> Ledger:
        return await ledger_on(self._store, self._recorder, self._clock, trace=self._trace)

    async def ask(self, ledger: Ledger) -> FirstOutcomeUnknown | None:
        """Ask for the write, in a process that is gone before it ends; return what the repeat is told."""
        write = Write(
            kind=WriteKind.CREATE,
            actor=ANA,
            resource="Orders",
            body=b"{}",
            traceable=True,
            idempotency_key="k",
        )
        try:
            entry = await ledger.open(write)
        except FirstOutcomeUnknown as told:
            return told
        assert isinstance(entry, Entry)
        await entry.wait_for_row()
        return None

    async def record(self) -> WriteItem:
        (record,), _ = await self._store.find_page(WriteFilter(), page=1, page_size=2)
        return record

    async def resolve(self) -> str | None:
        """Say that it was done; return the code of the refusal."""
        try:
            await self._settling.resolve(await self.record(), WriteState.DONE, "7", ANA)
        except ServiceError as refusal:
            return refusal.code
        return None


@pytest.mark.asyncio
@pytest.mark.parametrize("trace", [None, TRACE])
async def test_a_new_process_reports_open_writes_as_pending_and_then_unknown(
    database: Database, recorder: AuditRecorder, clock: ManualClock, trace: Trace | None
) -> None:
    desk = Desk(database, recorder, clock, trace)
    assert await desk.ask(await desk.process()) is None
    later = await desk.process()
    assert await later.close_open(spare) == 1

    open_still = await desk.ask(later)
    assert open_still is not None
    told = open_still.body("r")
    record = await desk.record()
    assert (told["nextStep"], told["write"]["result"], record.state.value) == ("wait", "open", "open")
    assert "espere" in told["message"].lower()
    assert "registre" not in told["message"]
    assert await desk.resolve() == "write_still_open"
    assert (await desk.record()).state is WriteState.OPEN

    clock.advance(SPARE.total_seconds())
    assert await later.close_open(spare) == 0
    unknown = await desk.ask(later)
    assert unknown is not None
    told = unknown.body("r")
    record = await desk.record()
    assert (told["write"]["result"], told.get("nextLookAt")) == (record.state.value, record.next_look_at)
    assert told["nextStep"] == ("look" if trace is None else "wait")
    assert ("registre" in told["message"]) is (trace is None)
    assert await desk.resolve() is None
    assert await desk.resolve() == "write_not_unknown"


@pytest.mark.asyncio
async def test_a_write_without_lookups_asks_the_user_to_check(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    before = Desk(database, recorder, clock, TRACE)
    await before.ask(await before.process())
    await (await before.process()).close_open()
    assert (await before.record()).next_look_at is not None

    rules = LedgerRules(required=False, idempotency_hours=1, trace_field=None, trace_lookups_s=(30.0,))
    async with open_ledger(
        database,
        recorder,
        clock,
        rules=rules,
        keep_days=None,
        client=cast("ErpClient", None),
        keys=cast("RecordKeys", AnyKeys()),
        observer=Uncounted(),
    ):
        now = Desk(database, recorder, clock, None)
        unknown = await now.ask(await now.process())
        assert unknown is not None
        told = unknown.body("r")
        assert (told["nextStep"], told.get("nextLookAt")) == ("look", None)
        assert (await now.record()).next_look_at is None
