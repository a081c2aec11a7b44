"""Slowest allowed download: the rate per minute, the longest time, and the time that counts."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Message

from erp_gateway.files.exports.pace import MINUTE_S, ON_THE_WAY, Pace, PaceRules, send_download

RATE = 16_000
RULES = PaceRules(min_bytes_s=RATE, max_s=900)
PIECE = (RATE * 60 - ON_THE_WAY) // 10 + 1
"""A tenth of what must be taken in a minute, but for what may be on its way."""


def taken(pace: Pace, *waits_s: float) -> float:
    """Have pieces taken after these waits, and return how long the next one may take."""
    for waited_s in waits_s:
        assert waited_s <= pace.patience_s
        pace.took(PIECE, waited_s)
    return pace.patience_s


def test_an_idle_reader_is_dropped_after_a_minute() -> None:
    assert taken(Pace(RULES)) == MINUTE_S
    assert taken(Pace(RULES), 20, 30) == 10


def test_a_reader_below_the_minimum_rate_is_dropped() -> None:
    assert taken(Pace(RULES), *[6.0] * 100) == pytest.approx(6.0)
    slow = Pace(RULES)
    assert taken(slow, *[6.6] * 9) == pytest.approx(0.6)


def test_a_fast_beginning_does_not_count_for_later_minutes() -> None:
    pace = Pace(RULES)
    assert taken(pace, *[0.0] * 1000) == MINUTE_S
    assert taken(pace, 30.0) == 30.0


def test_a_pause_after_a_burst_lasts_at_most_a_minute() -> None:
    pace = Pace(RULES)
    for _ in range(10):
        assert taken(pace, 59.0, *[0.0] * 10) == MINUTE_S


def test_a_download_ends_at_its_maximum_duration() -> None:
    pace = Pace(PaceRules(min_bytes_s=RATE, max_s=100))
    assert taken(pace, *[5.0] * 19) == 5.0
    assert taken(pace, 5.0) == 0.0


async def slow_chunks(pause_s: float) -> AsyncIterator[bytes]:
    for _ in range(3):
        await asyncio.sleep(pause_s)
        yield b"x"


@pytest.mark.asyncio
async def test_time_spent_producing_the_file_does_not_count_as_slow_reading() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    rules = PaceRules(min_bytes_s=RATE, max_s=1)
    await send_download(Response(), slow_chunks(0.5), rules, {"type": "http"}, send)
    assert [message.get("body") for message in sent] == [None, b"x", b"x", b"x", b""]


@pytest.mark.asyncio
async def test_a_dropped_slow_download_is_visibly_incomplete() -> None:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        if len(sent) > 1:
            await asyncio.Event().wait()
        sent.append(message)

    rules = PaceRules(min_bytes_s=RATE, max_s=1)
    with pytest.raises(ClientDisconnect):
        await send_download(Response(), slow_chunks(0), rules, {"type": "http"}, send)
    assert [message.get("body") for message in sent] == [None, b"x"]
