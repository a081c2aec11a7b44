"""An opened write, or change set: sent inside its block, recorded at the end of it."""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from attrs import define, evolve, field

from erp_gateway.writes.errors import LedgerUnavailable
from erp_gateway.writes.first_requests import FirstRequest, FirstRequests
from erp_gateway.writes.intent import Intents
from erp_gateway.writes.journal import WriteJournal
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.refusals import explain_unknown
from erp_gateway.writes.rules import WriteState
from servicekit.errors import InternalError, ServiceError


@define(eq=False, repr=False)
class Entry:
    """An opened write, or change set. Send it inside `async with entry`, and call `done` or `failed` there.

    Leaving the block commits the outcome; without a call the outcome is unknown. If the process ends inside
    the block, the rows stay open and the next process marks them unknown.

    Attributes:
        bodies: the body to send of each write, with the write's number where the record carries it.

    Args:
        journal: commits the outcome.
        first_requests: learns the outcome of a request with an idempotency key.
        intents: the write, or those of the change set.
        bodies: as above.
        row: done once the rows are committed; None where they are, together with the key.
        first: the first request of the idempotency key, if there is a key.
    """

    _journal: WriteJournal
    _first_requests: FirstRequests
    _intents: Intents
    bodies: tuple[bytes, ...]
    _row: "asyncio.Future[None] | None" = field(default=None, kw_only=True)
    _first: FirstRequest | None = field(default=None, kw_only=True)
    _outcome: WriteOutcome | None = field(default=None, init=False)

    @property
    def number(self) -> str:
        """Number of the write; of a change set its first one's."""
        return self._intents[0].write_id

    @property
    def body(self) -> bytes:
        """The body to send of a write alone."""
        (body,) = self.bodies
        return body

    async def wait_for_row(self) -> None:
        """Wait for the rows; send nothing before.

        Raises:
            LedgerUnavailable: there are no rows; send nothing.
        """
        if self._row is None:
            return
        try:
            await self._journal.wait_for_row(self._row, self._intents)
        except LedgerUnavailable as refusal:
            self.failed(WriteState.NOT_SENT, refusal.without_traceback())
            raise

    def done(self, answer: WriteAnswer, *, key: str | None = None) -> None:
        """Set the answer of a write that the ERP did, and the key of a record that it created."""
        self.all_done(answer, (key,))

    def all_done(self, answer: WriteAnswer, keys: Sequence[str | None]) -> None:
        """Set the answer of a change set that the ERP did, and the keys of the records that it created."""
        self._outcome = WriteOutcome(state=WriteState.DONE, answer=answer, keys=tuple(keys))

    def failed(self, state: WriteState, refusal: ServiceError) -> None:
        """Set the state of a write that was not done or is unknown, and the client's refusal."""
        self._outcome = WriteOutcome(state=state, refusal=refusal)

    @property
    def is_unknown(self) -> bool:
        """True if the ERP may have done the write, or may still do it."""
        return self._outcome is None or self._outcome.state is WriteState.UNKNOWN

    def answer(self) -> WriteAnswer:
        """Return the client's answer, after the block.

        Raises:
            ServiceError: the client's refusal.
        """
        if self._outcome is None:
            raise InternalError
        return self._outcome.answer_or_raise()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recorded: WriteOutcome | None = None
        try:
            if self._outcome is not None:
                recorded = self._outcome = await self._record(self._outcome)
            elif error is None or isinstance(error, Exception):
                # Any other exception ends the process; the next one finds the row open.
                await self._record(WriteOutcome(state=WriteState.UNKNOWN, refusal=InternalError()))
        finally:
            if self._first is not None:
                self._first_requests.end(self._first, recorded)

    async def _record(self, outcome: WriteOutcome) -> WriteOutcome:
        recorded = await self._journal.record(self._intents, outcome)
        if recorded.state is WriteState.UNKNOWN and recorded.refusal is not None:
            return evolve(recorded, refusal=explain_unknown(recorded.refusal, self._intents, recorded))
        return recorded
