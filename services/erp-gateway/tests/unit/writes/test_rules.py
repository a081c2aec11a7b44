"""Decisions about repeated requests in every state of the first one; transitions between states."""

from datetime import UTC, datetime, timedelta

import pytest

from erp_gateway.writes.rules import (
    NEXT,
    RepeatDecision,
    StoredKey,
    WriteState,
    combine_hits,
    decide_repeat,
    is_replayed,
    state_after,
    state_after_lookup,
)
from erpclient import ErpError, ErpRefused, ErpServerError, ErpTimeout, ErpUnreachable, Phase, QueueFull

NOW = datetime(2026, 3, 2, 14, tzinfo=UTC)
SAME, OTHER = b"same", b"other"


def stored(state: WriteState, *, reason: str | None = None, expired: bool = False) -> StoredKey:
    return StoredKey(
        request_fingerprint=SAME,
        write_id="0" * 26,
        state=state,
        reason=reason,
        expires_at=NOW if expired else NOW + timedelta(milliseconds=1),
    )


def test_an_unused_key_lets_the_request_through() -> None:
    assert decide_repeat(None, SAME, NOW) is RepeatDecision.SEND


@pytest.mark.parametrize(
    ("state", "decision"),
    [
        (WriteState.OPEN, RepeatDecision.UNKNOWN),
        (WriteState.UNKNOWN, RepeatDecision.UNKNOWN),
        (WriteState.DONE, RepeatDecision.REPLAY),
        (WriteState.REFUSED, RepeatDecision.SEND),
        (WriteState.NOT_SENT, RepeatDecision.SEND),
        (WriteState.NOT_DONE, RepeatDecision.SEND),
    ],
)
def test_a_repeat_is_sent_again_only_if_certainly_not_done(
    state: WriteState, decision: RepeatDecision
) -> None:
    assert decide_repeat(stored(state), SAME, NOW) is decision


@pytest.mark.parametrize("state", WriteState)
def test_a_different_request_with_the_key_is_refused_in_every_state(state: WriteState) -> None:
    assert decide_repeat(stored(state), OTHER, NOW) is RepeatDecision.REUSED


def test_a_possible_approval_is_replayed_and_never_sent_again() -> None:
    assert (
        decide_repeat(stored(WriteState.REFUSED, reason="maybe_in_approval"), SAME, NOW)
        is RepeatDecision.REPLAY
    )
    assert not is_replayed(WriteState.NOT_SENT, "maybe_in_approval")
    assert not is_replayed(WriteState.REFUSED, "upstream_rejected")


@pytest.mark.parametrize("state", WriteState)
def test_a_key_expires_unless_its_write_may_have_been_done(state: WriteState) -> None:
    kept = state in (WriteState.OPEN, WriteState.UNKNOWN)
    assert decide_repeat(stored(state, expired=True), SAME, NOW) is (
        RepeatDecision.UNKNOWN if kept else RepeatDecision.SEND
    )
    assert decide_repeat(stored(state, expired=True), OTHER, NOW) is (
        RepeatDecision.REUSED if kept else RepeatDecision.SEND
    )


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (ErpRefused(400, -10, "no"), WriteState.REFUSED),
        (QueueFull("total"), WriteState.NOT_SENT),
        (ErpUnreachable("ECONNREFUSED", Phase.CONNECT), WriteState.NOT_SENT),
        (ErpUnreachable("ECONNRESET", Phase.ANSWER), WriteState.UNKNOWN),
        (ErpTimeout(Phase.ANSWER), WriteState.UNKNOWN),
        (ErpServerError(502, None, ""), WriteState.UNKNOWN),
    ],
)
def test_each_error_of_a_call_sets_the_state_of_its_write(error: ErpError, state: WriteState) -> None:
    assert state_after(error) is state
    assert state in NEXT[WriteState.OPEN]


def test_a_final_state_never_changes() -> None:
    assert {state for state, after in NEXT.items() if after} == {WriteState.OPEN, WriteState.UNKNOWN}
    assert NEXT[WriteState.UNKNOWN] == {WriteState.DONE, WriteState.NOT_DONE}
    assert set(NEXT) == set(WriteState)


@pytest.mark.parametrize(
    ("hits", "last", "sure", "state"),
    [
        (1, False, True, WriteState.DONE),
        (1, True, False, WriteState.DONE),
        (0, False, True, None),
        (0, True, True, WriteState.NOT_DONE),
        (0, True, False, None),
        (2, True, True, None),
        (None, True, True, None),
        (None, False, True, None),
    ],
)
def test_a_lookup_decides_on_one_match_or_finally_on_none(
    hits: int | None, last: bool, sure: bool, state: WriteState | None
) -> None:
    assert state_after_lookup(hits, is_last=last, is_sent_field=sure) is state


@pytest.mark.parametrize(
    ("hits", "combined"),
    [
        ([1], 1),
        ([0, 1], 1),
        ([None, 1], 1),
        ([2, 1], 1),
        ([0, 2], 2),
        ([0, None], 0),
        ([0, 0], 0),
        ([None, None], None),
        ([], None),
    ],
)
def test_any_create_that_was_found_once_decides_its_change_set(
    hits: list[int | None], combined: int | None
) -> None:
    assert combine_hits(hits) == combined
