"""Which answers the cache keeps, for how long, up to which size, and when it clears them."""

import asyncio
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from cached_reads import read_through
from hypothesis import given, settings
from hypothesis import strategies as st

from erp_gateway.records.proxy.cache.catalogue import MAX_BYTES, UNSURE_S, Answer, CatalogueCache
from erp_gateway.records.proxy.cache.read import CacheKey
from erpclient import (
    CallContext,
    Caller,
    ErpList,
    ErpRecord,
    ErpRefused,
    ErpTimeout,
    ErpUnreachable,
    NullObserver,
    Phase,
    RequestQueue,
    SystemClock,
)
from servicekit.cache import MAX_ENTRIES, CachedAnswer
from servicekit.clock import ManualClock

ONE, TWO = ErpList(b"[1]", 1), ErpList(b"[2]", 1)
QUERY = "?$top=50"


@pytest.fixture
def cache(clock: ManualClock) -> CatalogueCache:
    return CatalogueCache(["Warehouses", "Currencies"], clock, fresh_s=60, stale_s=300)


def fill(cache: CatalogueCache, answer: Answer = ONE, *, of: str = "Warehouses", query: str = QUERY) -> None:
    cache.keep(cache.read_sent(of), query, answer)


def cached(cache: CatalogueCache, of: str = "Warehouses", query: str = QUERY) -> Answer | None:
    found = cache.fresh(of, query)
    return None if found is None else found.answer


def test_a_response_is_fresh_then_stale_then_removed(cache: CatalogueCache, clock: ManualClock) -> None:
    fill(cache)
    clock.advance(59.5)
    assert cache.fresh("Warehouses", QUERY) == CachedAnswer(ONE, 59.5)
    clock.advance(0.5)
    assert cache.fresh("Warehouses", QUERY) is None
    clock.advance(239.5)
    assert cache.stale("Warehouses", QUERY) == CachedAnswer(ONE, 299.5)
    clock.advance(0.5)
    assert cache.stale("Warehouses", QUERY) is None
    assert (len(cache), cache.size) == (0, 0)


def test_the_age_counts_from_when_the_call_was_sent(cache: CatalogueCache, clock: ManualClock) -> None:
    sent = cache.read_sent("Warehouses")
    clock.advance(20)
    cache.keep(sent, QUERY, ONE)
    assert cache.fresh("Warehouses", QUERY) == CachedAnswer(ONE, 20)


@pytest.mark.parametrize("unknown", [False, True])
def test_a_sent_write_clears_only_its_own_resource(cache: CatalogueCache, unknown: bool) -> None:
    fill(cache)
    fill(cache, TWO, of="Currencies")
    assert cached(cache) == ONE
    cache.write_sent("Warehouses")
    assert cached(cache) is None
    fill(cache)
    assert cached(cache) is None, "what is read while a write is with the ERP is kept"
    cache.write_ended("Warehouses", sent=True, unknown=unknown)
    assert cached(cache, "Currencies") == TWO


def test_reads_sent_before_the_end_of_a_write_are_not_cached(
    cache: CatalogueCache,
) -> None:
    before = cache.read_sent("Warehouses")
    cache.write_sent("Warehouses")
    during = cache.read_sent("Warehouses")
    cache.write_ended("Warehouses", sent=True, unknown=False)
    cache.keep(before, QUERY, ONE)
    cache.keep(during, QUERY, ONE)
    assert cached(cache) is None
    fill(cache, TWO)
    assert cached(cache) == TWO


def test_an_unsent_write_clears_the_cache_and_later_reads_are_cached(
    cache: CatalogueCache,
) -> None:
    fill(cache)
    cache.write_ended("Warehouses", sent=False, unknown=False)
    assert cached(cache) is None
    fill(cache)
    assert cached(cache) == ONE


def test_caching_resumes_after_both_concurrent_writes_end(cache: CatalogueCache) -> None:
    cache.write_sent("Warehouses")
    cache.write_sent("Warehouses")
    cache.write_ended("Warehouses", sent=True, unknown=False)
    fill(cache)
    assert cached(cache) is None
    cache.write_ended("Warehouses", sent=True, unknown=False)
    fill(cache)
    assert cached(cache) == ONE


def test_the_later_sent_read_is_kept_in_the_cache(cache: CatalogueCache) -> None:
    earlier, later = cache.read_sent("Warehouses"), cache.read_sent("Warehouses")
    cache.keep(later, QUERY, TWO)
    cache.keep(earlier, QUERY, ONE)
    assert cached(cache) == TWO


def test_an_unknown_outcome_disables_caching_for_ten_minutes(
    cache: CatalogueCache, clock: ManualClock
) -> None:
    fill(cache)
    cache.write_sent("Warehouses")
    cache.write_ended("Warehouses", sent=True, unknown=True)
    assert cache.stale("Warehouses", QUERY) is None
    clock.advance(UNSURE_S - 1)
    sent_in_time = cache.read_sent("Warehouses")
    fill(cache)
    assert (cached(cache), len(cache)) == (None, 0)
    clock.advance(1)
    cache.keep(sent_in_time, QUERY, ONE)
    assert cached(cache) is None, "what was sent within the ten minutes is kept after them"
    fill(cache)
    assert cached(cache) == ONE


def test_writes_to_other_resources_leave_the_cache_unchanged(cache: CatalogueCache) -> None:
    fill(cache)
    cache.write_sent("Orders")
    cache.write_ended("Orders", sent=True, unknown=True)
    assert cached(cache) == ONE


@pytest.mark.parametrize(("fresh_s", "stale_s", "holds"), [(0, 0, False), (60, 0, True), (0, 60, True)])
def test_a_disabled_cache_stores_no_resource(
    clock: ManualClock, fresh_s: float, stale_s: float, holds: bool
) -> None:
    cache = CatalogueCache(["Warehouses"], clock, fresh_s=fresh_s, stale_s=stale_s)
    assert cache.holds("Warehouses") is holds
    assert not cache.holds("Orders")


def test_without_freshness_responses_are_served_only_as_stale(clock: ManualClock) -> None:
    cache = CatalogueCache(["Warehouses"], clock, fresh_s=0, stale_s=60)
    fill(cache)
    assert cache.fresh("Warehouses", QUERY) is None
    assert cache.stale("Warehouses", QUERY) == CachedAnswer(ONE, 0)


def test_the_cache_stays_within_its_size_limit(cache: CatalogueCache) -> None:
    page = ErpList(b"x" * 1_000_000, 1)
    for number in range(20):
        fill(cache, page, query=f"?$skip={number}")
    assert cache.size <= MAX_BYTES
    assert len(cache) == 16


def test_the_counted_size_is_at_least_the_memory_used(cache: CatalogueCache) -> None:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        for number in range(MAX_ENTRIES):
            fill(cache, ErpRecord(b"%d" % number * 20, f'W/"{number}"'), query=f"({number})?")
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before <= cache.size


FRESH_S = 60.0
OFTEN = [("read", 0), ("write", 0), ("work", 0), ("work", 1), ("answer", 0), ("answer", 1)]
SELDOM = [
    ("read_past", 0),
    ("elsewhere", 0),
    ("refuse", 0),
    ("refuse", 1),
    ("lose", 0),
    ("lose", 1),
    ("late", 0),
]
WAITS = [("wait", 1), ("wait", 59), ("wait", 540)]
STEPS = st.lists(st.sampled_from([*OFTEN, *OFTEN, *OFTEN, *SELDOM, *WAITS]), min_size=10, max_size=60)


class Call:
    """A call that is with the ERP."""

    def __init__(self, *, writes: bool) -> None:
        self.writes = writes
        self.version: int | None = None
        self.answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()


class Erp:
    """One record whose version every write increments. The test decides when it works and answers."""

    def __init__(self) -> None:
        self.version = 0
        self.calls: list[Call] = []

    async def take(self, *, writes: bool) -> int:
        """Take a call; return the version it read or made."""
        call = Call(writes=writes)
        self.calls.append(call)
        return await call.answer

    def work(self, call: Call) -> int:
        """Carry out a call, once."""
        if call.version is None:
            self.version += call.writes
            call.version = self.version
        return call.version


class Users:
    """Users who read and write one record, and the least version that each must see."""

    def __init__(self, concurrency: int) -> None:
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        self.cache = CatalogueCache(["W"], self.clock, fresh_s=FRESH_S, stale_s=0)
        self.erp = Erp()
        self.queue = RequestQueue(
            max_concurrency=concurrency,
            limit=100,
            limit_per_user=100,
            timeout_s=3600,
            clock=SystemClock(),
            observer=NullObserver(),
        )
        self.floor = 0
        self.elsewhere: list[tuple[float, int]] = []
        self.lost: list[tuple[float, Call]] = []
        self.tasks: list[asyncio.Task[None]] = []

    def must_see(self) -> int:
        """Return the least version that a read from now on must return."""
        shown = self.clock.monotonic() - FRESH_S
        return max([self.floor, *(version for at, version in self.elsewhere if at <= shown)])

    async def read(self, *, bypass_cache: bool) -> None:
        """Read the record."""
        least = self.must_see()

        async def ask(sent: Callable[[], object]) -> ErpList:
            async def work(_: CallContext) -> ErpList:
                return ErpList(b"%d" % await self.erp.take(writes=False), 1)

            return await self.queue.run(Caller(user), work, share="read", on_start=sent)

        user = f"reader {len(self.tasks) % 3}"
        answer = await read_through(self.cache, CacheKey("W", "?"), ask, bypass=bypass_cache)
        assert int(answer.answer.rows) >= least

    def check_cache(self) -> None:
        """Check the version that the cache would return now."""
        found = self.cache.fresh("W", "?")
        if found is not None:
            assert isinstance(found.answer, ErpList)
            assert int(found.answer.rows) >= self.must_see()

    async def write(self) -> None:
        """Change the record, as `ProxyService` does."""

        async def work(_: CallContext) -> int:
            self.cache.write_sent("W")
            return await self.erp.take(writes=True)

        try:
            made = await self.queue.run(Caller("writer"), work)
        except ErpTimeout:
            self.cache.write_ended("W", sent=True, unknown=True)
        except ErpRefused:
            self.cache.write_ended("W", sent=True, unknown=False)
        else:
            self.cache.write_ended("W", sent=True, unknown=False)
            self.floor = max(self.floor, made)

    def step(self, what: str, number: int) -> None:
        """Perform one step."""
        if what in ("read", "read_past"):
            self.tasks.append(asyncio.create_task(self.read(bypass_cache=what == "read_past")))
        elif what == "write":
            self.tasks.append(asyncio.create_task(self.write()))
        elif what == "elsewhere":
            self.erp.version += 1
            self.elsewhere.append((self.clock.monotonic(), self.erp.version))
        elif what == "wait":
            self.clock.advance(number)
        elif what == "late":
            self.commit_late()
        elif number < len(self.erp.calls):
            self.end(what, self.erp.calls[number])

    def end(self, what: str, call: Call) -> None:
        """Let the ERP work on a call, or end it in one of several ways."""
        if what == "refuse" and call.writes and call.version is None:
            self.erp.calls.remove(call)
            call.answer.set_exception(ErpRefused(412, -2039, "changed"))
        elif what == "lose" and call.writes:
            self.erp.calls.remove(call)
            self.lost.append((self.clock.monotonic(), call))
            self.floor = max(self.floor, call.version or 0)
            call.answer.set_exception(ErpTimeout(Phase.ANSWER))
        else:
            self.erp.work(call)
            if what == "answer":
                self.erp.calls.remove(call)
                call.answer.set_result(self.erp.work(call))

    def commit_late(self) -> None:
        """Carry out a write whose client no longer waits."""
        if self.lost:
            at, call = self.lost.pop(0)
            if self.clock.monotonic() - at < UNSURE_S:
                self.floor = max(self.floor, self.erp.work(call))

    async def finish(self) -> None:
        """Answer all calls; raise the failures of reads."""
        while not all(task.done() for task in self.tasks):
            await settle()
            for call in list(self.erp.calls):
                self.end("answer", call)
        await asyncio.gather(*self.tasks)


async def settle() -> None:
    for _ in range(8):
        await asyncio.sleep(0)


async def live(concurrency: int, steps: list[tuple[str, int]]) -> Users:
    users = Users(concurrency)
    for what, number in steps:
        users.step(what, number)
        await settle()
        users.check_cache()
    await users.finish()
    users.check_cache()
    return users


@pytest.mark.parametrize("concurrency", [1, 2])
@given(steps=STEPS)
@settings(max_examples=200, deadline=None)
def test_reads_through_the_gateway_never_predate_a_write(
    concurrency: int, steps: list[tuple[str, int]]
) -> None:
    asyncio.run(live(concurrency, steps))


UNREACHABLE = ErpUnreachable("ECONNREFUSED", Phase.CONNECT)
