"""Reads that the cache answers before the ERP, or instead of an ERP that does not respond."""

from collections.abc import Awaitable, Callable

import pytest
from cached_reads import CountedAnswers, read_through

from erp_gateway.records.proxy.cache.catalogue import CatalogueCache
from erp_gateway.records.proxy.cache.read import CacheKey, is_erp_away
from erpclient import (
    ErpError,
    ErpList,
    ErpRefused,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    Phase,
    QueueFull,
)
from servicekit.cache import CachedAnswer
from servicekit.clock import ManualClock

UNREACHABLE = ErpUnreachable("ECONNREFUSED", Phase.CONNECT)
KEY = CacheKey("W", "?")
PAGE = ErpList(b"[1]", 1)


@pytest.mark.parametrize(
    ("error", "is_away"),
    [
        (UNREACHABLE, True),
        (ErpUnreachable("ECONNRESET", Phase.ANSWER), True),
        (ErpTimeout(Phase.CONNECT), True),
        (ErpUnwell(), True),
        (ErpTimeout(Phase.ANSWER), False),
        (ErpServerError(500, None, ""), False),
        (ErpRefused(404, None, ""), False),
        (QueueFull("user"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_an_unresponsive_erp_counts_as_away(error: ErpError, is_away: bool) -> None:
    assert is_erp_away(error) is is_away


def fail(error: ErpError) -> Callable[[Callable[[], object]], Awaitable[ErpList]]:
    async def call(_: object) -> ErpList:
        raise error

    return call


async def answer(_: object) -> ErpList:
    return PAGE


@pytest.mark.asyncio
async def test_the_age_of_a_response_excludes_queue_time(clock: ManualClock) -> None:
    cache = CatalogueCache(["W"], clock, fresh_s=60, stale_s=0)

    async def wait_and_answer(sent: Callable[[], object]) -> ErpList:
        clock.advance(20)
        sent()
        clock.advance(5)
        return PAGE

    await read_through(cache, KEY, wait_and_answer)
    assert (await read_through(cache, KEY, answer)).age_s == 5


@pytest.mark.asyncio
async def test_a_stale_response_is_marked_and_used_only_during_an_outage(clock: ManualClock) -> None:
    cache, counted = CatalogueCache(["W"], clock, fresh_s=60, stale_s=300), CountedAnswers()
    assert await read_through(cache, KEY, answer) == CachedAnswer(PAGE)
    assert await read_through(cache, KEY, answer, observer=counted) == CachedAnswer(PAGE, 0)
    clock.advance(299)
    stale = await read_through(cache, KEY, fail(UNREACHABLE), observer=counted)
    assert stale == CachedAnswer(PAGE, 299, stale=True)
    assert counted.stale == [False, True]
    with pytest.raises(ErpServerError):
        await read_through(cache, KEY, fail(ErpServerError(500, None, "")))
    with pytest.raises(ErpUnreachable):
        await read_through(cache, KEY, fail(UNREACHABLE), bypass=True)
    clock.advance(1)
    with pytest.raises(ErpUnreachable):
        await read_through(cache, KEY, fail(UNREACHABLE))


@pytest.mark.asyncio
async def test_a_read_that_bypasses_the_cache_is_stored_for_others(clock: ManualClock) -> None:
    cache = CatalogueCache(["W"], clock, fresh_s=60, stale_s=300)
    await read_through(cache, KEY, answer)
    newer = ErpList(b"[2]", 1)

    async def answer_newer(_: object) -> ErpList:
        return newer

    assert await read_through(cache, KEY, answer_newer, bypass=True) == CachedAnswer(newer)
    assert (await read_through(cache, KEY, answer)).answer == newer


@pytest.mark.asyncio
async def test_a_read_without_a_key_bypasses_the_cache(clock: ManualClock) -> None:
    cache = CatalogueCache(["W"], clock, fresh_s=60, stale_s=300)

    async def send_and_answer(sent: Callable[[], object]) -> ErpList:
        sent()
        return PAGE

    assert await read_through(cache, None, send_and_answer) == CachedAnswer(PAGE)
    with pytest.raises(ErpUnreachable):
        await read_through(cache, None, fail(UNREACHABLE))
    assert len(cache) == 0
