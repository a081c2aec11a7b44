"""The running request of each idempotency key, and what requests that repeat it get.

The store decides about keys of earlier requests. While a request is running only this process knows its
outcome, so repeats wait for it here.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from attrs import define

from erp_gateway.writes.errors import FirstOutcomeUnknown, IdempotencyKeyReused, LedgerUnavailable
from erp_gateway.writes.intent import Claim
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.rules import WriteState, is_replayed
from erp_gateway.writes.store import LedgerStore


@define(eq=False)
class FirstRequest:
    """The first running request of a key.

    Attributes:
        claim: fingerprints of the key and of the request.
        outcome: outcome of its write; None when it made no write, or when repeats must not learn it.
        is_writing: whether it took the key and makes a write of its own.
        is_refused: whether the store did not let it take the key.
    """

    claim: Claim
    outcome: "asyncio.Future[WriteOutcome | None]"
    is_writing: bool = False
    is_refused: bool = False

    async def answer_repeat(self, claim: Claim) -> WriteAnswer | None:
        """Wait for the outcome and return the answer for a repeat; None when the store must decide.

        Raises:
            IdempotencyKeyReused: the key belongs to another request.
            LedgerUnavailable: the store did not let the first request take the key.
            FirstOutcomeUnknown: the outcome is unknown, and the store has not recorded that yet.
        """
        is_other_request = self.claim.request_fingerprint != claim.request_fingerprint
        if self.is_writing and is_other_request:
            raise IdempotencyKeyReused
        came_after = self.outcome.done()
        # Without the shield, cancelling one repeat would cancel the outcome for all others.
        outcome = await asyncio.shield(self.outcome)
        if self.is_refused:
            # Each waiting request would wait as long for the store, one after another.
            raise LedgerUnavailable
        if outcome is None:
            return None
        if is_other_request:
            raise IdempotencyKeyReused
        if came_after and outcome.state is WriteState.UNKNOWN:
            # The store has not recorded the outcome yet: the row is still open.
            raise FirstOutcomeUnknown(outcome.write_id, state=WriteState.OPEN)
        return outcome.as_answer().as_replay()


class FirstRequests:
    """The running request of each idempotency key.

    An outcome that the store has not recorded yet also stays here when its write must not be sent again.

    Args:
        store: keys and outcomes of earlier requests.
    """

    def __init__(self, store: LedgerStore) -> None:
        self._store = store
        self._by_key: dict[bytes, FirstRequest] = {}

    async def begin(self, claim: Claim) -> FirstRequest | WriteAnswer:
        """Make this the first request of its key, or return the answer of the running one.

        Nothing may be awaited between this and `claiming`: an exception there would block the key.

        Raises:
            ServiceError: as `FirstRequest.answer_repeat`.
        """
        while (running := self._by_key.get(claim.key_fingerprint)) is not None:
            answer = await running.answer_repeat(claim)
            if answer is not None:
                return answer
        first = FirstRequest(claim, asyncio.get_running_loop().create_future())
        self._by_key[claim.key_fingerprint] = first
        return first

    @contextmanager
    def claiming(self, first: FirstRequest) -> Iterator[None]:
        """Release the key after the block, unless the block set `is_writing`."""
        try:
            yield
        except LedgerUnavailable:
            first.is_refused = True
            raise
        finally:
            if not first.is_writing:
                self.end(first, None)

    def end(self, first: FirstRequest, outcome: WriteOutcome | None) -> None:
        """Pass the outcome to the waiting repeats; None makes the next of them ask the store."""
        if outcome is None or outcome.is_recorded or not _must_be_kept(outcome):
            del self._by_key[first.claim.key_fingerprint]
        # If the first client disconnected before its response, nothing was sent: the next waiting request
        # becomes the first.
        first.outcome.set_result(None if outcome is None or outcome.client_left else outcome)

    async def forget_recorded(self) -> None:
        """Drop outcomes that the store has recorded in the meantime.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        for key_fingerprint, first in list(self._by_key.items()):
            if first.outcome.done():
                stored = await self._store.find_key(key_fingerprint)
                if stored is None or stored.state is not WriteState.OPEN:
                    del self._by_key[key_fingerprint]


def _must_be_kept(outcome: WriteOutcome) -> bool:
    return outcome.state is WriteState.UNKNOWN or is_replayed(outcome.state, outcome.reason)
