"""Commits the rows of writes before they are sent, and their outcomes with the audit record."""

import asyncio
from datetime import timedelta
from typing import Any, Final, Protocol, TypeVar

import structlog
from attrs import define, evolve, field

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.writes.errors import LedgerUnavailable
from erp_gateway.writes.intent import Claim, Intent
from erp_gateway.writes.outcome import WriteOutcome
from erp_gateway.writes.rules import ExistingKey, WriteState
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import Trace
from servicekit.clock import Clock

T = TypeVar("T")

ROW_TIMEOUT_S: Final = 1.0
"""How long a write whose turn has come waits for its row."""

_log = structlog.get_logger(__name__)


class LedgerObserver(Protocol):
    """Counts for the metrics page."""

    def write_ended(self, state: WriteState) -> None:
        """Count a write by the state that it ended in."""
        ...

    def write_without_row(self) -> None:
        """Count a write whose row could not be committed in time, whether it was refused or sent anyway."""
        ...


@define(eq=False, repr=False)
class WriteJournal:
    """Commits the rows of writes and their outcomes.

    Args:
        store: the rows.
        recorder: the audit; it commits an outcome together with its record.
        clock: time.
        trace: when to look up unknown creates; None where no field carries the number.
        required: whether a write without a row is refused. If not, it is sent anyway, unless it has an
            idempotency key.
        observer: counts.
        row_timeout_s: how long a write waits for its row.
    """

    _store: LedgerStore
    _recorder: AuditRecorder
    _clock: Clock
    _trace: Trace | None = field(default=None, kw_only=True)
    _required: bool = field(kw_only=True)
    _observer: LedgerObserver = field(kw_only=True)
    _row_timeout_s: float = field(default=ROW_TIMEOUT_S, kw_only=True)

    def begin(self, intent: Intent) -> "asyncio.Future[None]":
        """Queue the row of a write; the future is done once the row is committed."""
        return _observed(self._store.begin(intent))

    async def claim(self, intent: Intent, claim: Claim) -> ExistingKey | None:
        """Commit the row of a write with its idempotency key; return the earlier write of the key, if any.

        Raises:
            LedgerUnavailable: the row could not be committed; nothing may be sent.
        """
        row = _observed(self._store.claim(intent, claim, self._clock.now()))
        try:
            await self.wait_for_row(row, intent)
        except LedgerUnavailable as refusal:
            # The store may still commit the row after the timeout; it must not stay open then.
            await self.record(intent, WriteOutcome(state=WriteState.NOT_SENT, refusal=refusal))
            raise
        return row.result()

    async def wait_for_row(self, row: "asyncio.Future[Any]", intent: Intent) -> None:
        """Wait until the row is committed; without it, refuse the write or let it go on, as configured.

        Raises:
            LedgerUnavailable: the row is required, and could not be committed in time.
        """
        required = self._required or intent.claim is not None
        try:
            async with asyncio.timeout(self._row_timeout_s):
                await asyncio.shield(row)
        except Exception as error:  # no failure of the store may lose a write that can go on without it
            self._observer.write_without_row()
            _log.error(
                "write_row_failed",
                write_id=intent.write_id,
                resource=intent.resource,
                required=required,
                error=type(error).__name__,
            )
            if required:
                raise LedgerUnavailable from error

    async def record(self, intent: Intent, outcome: WriteOutcome) -> WriteOutcome:
        """Commit an outcome with its audit record; return the outcome as its client learns it."""
        self._observer.write_ended(outcome.state)
        now = self._clock.now()
        next_lookup_at = None
        if outcome.state is WriteState.UNKNOWN and intent.traced and self._trace is not None:
            next_lookup_at = now + timedelta(seconds=self._trace.delays_s[0])
        outcome = evolve(
            outcome,
            write_id=intent.write_id,
            request_id=intent.actor.request_id or "",
            next_lookup_at=next_lookup_at,
        )
        number = await self._recorder.record(
            intent.audit_event(outcome), self._store.ending(intent, outcome, now)
        )
        return evolve(outcome, is_recorded=number is not None)


def _observed(row: "asyncio.Future[T]") -> "asyncio.Future[T]":
    """Mark the row's error as retrieved: the request that would await it may have ended."""
    row.add_done_callback(lambda row: row.cancelled() or row.exception())
    return row
