"""Commits the rows of writes before they are sent, and their outcomes with the audit record."""

import asyncio
from datetime import timedelta
from typing import Any, Final, Protocol, TypeVar

import structlog
from attrs import define, evolve, field

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.writes.errors import LedgerUnavailable
from erp_gateway.writes.intent import Claim, Intents
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

    def begin(self, intents: Intents) -> "asyncio.Future[None]":
        """Queue the rows of writes; the future is done once they are committed."""
        return _observed(self._store.begin(intents))

    async def claim(self, intents: Intents, claim: Claim) -> ExistingKey | None:
        """Commit the rows of writes with their idempotency key; return the key's earlier write, if any.

        Raises:
            LedgerUnavailable: the rows could not be committed; nothing may be sent.
        """
        row = _observed(self._store.claim(intents, claim, self._clock.now()))
        try:
            await self.wait_for_row(row, intents)
        except LedgerUnavailable as refusal:
            # The store may still commit the rows after the timeout; they must not stay open then.
            await self.record(intents, WriteOutcome(state=WriteState.NOT_SENT, refusal=refusal))
            raise
        return row.result()

    async def wait_for_row(self, row: "asyncio.Future[Any]", intents: Intents) -> None:
        """Wait until the rows are committed; without them, refuse the writes or let them go on.

        Raises:
            LedgerUnavailable: the rows are required, and could not be committed in time.
        """
        first = intents[0]
        required = self._required or first.claim is not None
        try:
            async with asyncio.timeout(self._row_timeout_s):
                await asyncio.shield(row)
        except Exception as error:  # no failure of the store may lose a write that can go on without it
            self._observer.write_without_row()
            _log.error(
                "write_row_failed",
                write_id=first.write_id,
                resource=first.resource,
                required=required,
                error=type(error).__name__,
            )
            if required:
                raise LedgerUnavailable from error

    async def record(self, intents: Intents, outcome: WriteOutcome) -> WriteOutcome:
        """Commit an outcome with its audit records; return the outcome as its client learns it."""
        for _ in intents:
            self._observer.write_ended(outcome.state)
        now, first = self._clock.now(), intents[0]
        next_lookup_at = None
        is_traced = any(intent.traced for intent in intents)
        if outcome.state is WriteState.UNKNOWN and is_traced and self._trace is not None:
            next_lookup_at = now + timedelta(seconds=self._trace.delays_s[0])
        outcome = evolve(
            outcome,
            write_id=first.write_id,
            request_id=first.actor.request_id or "",
            next_lookup_at=next_lookup_at,
        )
        number = await self._recorder.record_all(
            [intent.audit_event(outcome) for intent in intents], self._store.ending(intents, outcome, now)
        )
        return evolve(outcome, is_recorded=number is not None)


def _observed(row: "asyncio.Future[T]") -> "asyncio.Future[T]":
    """Mark the row's error as retrieved: the request that would await it may have ended."""
    row.add_done_callback(lambda row: row.cancelled() or row.exception())
    return row
