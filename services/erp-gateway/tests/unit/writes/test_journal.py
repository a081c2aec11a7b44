"""Rows that the store does not commit in time."""

import asyncio
from datetime import UTC, datetime

import pytest
from structlog.testing import capture_logs
from uncounted_writes import journal_on

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.store.database import Database
from erp_gateway.values.audit_event import Actor, SentFields
from erp_gateway.writes.errors import LedgerUnavailable
from erp_gateway.writes.intent import Intent
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.write import WriteKind
from servicekit.clock import ManualClock

INTENT = Intent(
    write_id="01W",
    at=datetime(2026, 3, 2, 12, tzinfo=UTC),
    kind=WriteKind.CREATE,
    actor=Actor(web_user="ana"),
    resource="Items",
    key=None,
    fields=SentFields(),
    body_fingerprint=b"",
)


@pytest.mark.asyncio
async def test_a_late_required_row_refuses_the_write_and_is_logged(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    journal = journal_on(LedgerStore(database), recorder, clock, required=True, row_timeout_s=0.01)
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    with capture_logs() as logs, pytest.raises(LedgerUnavailable):
        await journal.wait_for_row(never, (INTENT,))
    (line,) = logs
    assert (line["event"], line["write_id"], line["error"]) == ("write_row_failed", "01W", "TimeoutError")
