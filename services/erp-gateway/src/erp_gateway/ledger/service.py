"""Carrying out a write with a row before it and its outcome after it."""

import asyncio
from typing import Protocol

import structlog

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.ledger.errors import LedgerUnavailable
from erp_gateway.ledger.macs import StoreSecret
from erp_gateway.ledger.rules import WriteState
from erp_gateway.ledger.store import LedgerStore
from erp_gateway.ledger.writes import Ended, Intent, Send, Write, WriteAnswer
from servicekit.clock import Clock
from servicekit.errors import InternalError, Interrupted
from servicekit.request_log.request_id import new_request_id

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

    The row is committed while the call waits for its turn, and nothing is sent before. Its outcome is
    committed with its audit record, before the answer.

    Args:
        store: where the rows are.
        recorder: where the ends are recorded.
        secret: the store's, from `LedgerStore.open_secret`.
        clock: time.
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
        required: bool,
        observer: LedgerObserver,
        limit_s: float = 1.0,
    ) -> None:
        self._store = store
        self._recorder = recorder
        self._secret = secret
        self._clock = clock
        self._required = required
        self._observer = observer
        self._limit_s = limit_s

    async def run(self, write: Write, send: Send) -> WriteAnswer:
        """Carry out a write and return what its client is answered.

        Raises:
            ServiceError: what its client is told instead; the audit record names it.
        """
        ended = await self._carry_out(write, send)
        if ended.answer is None:
            raise ended.refusal or InternalError()
        return ended.answer

    async def close_open(self) -> int:
        """Note as unknown what a process left behind that has ended; return how many writes that were.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        left = await self._store.find_open()
        unknown = Ended(state=WriteState.UNKNOWN, refusal=Interrupted())
        await asyncio.gather(*(self._note(intent, unknown) for intent in left))
        if left:
            _log.warning("writes_left_open", writes=len(left))
        return len(left)

    async def _carry_out(self, write: Write, send: Send) -> Ended:
        intent = self._intent_of(write)
        opening = asyncio.create_task(self._store.begin(intent))
        opening.add_done_callback(_take_note)

        async def ready() -> None:
            await self._committed(opening, intent)

        try:
            ended = await send(intent, ready)
        except LedgerUnavailable as refusal:
            ended = Ended(state=WriteState.NOT_SENT, refusal=refusal)
        except Exception:
            # Nobody foresaw it, so nobody knows how far the write got.
            await self._note(intent, Ended(state=WriteState.UNKNOWN, refusal=InternalError()))
            raise
        await self._note(intent, ended)
        return ended

    def _intent_of(self, write: Write) -> Intent:
        return Intent(
            write_id=new_request_id(),
            at=self._clock.now(),
            kind=write.kind,
            actor=write.actor,
            resource=write.resource,
            key=write.key,
            fields=write.fields,
            body_mac=self._secret.mac("body", write.body),
        )

    async def _committed(self, opening: "asyncio.Task[None]", intent: Intent) -> None:
        """Wait for the row; where there is none, refuse or go on, as configured."""
        try:
            async with asyncio.timeout(self._limit_s):
                await asyncio.shield(opening)
        except Exception as error:  # whatever it is, it must not be the reason that a write is lost
            self._observer.write_without_row()
            _log.error(
                "write_row_failed",
                write_id=intent.write_id,
                resource=intent.resource,
                required=self._required,
                error=type(error).__name__,
            )
            if self._required:
                raise LedgerUnavailable from error

    async def _note(self, intent: Intent, ended: Ended) -> None:
        self._observer.write_ended(ended.state)
        await self._recorder.record(intent.event(ended), self._store.ending(intent, ended, self._clock.now()))


def _take_note(opening: "asyncio.Task[None]") -> None:
    """Mark an error as seen: whoever waits for the row is told it, if somebody still does."""
    if not opening.cancelled():
        opening.exception()
