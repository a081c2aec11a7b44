"""The same answer for the same request sent again, and one write however many send it at once."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias
from urllib.parse import quote

from attrs import define

from erp_gateway.ledger.errors import (
    FirstOutcomeUnknown,
    IdempotencyKeyReused,
    LedgerUnavailable,
    write_member,
)
from erp_gateway.ledger.history import WriteRecord
from erp_gateway.ledger.rules import Known, Repeat, Standing, WriteState, is_replayed
from erp_gateway.ledger.store import LedgerStore
from erp_gateway.ledger.writes import Claim, Ended, WriteAnswer, WriteKind
from erp_gateway.storage.errors import StoreUnavailable
from erp_gateway.web.upstream_errors import MaybeInApproval

Take: TypeAlias = Callable[[], Awaitable[Standing | None]]
"""Takes the key for a write of its own; returns what stands in the way where that can't be."""

CarryOut: TypeAlias = Callable[[], Awaitable[Ended]]
"""Carries out a write whose key was taken, and says how it ended."""

_CREATED: Final = 201
_NO_CONTENT: Final = 204


@define(eq=False)
class _First:
    """The request that came first under a key, as long as only this process knows how it ends.

    Attributes:
        request_mac: knows the request again.
        ended: how its write ended; None when it was none, or nobody is to be told that.
        writes: whether it is certain that it makes a write of its own.
        refused: whether the store refused it the key.
    """

    request_mac: bytes
    ended: "asyncio.Future[Ended | None]"
    writes: bool = False
    refused: bool = False


class Repeats:
    """Lets the first request with a key make its write, and gives all others what it got.

    Args:
        store: where keys and answers are.
    """

    def __init__(self, store: LedgerStore) -> None:
        self._store = store
        self._firsts: dict[bytes, _First] = {}

    async def run(self, claim: Claim, take: Take, carry_out: CarryOut) -> WriteAnswer:
        """Answer a request with a key.

        Raises:
            IdempotencyKeyReused: another request came under the key.
            FirstOutcomeUnknown: nobody knows whether the first one was done.
            LedgerUnavailable: the store refused; nothing was sent.
            ServiceError: what became of the write, where it was not done.
        """
        while True:
            first = self._firsts.get(claim.key_mac)
            if first is None:
                return await self._be_first(claim, take, carry_out)
            another = first.request_mac != claim.request_mac
            if first.writes and another:
                raise IdempotencyKeyReused
            came_after = first.ended.done()
            ended = await asyncio.shield(first.ended)
            if first.refused:
                raise LedgerUnavailable  # the store would let each of them wait as long, one after another
            if ended is None:
                continue  # it knows no more than the store does
            if another:
                raise IdempotencyKeyReused
            if came_after and ended.state is WriteState.UNKNOWN:
                # The store has not taken that yet: its row says open.
                raise FirstOutcomeUnknown(ended.write_id, state=WriteState.OPEN)
            return ended.told().again()

    async def forget_noted(self) -> None:
        """Forget what is kept in memory since the store did not take it, once it has.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        for key_mac, first in list(self._firsts.items()):
            if first.ended.done():
                known = await self._store.find_key(key_mac)
                if known is None or known.state is not WriteState.OPEN:
                    del self._firsts[key_mac]

    async def _be_first(self, claim: Claim, take: Take, carry_out: CarryOut) -> WriteAnswer:
        first = _First(claim.request_mac, asyncio.get_running_loop().create_future())
        self._firsts[claim.key_mac] = first
        ended: Ended | None = None
        try:
            standing = await take()
            if standing is None:
                first.writes = True
                ended = await carry_out()
                return ended.given()
            if standing.gets is Repeat.REUSED:
                raise IdempotencyKeyReused
            if standing.gets is Repeat.UNKNOWN:
                known = standing.known
                raise FirstOutcomeUnknown(known.write_id, state=known.state, look_at=known.look_at)
            return await self._replay(standing.known)
        except LedgerUnavailable:
            first.refused = True
            raise
        finally:
            if ended is None or ended.noted or not _must_be_kept(ended):
                del self._firsts[claim.key_mac]
            # Nobody reads what a client was told who had left: the next one who waits is first then.
            first.ended.set_result(None if ended is None or ended.abandoned else ended)

    async def _replay(self, known: Known) -> WriteAnswer:
        try:
            answer = await self._store.find_answer(known.write_id)
            if answer is not None:
                return answer.again()
            record = await self._store.find_written(known.write_id)
        except StoreUnavailable as error:
            raise LedgerUnavailable from error
        return answer_without_record(record).again()


def _must_be_kept(ended: Ended) -> bool:
    return ended.state is WriteState.UNKNOWN or is_replayed(ended.state, ended.reason)


def answer_without_record(record: WriteRecord) -> WriteAnswer:
    """Return what is known to be true of a write that was done, and whose answer nobody has read.

    Raises:
        MaybeInApproval: its record was found among the drafts.
    """
    if record.found_in is not None:
        raise MaybeInApproval(members={"draft": record.key, "write": write_member(record.write_id)})
    if record.kind is not WriteKind.CREATE:
        return WriteAnswer(status=_NO_CONTENT)
    where = {}
    if record.key is not None:
        where["Location"] = f"/api/sl/{record.resource}/{quote(record.key, safe='')}"
    return WriteAnswer(status=_CREATED, headers=where)
