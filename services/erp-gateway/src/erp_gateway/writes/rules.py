"""States of a write, and decisions about repeated requests and lookups. Values only: no I/O, no clock."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum, StrEnum
from typing import Final

from attrs import frozen

from erpclient import ErpError, ErpRefused, Outcome

MAYBE_IN_APPROVAL: Final = "maybe_in_approval"
"""Code of the refusal of a document that approval may have kept as a draft. It is never resent."""


class WriteState(StrEnum):
    """State of a write; docs/api.md#the-ledger draws the transitions."""

    OPEN = "open"
    """The row is committed; the write is waiting or in flight."""
    DONE = "done"
    """The ERP did it."""
    REFUSED = "refused"
    """The ERP refused it; nothing was done."""
    NOT_SENT = "not_sent"
    """It was not sent; nothing was done."""
    UNKNOWN = "unknown"
    """It may have been sent, and no readable response came."""
    NOT_DONE = "not_done"
    """It was unknown; a lookup or a person found that it was not done."""


NEXT: Final[Mapping[WriteState, frozenset[WriteState]]] = {
    WriteState.OPEN: frozenset(
        {WriteState.DONE, WriteState.REFUSED, WriteState.NOT_SENT, WriteState.UNKNOWN}
    ),
    WriteState.UNKNOWN: frozenset({WriteState.DONE, WriteState.NOT_DONE}),
    WriteState.DONE: frozenset(),
    WriteState.REFUSED: frozenset(),
    WriteState.NOT_SENT: frozenset(),
    WriteState.NOT_DONE: frozenset(),
}
"""The states that may follow each state."""


def state_after(error: BaseException) -> WriteState:
    """Return the state of a write whose call failed; unknown unless an `ErpError` says something else."""
    if not isinstance(error, ErpError) or error.outcome is Outcome.UNKNOWN:
        return WriteState.UNKNOWN
    return WriteState.REFUSED if isinstance(error, ErpRefused) else WriteState.NOT_SENT


@frozen(kw_only=True)
class StoredKey:
    """An idempotency key in the store, with its last write.

    Attributes:
        request_fingerprint: of the first request with the key.
        write_id: the last write of that request.
        state: state of the write.
        reason: the `code` of its refusal, if it has one.
        expires_at: when the key may be used for another request.
        next_lookup_at: when the write is looked up next, if a lookup is due.
    """

    request_fingerprint: bytes
    write_id: str
    state: WriteState
    reason: str | None
    expires_at: datetime
    next_lookup_at: datetime | None = None


class RepeatDecision(Enum):
    """Treatment of a request with an idempotency key."""

    SEND = "send"
    """Send it: the key is new, or the earlier write was certainly not done."""
    REPLAY = "replay"
    """Return the stored answer."""
    REUSED = "reused"
    """Refuse it with 422: the key belongs to another request."""
    UNKNOWN = "unknown"
    """Refuse it with 409: the outcome of the first request is unknown."""


@frozen
class ExistingKey:
    """A stored key that the request cannot take, and the treatment of the request."""

    key: StoredKey
    decision: RepeatDecision


def decide_repeat(stored: StoredKey | None, request_fingerprint: bytes, now: datetime) -> RepeatDecision:
    """Decide about a request whose key belongs to no running request of this process.

    A key whose write may have been done stays valid after it expires: a second document could follow.

    Args:
        stored: the key in the store, if it is there.
        request_fingerprint: of the new request.
        now: aware time.
    """
    if stored is None:
        return RepeatDecision.SEND
    # An open write that this process is not running was left behind by a process that ended.
    is_unknown = stored.state in (WriteState.OPEN, WriteState.UNKNOWN)
    if now >= stored.expires_at and not is_unknown:
        return RepeatDecision.SEND
    if stored.request_fingerprint != request_fingerprint:
        return RepeatDecision.REUSED
    if is_unknown:
        return RepeatDecision.UNKNOWN
    return RepeatDecision.REPLAY if is_replayed(stored.state, stored.reason) else RepeatDecision.SEND


def is_replayed(state: WriteState, reason: str | None) -> bool:
    """Return whether repeats get the stored answer and the write is never resent."""
    return state is WriteState.DONE or (state is WriteState.REFUSED and reason == MAYBE_IN_APPROVAL)


def state_after_lookup(hits: int | None, *, is_last: bool, is_sent_field: bool) -> WriteState | None:
    """Decide the state of an unknown create by a lookup; None where it stays unknown.

    Args:
        hits: the number of records that carry the write's number; None when the lookup failed.
        is_last: whether this is the last lookup. Until then the ERP may still be working on the create.
        is_sent_field: whether the lookup used the field that the create was sent with.
    """
    if hits == 1:
        return WriteState.DONE
    return WriteState.NOT_DONE if hits == 0 and is_last and is_sent_field else None


def combine_hits(hits: Sequence[int | None]) -> int | None:
    """Return the hits that decide about a change set, whose creates the ERP made all or none.

    One create that was found once decides. Creates that were found several times leave the set undecided,
    even if others were not found.

    Args:
        hits: of each of its creates that was looked up; None where the lookup failed.
    """
    counts = [count for count in hits if count is not None]
    if 1 in counts:
        return 1
    return max(counts, default=None)
