"""Ledgers and journals whose writes are not counted."""

from datetime import timedelta

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.writes.first_requests import FirstRequests
from erp_gateway.writes.journal import ROW_TIMEOUT_S, WriteJournal
from erp_gateway.writes.ledger import Ledger
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.secret import StoreSecret
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import Trace
from servicekit.clock import Clock


class Uncounted:
    """Observer that counts nothing."""

    def write_ended(self, state: WriteState) -> None:
        """Count a write."""

    def write_without_row(self) -> None:
        """Count a write without a row."""


def journal_on(
    store: LedgerStore,
    recorder: AuditRecorder,
    clock: Clock,
    *,
    trace: Trace | None = None,
    required: bool = False,
    row_timeout_s: float = ROW_TIMEOUT_S,
) -> WriteJournal:
    """Return the journal of a ledger."""
    return WriteJournal(
        store,
        recorder,
        clock,
        trace=trace,
        required=required,
        observer=Uncounted(),
        row_timeout_s=row_timeout_s,
    )


async def ledger_on(
    store: LedgerStore,
    recorder: AuditRecorder,
    clock: Clock,
    *,
    keep: timedelta = timedelta(hours=1),
    trace: Trace | None = None,
    required: bool = False,
    secret: StoreSecret | None = None,
) -> Ledger:
    """Return a ledger as a process constructs it at its start."""
    return Ledger(
        store,
        journal_on(store, recorder, clock, trace=trace, required=required),
        FirstRequests(store),
        secret or await store.open_secret(),
        clock,
        keep=keep,
        trace_field=None if trace is None else trace.field,
    )
