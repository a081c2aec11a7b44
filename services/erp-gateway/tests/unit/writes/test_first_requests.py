"""Requests with one key at the same moment: the result of the first holds for all that waited for it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import cast

import pytest

from erp_gateway.web.upstream_errors import OutcomeUnknown
from erp_gateway.writes.errors import FirstOutcomeUnknown, LedgerUnavailable
from erp_gateway.writes.first_requests import FirstRequest, FirstRequests
from erp_gateway.writes.intent import Claim
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.rules import WriteState
from erp_gateway.writes.store import LedgerStore
from servicekit.erp.errors import ClientGone

DONE = WriteOutcome(state=WriteState.DONE, answer=WriteAnswer(status=201), is_recorded=True)


def claim(request: bytes = b"request") -> Claim:
    return Claim(
        key_fingerprint=b"key", request_fingerprint=request, expires_at=datetime(2026, 3, 3, tzinfo=UTC)
    )


def first_requests() -> FirstRequests:
    return FirstRequests(cast("LedgerStore", None))  # only `forget_recorded` uses the store


class RefusingStore:
    """Lets no request claim a key until `is_well`, and counts the claims."""

    def __init__(self) -> None:
        self.claims = 0
        self.answers = asyncio.Event()
        self.is_well = False

    async def claim(self) -> None:
        self.claims += 1
        await self.answers.wait()
        if not self.is_well:
            raise LedgerUnavailable


async def claim_free_key() -> None:
    """Claim a key that no earlier write has."""


async def carry_out(
    requests: FirstRequests,
    claim: Claim,
    outcome: WriteOutcome,
    claim_key: Callable[[], Awaitable[None]] = claim_free_key,
) -> WriteAnswer:
    """Make a write with this outcome, or return the answer of the first request."""
    first = await requests.begin(claim)
    if isinstance(first, WriteAnswer):
        return first
    with requests.claiming(first):
        await claim_key()
        first.is_writing = True
    requests.end(first, outcome)
    return outcome.answer_or_raise()


@pytest.mark.asyncio
async def test_requests_pending_on_a_key_are_refused_with_the_first_after_one_claim() -> None:
    store, requests = RefusingStore(), first_requests()
    waiting = [
        asyncio.create_task(carry_out(requests, claim(request), DONE, store.claim))
        for request in (*[b"request"] * 20, b"another")
    ]
    await asyncio.sleep(0)
    store.answers.set()
    results = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in results] == [LedgerUnavailable] * 21
    assert store.claims == 1
    store.is_well = True
    assert (await carry_out(requests, claim(b"another"), DONE, store.claim)).status == 201
    assert store.claims == 2


@pytest.mark.asyncio
async def test_an_unrecorded_unknown_outcome_refuses_repeats_like_an_open_row() -> None:
    lost = WriteOutcome(state=WriteState.UNKNOWN, refusal=OutcomeUnknown(), write_id="w", is_recorded=False)
    requests = first_requests()
    with pytest.raises(OutcomeUnknown):
        await carry_out(requests, claim(), lost)
    with pytest.raises(FirstOutcomeUnknown) as refusal:
        await carry_out(requests, claim(), lost)
    assert refusal.value.members["nextStep"] == "wait"
    write = refusal.value.members["write"]
    assert (write["id"], write["result"]) == ("w", "open")


@pytest.mark.asyncio
async def test_the_next_waiting_request_becomes_the_first_when_the_first_client_left() -> None:
    requests = first_requests()
    first = await requests.begin(claim())
    assert isinstance(first, FirstRequest)
    with requests.claiming(first):
        first.is_writing = True
    waiting = asyncio.create_task(carry_out(requests, claim(), DONE))
    await asyncio.sleep(0)
    requests.end(first, WriteOutcome(state=WriteState.NOT_SENT, refusal=ClientGone(), is_recorded=True))
    assert await waiting == DONE.answer_or_raise()


@pytest.mark.asyncio
async def test_a_cancelled_repeat_leaves_the_other_requests_pending() -> None:
    requests = first_requests()
    first = await requests.begin(claim())
    assert isinstance(first, FirstRequest)
    with requests.claiming(first):
        first.is_writing = True
    cancelled, waiting = (asyncio.create_task(carry_out(requests, claim(), DONE)) for _ in range(2))
    await asyncio.sleep(0)
    cancelled.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelled
    requests.end(first, DONE)
    assert (await waiting).replayed


@pytest.mark.asyncio
async def test_a_failed_claim_frees_the_key() -> None:
    async def fail() -> None:
        raise RuntimeError

    requests = first_requests()
    with pytest.raises(RuntimeError):
        await carry_out(requests, claim(), DONE, fail)
    assert await carry_out(requests, claim(b"another"), DONE) == DONE.answer_or_raise()
