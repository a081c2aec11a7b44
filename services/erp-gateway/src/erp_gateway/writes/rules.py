"""The states of a write, and what a request gets that comes again. Values only: no I/O, no clock."""

from collections.abc import Mapping
from datetime import datetime
from enum import Enum, StrEnum
from typing import Final

from attrs import frozen

from erpclient import ErpError, ErpRefused, Outcome

MAYBE_IN_APPROVAL: Final = "maybe_in_approval"
"""Why a document was refused that an approval procedure may have kept as a draft: never to be sent anew."""


class WriteState(StrEnum):
    """What is known of a write; docs/api.md#the-ledger draws how one follows another."""

    OPEN = "open"
    """Its row is there; it waits, or it is with the ERP."""
    DONE = "done"
    """The ERP did it."""
    REFUSED = "refused"
    """The ERP read it and refused it; nothing was done."""
    NOT_SENT = "not_sent"
    """It never left; nothing was done."""
    UNKNOWN = "unknown"
    """It may have left, and no readable answer came."""
    NOT_DONE = "not_done"
    """It was unknown; a look-up or a person found that it was not done."""


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
"""Which states may follow a state."""


def state_after(error: ErpError) -> WriteState:
    """Say what a failed call means for its write."""
    if error.outcome is Outcome.UNKNOWN:
        return WriteState.UNKNOWN
    return WriteState.REFUSED if isinstance(error, ErpRefused) else WriteState.NOT_SENT


@frozen(kw_only=True)
class Known:
    """What the store knows of an idempotency key.

    Attributes:
        request_fingerprint: knows the request again that came first under the key.
        write_id: the write that was made of it last.
        state: what is known of that write.
        reason: the `code` of its refusal, if it had one.
        expires_at: when the key may be used for something else.
        look_at: when that write is looked up next, if it is.
    """

    request_fingerprint: bytes
    write_id: str
    state: WriteState
    reason: str | None
    expires_at: datetime
    look_at: datetime | None = None


class RepeatAnswer(Enum):
    """What a request with an idempotency key gets."""

    SEND = "send"
    """Nothing is known of it, or it was surely not done: it is sent."""
    REPLAY = "replay"
    """It was answered: the same answer again."""
    REUSED = "reused"
    """Another request came under this key: 422."""
    UNKNOWN = "unknown"
    """Nobody knows whether the first one was done: 409."""


@frozen
class TakenKey:
    """A key that can't be taken: what is known of it, and what the request gets instead of its write."""

    known: Known
    gets: RepeatAnswer


def repeat_gets(known: Known | None, request_fingerprint: bytes, now: datetime) -> RepeatAnswer:
    """Decide about a request whose key no running request of this process has.

    A key whose write may have been done is kept beyond its time: forgetting it could make a second document.

    Args:
        known: what the store knows of the key.
        request_fingerprint: of the request that comes now.
        now: aware time.
    """
    if known is None:
        return RepeatAnswer.SEND
    # An open write that this process is not running was left behind by a process that ended.
    unknown_outcome = known.state in (WriteState.OPEN, WriteState.UNKNOWN)
    if now >= known.expires_at and not unknown_outcome:
        return RepeatAnswer.SEND
    if known.request_fingerprint != request_fingerprint:
        return RepeatAnswer.REUSED
    if unknown_outcome:
        return RepeatAnswer.UNKNOWN
    return RepeatAnswer.REPLAY if is_replayed(known.state, known.reason) else RepeatAnswer.SEND


def is_replayed(state: WriteState, reason: str | None) -> bool:
    """Tell whether a write that ended so is answered again, and never sent anew."""
    return state is WriteState.DONE or (state is WriteState.REFUSED and reason == MAYBE_IN_APPROVAL)


def found_to_be(hits: int | None, *, last: bool, sure_of_field: bool) -> WriteState | None:
    """Decide by a look-up what became of an unknown create; None where it stays unknown.

    Args:
        hits: how many records carry its number; None when the look-up was refused or failed.
        last: whether it is the last look. Before, the ERP may still be at work on it.
        sure_of_field: whether it was looked for in the very field that the create was sent with.
    """
    if hits == 1:
        return WriteState.DONE
    return WriteState.NOT_DONE if hits == 0 and last and sure_of_field else None
