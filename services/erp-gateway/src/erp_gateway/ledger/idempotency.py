"""The same answer for the same request sent again, and one write however many send it at once."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, TypeAlias
from urllib.parse import quote

from attrs import define

from erp_gateway.ledger.errors import (
    FirstOutcomeUnknown,
    IdempotencyKeyBadValue,
    IdempotencyKeyReused,
    LedgerUnavailable,
    write_member,
)
from erp_gateway.ledger.rules import RepeatAnswer, TakenKey, WriteState, is_replayed
from erp_gateway.ledger.store import LedgerStore, WriteItem
from erp_gateway.ledger.writes import Claim, WriteAnswer, WriteKind, WriteOutcome
from erp_gateway.storage.errors import StoreUnavailable
from erp_gateway.web.error_map import MaybeInApproval

MAX_KEY_CHARS: Final = 128

_VISIBLE: Final = re.compile(rf"[\x21-\x7e]{{1,{MAX_KEY_CHARS}}}")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_ESCAPED: Final = re.compile(r'\\(["\\])')


def read_idempotency_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the key of a request, None where it has none.

    A key in quotes, as the IETF's draft writes it (draft-ietf-httpapi-idempotency-key-header), is the same as
    the one without.

    Args:
        headers: raw, names in lower case, as ASGI gives them.

    Raises:
        IdempotencyKeyBadValue: not 1 to 128 visible ASCII characters, or given more than once.
    """
    found = [value for name, value in headers if name == b"idempotency-key"]
    if not found:
        return None
    text = found[0].decode("latin-1").strip(" \t")
    if text.startswith('"'):
        quoted = _QUOTED.fullmatch(text)
        text = "" if quoted is None else _ESCAPED.sub(r"\1", quoted[1])
    if len(found) > 1 or not _VISIBLE.fullmatch(text):
        raise IdempotencyKeyBadValue
    return text


Take: TypeAlias = Callable[[], Awaitable[TakenKey | None]]
"""Takes the key, with the row of its write; returns what stands in the way where that can't be."""

_CREATED: Final = 201
_NO_CONTENT: Final = 204


@define(eq=False)
class FirstRequest:
    """The request that came first under a key, as long as only this process knows how it ends.

    Attributes:
        claim: knows it again.
        ended: how its write ended; None when it was none, or nobody is to be told that.
        writes: whether it is certain that it makes a write of its own.
        refused: whether the store refused it the key.
    """

    claim: Claim
    ended: "asyncio.Future[WriteOutcome | None]"
    writes: bool = False
    refused: bool = False

    async def answer_to(self, claim: Claim) -> WriteAnswer | None:
        """Wait for the end and return what another request under the key gets; None: what the store says."""
        another = self.claim.request_fingerprint != claim.request_fingerprint
        if self.writes and another:
            raise IdempotencyKeyReused
        came_after = self.ended.done()
        ended = await asyncio.shield(self.ended)
        if self.refused:
            raise LedgerUnavailable  # the store would let each of them wait as long, one after another
        if ended is None:
            return None
        if another:
            raise IdempotencyKeyReused
        if came_after and ended.state is WriteState.UNKNOWN:
            # The store has not taken that yet: its row says open.
            raise FirstOutcomeUnknown(ended.write_id, state=WriteState.OPEN)
        return ended.told().again()


class IdempotentRequests:
    """Lets the first request with a key make its write, and gives all others what it got.

    Args:
        store: where keys and answers are.
    """

    def __init__(self, store: LedgerStore) -> None:
        self._store = store
        self._firsts: dict[bytes, FirstRequest] = {}

    async def open(self, claim: Claim, take: Take) -> FirstRequest | WriteAnswer:
        """Return the earlier answer to a request, or let it write under its key; `end` it then, in any case.

        Raises:
            IdempotencyKeyReused: another request came under the key.
            FirstOutcomeUnknown: nobody knows whether the first one was done.
            LedgerUnavailable: the store refused; nothing was sent.
            ServiceError: what became of the first one's write, where it was not done.
        """
        while (earlier := self._firsts.get(claim.key_fingerprint)) is not None:
            answer = await earlier.answer_to(claim)
            if answer is not None:
                return answer
        first = self._firsts[claim.key_fingerprint] = FirstRequest(
            claim, asyncio.get_running_loop().create_future()
        )
        try:
            standing = await take()
            first.writes = standing is None
            return first if standing is None else await self._earlier(standing)
        except LedgerUnavailable:
            first.refused = True
            raise
        finally:
            if not first.writes:
                self.end(first, None)

    def end(self, first: FirstRequest, ended: WriteOutcome | None) -> None:
        """Give all who wait for a first request what it got; None: the next of them asks the store.

        What the store has not taken yet stays in memory where nothing may be sent again.
        """
        if ended is None or ended.noted or not _must_be_kept(ended):
            del self._firsts[first.claim.key_fingerprint]
        # Nobody reads what a client was told who had left: the next one who waits is first then.
        first.ended.set_result(None if ended is None or ended.abandoned else ended)

    async def forget_noted(self) -> None:
        """Forget what is kept in memory since the store did not take it, once it has.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        for key_fingerprint, first in list(self._firsts.items()):
            if first.ended.done():
                known = await self._store.find_key(key_fingerprint)
                if known is None or known.state is not WriteState.OPEN:
                    del self._firsts[key_fingerprint]

    async def _earlier(self, standing: TakenKey) -> WriteAnswer:
        known = standing.known
        if standing.gets is RepeatAnswer.REUSED:
            raise IdempotencyKeyReused
        if standing.gets is RepeatAnswer.UNKNOWN:
            raise FirstOutcomeUnknown(known.write_id, state=known.state, look_at=known.look_at)
        try:
            answer = await self._store.find_answer(known.write_id)
            if answer is not None:
                return answer.again()
            record = await self._store.find(known.write_id)
        except StoreUnavailable as error:
            raise LedgerUnavailable from error
        if record is None:
            raise LookupError(known.write_id)
        return answer_without_record(record).again()


def _must_be_kept(ended: WriteOutcome) -> bool:
    return ended.state is WriteState.UNKNOWN or is_replayed(ended.state, ended.reason)


def answer_without_record(record: WriteItem) -> WriteAnswer:
    """Return what is known to be true of a write that was done, and whose answer nobody has read.

    Raises:
        MaybeInApproval: its record was found among the drafts.
    """
    if record.found_in is not None:
        raise MaybeInApproval(members={"draft": record.key, "write": write_member(record.id)})
    if record.kind != WriteKind.CREATE:
        return WriteAnswer(status=_NO_CONTENT)
    where = {}
    if record.key is not None:
        where["Location"] = f"/api/sl/{record.resource}/{quote(record.key, safe='')}"
    return WriteAnswer(status=_CREATED, headers=where)
