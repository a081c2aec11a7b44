"""The ledger: every write has a row before it is sent, and one request sent again gets one answer."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias

import structlog
from attrs import define, evolve, field

from erp_gateway.values.audit_event import Actor
from erp_gateway.writes.entry import Entry
from erp_gateway.writes.first_requests import FirstRequests
from erp_gateway.writes.intent import Claim, Intent, Intents
from erp_gateway.writes.journal import WriteJournal
from erp_gateway.writes.numbers import WriteNumbers
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.replays import replay
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.secret import StoreSecret
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import with_trace
from erp_gateway.writes.write import Write, WriteKind, WriteSet
from servicekit.clock import Clock
from servicekit.errors import Interrupted

_CHANGE_SET: Final = "change_set"
"""The word in the fingerprint of a change set that other requests have their kind for."""

SpareTime: TypeAlias = Callable[[int], timedelta]
"""How long so many writes, sent together, may take in an earlier process that may still be running."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class Ledger:
    """Opens writes, each with a row of its own.

    With an idempotency key the row is committed before the call queues for the ERP; without one it is
    committed while the call waits for its turn. Nothing is sent before. The outcome is committed with its
    audit record, before the client gets its answer. The writes of a change set begin and end in one
    transaction each.

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

    async def open(self, requested: Write | WriteSet) -> Entry | WriteAnswer:
        """Open a write or a change set: return its entry, or the answer of its key's first request.

        Enter the entry's block at once. If anything is awaited or fails in between, the write stays open
        until the process ends.

        Raises:
            IdempotencyKeyReused: the key belongs to another request.
            FirstOutcomeUnknown: the outcome of the key's first request is unknown.
            LedgerUnavailable: the key could not be taken; nothing may be sent.
            ServiceError: the refusal of the key's first request, where it was not done.
        """
        writes = requested.writes if isinstance(requested, WriteSet) else (requested,)
        intents = self._create_intents(requested)
        bodies = tuple(map(_body_to_send, writes, intents))
        claim = intents[0].claim
        if claim is None:
            row = self._journal.begin(intents)
            return Entry(self._journal, self._first_requests, intents, bodies, row=row)
        first = await self._first_requests.begin(claim)
        if isinstance(first, WriteAnswer):
            return first
        with self._first_requests.claiming(first):
            existing = await self._journal.claim(intents, claim)
            if existing is not None:
                return await replay(existing, self._store)
            first.is_writing = True
        return Entry(self._journal, self._first_requests, intents, bodies, first=first)

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

    async def close_open(self, spare: SpareTime = lambda _: timedelta()) -> int:
        """Mark writes unknown that an earlier process left open, once they can no longer be in flight.

        The first call finds them, before this process writes anything. Further calls go on with those.

        Args:
            spare: how long writes may take in an earlier process that may still be running; by default there
                is no such process.

        Returns:
            the number of writes, or change sets, that may still be in flight.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        found = await self._store.find_open()
        if self._left_open is None:
            self._left_open = frozenset(intents[0].write_id for intents in found)
        left = [intents for intents in found if intents[0].write_id in self._left_open]
        over = [intents for intents in left if self._is_over(intents, spare(len(intents)))]
        unknown = WriteOutcome(state=WriteState.UNKNOWN, refusal=Interrupted())
        await asyncio.gather(*(self._journal.record(intents, unknown) for intents in over))
        if over:
            _log.warning("writes_left_open", writes=sum(map(len, over)))
        return len(left) - len(over)

    def _is_over(self, intents: Intents, spare: timedelta) -> bool:
        # Without another process no write can be in flight, even if the clock was set back since.
        return not spare or intents[0].at + spare <= self._clock.now()

    async def find_unsure(self, within_s: float) -> frozenset[str]:
        """Return the resources with a write whose outcome was unknown at some time in the last `within_s`.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        return await self._store.find_unsure(self._clock.now() - timedelta(seconds=within_s))

    def _create_intents(self, requested: Write | WriteSet) -> Intents:
        now = self._clock.now()
        if isinstance(requested, Write):
            return (evolve(self._create_intent(requested, now), claim=self._create_claim(requested, now)),)
        intents = tuple(self._create_intent(write, now) for write in requested.writes)
        set_id = intents[0].write_id
        intents = tuple(
            evolve(intent, set_id=set_id, position=position) for position, intent in enumerate(intents)
        )
        return (evolve(intents[0], claim=self._create_set_claim(requested, now)), *intents[1:])

    def _create_intent(self, write: Write, now: datetime) -> Intent:
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
            body_fingerprint=self._secret.mac("body", write.body),
            traced=trace_field is not None,
            trace_field=trace_field,
            sizes=write.sizes,
        )

    def _create_claim(self, write: Write, now: datetime) -> Claim | None:
        request = (write.kind.value, write.resource, write.key or "", write.variant)
        return self._claim(write.idempotency_key, write.actor, request, write.body, now)

    def _create_set_claim(self, requested: WriteSet, now: datetime) -> Claim | None:
        actor, request = requested.writes[0].actor, (_CHANGE_SET, "", "", "")
        return self._claim(requested.idempotency_key, actor, request, requested.body, now)

    def _claim(
        self, key: str | None, actor: Actor, request: tuple[str, ...], body: bytes, now: datetime
    ) -> Claim | None:
        if key is None:
            return None
        # Keys outlive an upgrade: another order or another purpose would make repeats look like new requests.
        parts = (*(part.encode() for part in request), self._secret.mac("body", body))
        return Claim(
            key_fingerprint=self._secret.mac("key", (actor.web_user or "").encode(), key.encode()),
            request_fingerprint=self._secret.mac("request", *parts),
            expires_at=now + self._keep,
        )


def _body_to_send(write: Write, intent: Intent) -> bytes:
    if intent.trace_field is None:
        return write.body
    return with_trace(write.body, intent.trace_field, intent.write_id)
