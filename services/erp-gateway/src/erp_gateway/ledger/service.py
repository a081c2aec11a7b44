"""Carrying out a write with a row before it and its outcome after it."""

import asyncio
from datetime import timedelta
from typing import Final, Protocol, TypeVar

import structlog
from attrs import evolve

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.ledger.errors import LedgerUnavailable
from erp_gateway.ledger.lost import explained
from erp_gateway.ledger.macs import StoreSecret
from erp_gateway.ledger.numbers import WriteNumbers
from erp_gateway.ledger.repeating.repeats import Repeats
from erp_gateway.ledger.rules import Standing, WriteState
from erp_gateway.ledger.store import LedgerStore
from erp_gateway.ledger.trace import Trace, with_trace
from erp_gateway.ledger.writes import Claim, Ended, Intent, Ready, Send, Write, WriteAnswer, WriteKind
from servicekit.clock import Clock
from servicekit.errors import InternalError, Interrupted

T = TypeVar("T")

_NOTHING: Final = timedelta()

_log = structlog.get_logger(__name__)


class LedgerObserver(Protocol):
    """Counts for the metrics page."""

    def write_ended(self, state: WriteState) -> None:
        """Count a write by what is known of it."""
        ...

    def write_without_row(self) -> None:
        """Count a write whose row could not be committed before it was sent, or instead of sending it."""
        ...


class Ledger:
    """Carries out writes, each with a row in the store.

    The row is committed while the call waits for its turn, with a key before that, and nothing is sent
    before. Its outcome is committed with its audit record, before the answer.

    Args:
        store: where the rows are.
        recorder: where the ends are recorded.
        secret: the store's, from `LedgerStore.open_secret`.
        clock: time.
        keep: how long an idempotency key is kept.
        keep_writes: how long the row of a write is kept that ended; None for ever.
        trace: the field that carries a write's number, where the installation has one.
        required: whether a write is refused whose row can't be committed; else it goes on without.
        observer: counts.
        limit_s: how long a write waits for its row when its turn has come.
    """

    def __init__(
        self,
        store: LedgerStore,
        recorder: AuditRecorder,
        secret: StoreSecret,
        clock: Clock,
        *,
        keep: timedelta,
        keep_writes: timedelta | None = None,
        trace: Trace | None = None,
        required: bool,
        observer: LedgerObserver,
        limit_s: float = 1.0,
    ) -> None:
        self._store = store
        self._recorder = recorder
        self._secret = secret
        self._clock = clock
        self._keep = keep
        self._keep_writes = keep_writes
        self._trace = trace
        self._required = required
        self._observer = observer
        self._limit_s = limit_s
        self._numbers = WriteNumbers()
        self._left: frozenset[str] | None = None
        self._repeats = Repeats(store)

    async def run(self, write: Write, send: Send) -> WriteAnswer:
        """Carry out a write, or find that it was carried out, and return what its client is answered.

        Raises:
            ServiceError: what its client is told instead; the audit record names it.
        """
        intent = self._intent_of(write)
        claim = intent.claim
        if claim is None:
            return (await self._carry_out(intent, write.body, send)).given()
        return await self._repeats.run(
            claim,
            lambda: self._take(claim, intent),
            lambda: self._carry_out_claimed(intent, write.body, send),
        )

    async def tidy(self) -> None:
        """Delete recorded answers, keys and rows whose time is over, and what memory need not keep any more.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        await self._repeats.forget_noted()
        now = self._clock.now()
        await self._store.delete_expired(now)
        if self._keep_writes is not None:
            await self._store.delete_before(now - self._keep_writes)

    async def close_open(self, spare: timedelta = _NOTHING) -> int:
        """Note as unknown what an earlier process left behind, once nothing of it can be under way any more.

        The first call finds what was left, before this process writes anything; further ones go on with it.

        Args:
            spare: how long a write may take that an earlier process has begun, which may not have ended.

        Returns:
            how many writes are still to be waited for.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        found = await self._store.find_open()
        if self._left is None:
            self._left = frozenset(intent.write_id for intent in found)
        left = [intent for intent in found if intent.write_id in self._left]
        # Without another process nothing can be under way, whatever a clock says that was set back.
        over = [intent for intent in left if not spare or intent.at + spare <= self._clock.now()]
        unknown = Ended(state=WriteState.UNKNOWN, refusal=Interrupted())
        await asyncio.gather(*(self._note(intent, unknown) for intent in over))
        if over:
            _log.warning("writes_left_open", writes=len(over))
        return len(left) - len(over)

    async def find_unsure(self, within_s: float) -> frozenset[str]:
        """Return the resources with writes whose outcome was still unknown so many seconds ago, or since.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        return await self._store.find_unsure(self._clock.now() - timedelta(seconds=within_s))

    async def _carry_out(self, intent: Intent, body: bytes, send: Send) -> Ended:
        opening = self._store.begin(intent)
        opening.add_done_callback(_take_note)
        return await self._send(intent, body, send, lambda: self._committed(opening, intent))

    async def _take(self, claim: Claim, intent: Intent) -> Standing | None:
        """Take the key, with the row of the write; where it can't be had, return what stands in the way."""
        opening = self._store.claim(intent, claim, self._clock.now())
        opening.add_done_callback(_take_note)
        try:
            await self._committed(opening, intent)
        except LedgerUnavailable as refusal:
            await self._note(intent, Ended(state=WriteState.NOT_SENT, refusal=refusal))
            raise
        return opening.result()

    async def _carry_out_claimed(self, intent: Intent, body: bytes, send: Send) -> Ended:
        return await self._send(intent, body, send, _at_once)

    async def _send(self, intent: Intent, body: bytes, send: Send, ready: Ready) -> Ended:
        if intent.trace_field is not None:
            body = with_trace(body, intent.trace_field, intent.write_id)
        try:
            ended = await send(body, ready)
        except LedgerUnavailable as refusal:
            ended = Ended(state=WriteState.NOT_SENT, refusal=refusal)
        except Exception:
            # Nobody foresaw it, so nobody knows how far the write got.
            await self._note(intent, Ended(state=WriteState.UNKNOWN, refusal=InternalError()))
            raise
        ended = await self._note(intent, ended)
        if ended.state is WriteState.UNKNOWN and ended.refusal is not None:
            return evolve(ended, refusal=explained(ended.refusal, intent, ended))
        return ended

    def _intent_of(self, write: Write) -> Intent:
        now, mac = self._clock.now(), self._secret.mac
        body_mac = mac("body", write.body)
        claim = None
        if write.repeat_key is not None:
            asked = (write.kind.value, write.resource, write.key or "", write.variant)
            claim = Claim(
                key_mac=mac("key", (write.actor.web_user or "").encode(), write.repeat_key.encode()),
                request_mac=mac("request", *(part.encode() for part in asked), body_mac),
                expires_at=now + self._keep,
            )
        is_traced = write.traceable and write.kind is WriteKind.CREATE
        field = self._trace.field if self._trace is not None and is_traced else None
        return Intent(
            write_id=self._numbers.next(now),
            at=now,
            kind=write.kind,
            actor=write.actor,
            resource=write.resource,
            key=write.key,
            fields=write.fields,
            body_mac=body_mac,
            claim=claim,
            traced=field is not None,
            trace_field=field,
        )

    async def _committed(self, opening: "asyncio.Future[T]", intent: Intent) -> None:
        """Wait for the row; where there is none, refuse or go on, as configured. With a key: refuse."""
        required = self._required or intent.claim is not None
        try:
            async with asyncio.timeout(self._limit_s):
                await asyncio.shield(opening)
        except Exception as error:  # whatever it is, it must not be the reason that a write is lost
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

    async def _note(self, intent: Intent, ended: Ended) -> Ended:
        self._observer.write_ended(ended.state)
        now = self._clock.now()
        look_at = None
        if ended.state is WriteState.UNKNOWN and intent.traced and self._trace is not None:
            look_at = now + timedelta(seconds=self._trace.delays_s[0])
        ended = evolve(
            ended,
            write_id=intent.write_id,
            request_id=intent.actor.request_id or "",
            look_at=look_at,
        )
        number = await self._recorder.record(intent.event(ended), self._store.ending(intent, ended, now))
        return evolve(ended, noted=number is not None)


async def _at_once() -> None:
    """Be ready: the row was committed before."""


def _take_note(opening: "asyncio.Future[T]") -> None:
    """Mark an error as seen: whoever waits for the row is told it, if somebody still does."""
    if not opening.cancelled():
        opening.exception()
