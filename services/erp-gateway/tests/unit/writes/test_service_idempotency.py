"""Requests under one key at the same moment: what one of them learns holds for all that waited for it."""

import asyncio
from datetime import UTC, datetime
from typing import cast

import pytest

from erp_gateway.web.error_map import OutcomeUnknown
from erp_gateway.writes.errors import FirstOutcomeUnknown, IdempotencyKeyBadValue, LedgerUnavailable
from erp_gateway.writes.rules import TakenKey, WriteState
from erp_gateway.writes.service import FirstRequest, IdempotentRequests, Take, read_idempotency_key
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.writes import Claim, WriteAnswer, WriteOutcome
from servicekit.erp.errors import ClientGone

DONE = WriteOutcome(state=WriteState.DONE, answer=WriteAnswer(status=201), noted=True)


def claim(request: bytes = b"request") -> Claim:
    return Claim(
        key_fingerprint=b"key", request_fingerprint=request, expires_at=datetime(2026, 3, 3, tzinfo=UTC)
    )


class Refusing:
    """A store that takes no key until it is told to, and how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.goes_on = asyncio.Event()
        self.is_well = False

    async def take(self) -> TakenKey | None:
        self.asked += 1
        await self.goes_on.wait()
        if not self.is_well:
            raise LedgerUnavailable
        return None


async def carry_out(
    repeats: IdempotentRequests, claim: Claim, take: Take, ended: WriteOutcome
) -> WriteAnswer:
    """Ask for a write that ends so."""
    opened = await repeats.open(claim, take)
    if isinstance(opened, WriteAnswer):
        return opened
    repeats.end(opened, ended)
    return ended.given()


@pytest.mark.asyncio
async def test_all_that_wait_for_a_key_are_refused_with_the_first_and_the_store_is_asked_once() -> None:
    store = Refusing()
    repeats = IdempotentRequests(cast("LedgerStore", None))  # nothing was kept: it is not asked for an answer
    waiting = [
        asyncio.create_task(carry_out(repeats, claim(request), store.take, DONE))
        for request in (*[b"request"] * 20, b"another")
    ]
    await asyncio.sleep(0)
    store.goes_on.set()
    told = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(each) for each in told] == [LedgerUnavailable] * 21
    assert store.asked == 1
    store.is_well = True
    assert (await carry_out(repeats, claim(b"another"), store.take, DONE)).status == 201
    assert store.asked == 2


@pytest.mark.asyncio
async def test_an_unknown_end_that_the_store_has_not_taken_is_told_as_its_row_says_it() -> None:
    async def take() -> None:
        return None

    lost = WriteOutcome(state=WriteState.UNKNOWN, refusal=OutcomeUnknown(), write_id="w", noted=False)
    repeats = IdempotentRequests(cast("LedgerStore", None))  # nothing was kept: it is not asked for an answer
    with pytest.raises(OutcomeUnknown):
        await carry_out(repeats, claim(), take, lost)
    with pytest.raises(FirstOutcomeUnknown) as told:
        await carry_out(repeats, claim(), take, lost)
    assert told.value.members["nextStep"] == "wait"
    assert (told.value.members["write"]["id"], told.value.members["write"]["result"]) == ("w", "open")


@pytest.mark.asyncio
async def test_who_waits_for_a_client_that_has_left_is_the_first_then() -> None:
    async def take() -> None:
        return None

    repeats = IdempotentRequests(cast("LedgerStore", None))
    first = await repeats.open(claim(), take)
    assert isinstance(first, FirstRequest)
    waiting = asyncio.create_task(carry_out(repeats, claim(), take, DONE))
    await asyncio.sleep(0)
    repeats.end(first, WriteOutcome(state=WriteState.NOT_SENT, refusal=ClientGone(), noted=True))
    assert await waiting == DONE.given()


def read(*values: str) -> str | None:
    return read_idempotency_key(
        [(b"accept", b"*/*"), *((b"idempotency-key", value.encode("latin-1")) for value in values)]
    )


def test_a_request_may_have_none() -> None:
    assert read() is None


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("8f7c2f5e-6c1d", "8f7c2f5e-6c1d"),
        ('"8f7c2f5e-6c1d"', "8f7c2f5e-6c1d"),
        (" \t k \t", "k"),
        ("x" * 128, "x" * 128),
        ('"' + "x" * 128 + '"', "x" * 128),
        (r'"a\"b\\c"', r"a\"b\\c".replace(r"\"", '"').replace(r"\\", "\\")),
        ('a"b', 'a"b'),
        ("a,b;c=~!", "a,b;c=~!"),
    ],
)
def test_the_quoted_form_and_the_bare_one_are_the_same_key(written: str, meant: str) -> None:
    assert read(written) == meant


@pytest.mark.parametrize(
    "written",
    ["", " ", '""', '"', "x" * 129, '"' + "x" * 129 + '"', "a b", '"a b"', '"a"b"', '"a', '"a";p=1', r'"\a"',
     "ñ", "a\x7f", "a\tb"],
)  # fmt: skip
def test_what_is_no_key_is_refused(written: str) -> None:
    with pytest.raises(IdempotencyKeyBadValue):
        read(written)


def test_two_keys_are_none() -> None:
    with pytest.raises(IdempotencyKeyBadValue):
        read("a", "a")
