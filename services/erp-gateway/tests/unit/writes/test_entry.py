"""A write whose outcome was not set inside its block."""

import pytest
from uncounted_writes import ledger_on

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import Actor
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.items import WriteFilter
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.write import Write, WriteKind
from servicekit.clock import ManualClock
from servicekit.errors import InternalError


@pytest.mark.asyncio
async def test_a_write_without_an_outcome_is_unknown(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    ledger = await ledger_on(LedgerStore(database), recorder, clock)
    entry = await ledger.open(
        Write(kind=WriteKind.CREATE, actor=Actor(web_user="ana"), resource="Orders", body=b"{}")
    )
    assert isinstance(entry, Entry)
    async with entry:
        await entry.wait_for_row()
    with pytest.raises(InternalError):
        entry.answer()
    (record,), _ = await LedgerStore(database).find_page(WriteFilter(), page=1, page_size=50)
    assert (record.state, record.reason) == (WriteState.UNKNOWN, "internal_error")
