"""The ledger: every write has a row before it is sent, and one request sent again gets one answer."""

import asyncio
from datetime import datetime, timedelta
from typing import Final

import structlog
from attrs import define, field

from erp_gateway.writes.entry import Entry
from erp_gateway.writes.first_requests import FirstRequests
from erp_gateway.writes.intent import Claim, Intent
from erp_gateway.writes.journal import WriteJournal
from erp_gateway.writes.numbers import WriteNumbers
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.replays import replay
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.secret import StoreSecret
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import with_trace
from erp_gateway.writes.write import Write, WriteKind
from servicekit.clock import Clock
from servicekit.errors import Interrupted

_NOTHING: Final = timedelta()

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class Ledger:
    """Opens writes, each with a row of its own.

    With an idempotency key the row is committed before the call queues for the ERP; without one it is
    committed while the call waits for its turn. Nothing is sent before. The outcome is committed with its
    audit record, before the client gets its answer.

    Args:
        store: the rows.
        journal: commits rows and outcomes.
        first_requests: running requests of idempotency keys.
        secret: the store's secret, from `LedgerStore.open_secret`.
        clock: time.
        keep: how long an idempotency key is kept.
        keep_writes: how long the row of an ended write is kept; None for ever.
        trace_field: the field of new records that carries the write's number, if there is one.
    """

    _store: LedgerStore
    _journal: WriteJournal
    _first_requests: FirstRequests
    _secret: StoreSecret
    _clock: Clock
    _keep: timedelta = field(kw_only=True)
    _keep_writes: timedelta | None = field(default=None, kw_only=True)
    _trace_field: str | None = field(default=None, kw_only=True)
    _numbers: WriteNumbers = field(factory=WriteNumbers, init=False)
    _left_open: frozenset[str] | None = field(default=None, init=False)

    async def open(self, write: Write) -> Entry | WriteAnswer:
        """Open a write: return its entry, or the answer of the first request with its idempotency key.

        Enter the entry's block at once. If anything is awaited or fails in between, the write stays open
        until the process ends.

        Raises:
            IdempotencyKeyReused: the key belongs to another request.
            FirstOutcomeUnknown: the outcome of the key's first request is unknown.
            LedgerUnavailable: the key could not be taken; nothing may be sent.
            ServiceError: the refusal of the key's first request, where it was not done.
        """
        intent = self._create_intent(write)
        body = write.body
        if intent.trace_field is not None:
            body = with_trace(body, intent.trace_field, intent.write_id)
        if intent.claim is None:
            row = self._journal.begin(intent)
            return Entry(self._journal, self._first_requests, intent, body, row=row)
        first = await self._first_requests.begin(intent.claim)
        if isinstance(first, WriteAnswer):
            return first
        with self._first_requests.claiming(first):
            existing = await self._journal.claim(intent, intent.claim)
            if existing is not None:
                return await replay(existing, self._store)
            first.is_writing = True
        return Entry(self._journal, self._first_requests, intent, body, first=first)

    async def tidy(self) -> None:
        """Delete expired answers and keys, old rows, and outcomes in memory that the store has recorded.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        await self._first_requests.forget_recorded()
        now = self._clock.now()
        await self._store.delete_expired(now)
        if self._keep_writes is not None:
            await self._store.delete_before(now - self._keep_writes)

    async def close_open(self, spare: timedelta = _NOTHING) -> int:
        """Mark writes unknown that an earlier process left open, once they can no longer be in flight.

        The first call finds them, before this process writes anything. Further calls go on with those.

        Args:
            spare: how long a write may take in an earlier process that may still be running.

        Returns:
            the number of writes that may still be in flight.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        found = await self._store.find_open()
        if self._left_open is None:
            self._left_open = frozenset(intent.write_id for intent in found)
        left = [intent for intent in found if intent.write_id in self._left_open]
        # Without another process no write can be in flight, even if the clock was set back since.
        over = [intent for intent in left if not spare or intent.at + spare <= self._clock.now()]
        unknown = WriteOutcome(state=WriteState.UNKNOWN, refusal=Interrupted())
        await asyncio.gather(*(self._journal.record(intent, unknown) for intent in over))
        if over:
            _log.warning("writes_left_open", writes=len(over))
        return len(left) - len(over)

    async def find_unsure(self, within_s: float) -> frozenset[str]:
        """Return the resources with a write whose outcome was unknown at some time in the last `within_s`.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        return await self._store.find_unsure(self._clock.now() - timedelta(seconds=within_s))

    def _create_intent(self, write: Write) -> Intent:
        now = self._clock.now()
        body_fingerprint = self._secret.mac("body", write.body)
        is_traced = write.traceable and write.kind is WriteKind.CREATE
        trace_field = self._trace_field if is_traced else None
        return Intent(
            write_id=self._numbers.next(now),
            at=now,
            kind=write.kind,
            actor=write.actor,
            resource=write.resource,
            key=write.key,
            fields=write.fields,
            body_fingerprint=body_fingerprint,
            claim=self._create_claim(write, body_fingerprint, now),
            traced=trace_field is not None,
            trace_field=trace_field,
            sizes=write.sizes,
        )

    def _create_claim(self, write: Write, body_fingerprint: bytes, now: datetime) -> Claim | None:
        if write.idempotency_key is None:
            return None
        web_user = (write.actor.web_user or "").encode()
        request = (write.kind.value, write.resource, write.key or "", write.variant)
        # Keys outlive an upgrade: another order or another purpose would make repeats look like new requests.
        return Claim(
            key_fingerprint=self._secret.mac("key", web_user, write.idempotency_key.encode()),
            request_fingerprint=self._secret.mac(
                "request", *(part.encode() for part in request), body_fingerprint
            ),
            expires_at=now + self._keep,
        )
