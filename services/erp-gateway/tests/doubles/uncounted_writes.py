"""Ledgers whose writes nobody counts."""

from datetime import timedelta

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.service import Ledger
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.writes import Trace
from servicekit.clock import Clock


class Uncounted:
    """Counts for nobody."""

    def write_ended(self, state: WriteState) -> None:
        """Count a write."""

    def write_without_row(self) -> None:
        """Count a write without a row."""


async def ledger_on(
    store: LedgerStore,
    recorder: AuditRecorder,
    clock: Clock,
    *,
    keep: timedelta = timedelta(hours=1),
    trace: Trace | None = None,
    required: bool = False,
) -> Ledger:
    """Return a ledger, as a process makes it at its start."""
    secret = await store.open_secret()
    return Ledger(
        store, recorder, secret, clock, keep=keep, trace=trace, required=required, observer=Uncounted()
    )
