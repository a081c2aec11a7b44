"""Answers from memory: how old, how many, how large, and one run for all who ask the same."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime

import pytest
import pytest_asyncio

from erp_gateway.queries.answers import QueryAnswer
from erp_gateway.queries.errors import DatabaseFailed
from erp_gateway.queries.query_cache import ENTRY_BYTES, QueryCache
from servicekit.cache import MAX_ENTRIES, CachedAnswer
from servicekit.clock import ManualClock
from servicekit.testing.remains import uncollected

MAX_BYTES = 40_000


class Database:
    """Answers with the number of the run, once it is let."""

    def __init__(self) -> None:
        self.runs = 0
        self.given_up = 0
        self.may_answer = asyncio.Event()
        self.may_answer.set()
        self.size = 10
        self.fails = False

    async def read(self) -> QueryAnswer:
        self.runs += 1
        number = self.runs
        try:
            await self.may_answer.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        if self.fails:
            raise DatabaseFailed
        return QueryAnswer(b"%d" % number * self.size, number, truncated=False)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 2, tzinfo=UTC))


@pytest_asyncio.fixture
async def memory(clock: ManualClock) -> AsyncIterator[QueryCache]:
    opened = QueryCache(clock, max_bytes=MAX_BYTES)
    yield opened
    await opened.aclose()


@pytest_asyncio.fixture
async def database() -> Database:
    return Database()


async def ask(
    memory: QueryCache, database: Database, question: str = "q", *, bypass_cache: bool = False
) -> tuple[int, float | None]:
    """Return the number of the run that answered, and the answer's age."""
    result: CachedAnswer[QueryAnswer] = await memory.ask(
        (question,), database.read, keep_s=60, bypass_cache=bypass_cache
    )
    return result.answer.rows, result.age_s


@pytest.mark.asyncio
async def test_an_answer_serves_until_its_time_is_over(
    memory: QueryCache, database: Database, clock: ManualClock
) -> None:
    assert await ask(memory, database) == (1, None)
    clock.advance(59)
    assert await ask(memory, database) == (1, 59)
    clock.advance(1)
    assert await ask(memory, database) == (2, None)
    assert await ask(memory, database, "other") == (3, None)


@pytest.mark.asyncio
async def test_the_age_counts_from_the_begin_of_the_run(
    memory: QueryCache, database: Database, clock: ManualClock
) -> None:
    database.may_answer.clear()
    asking = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    clock.advance(20)
    database.may_answer.set()
    assert await asking == (1, None)
    assert await ask(memory, database) == (1, 20)


@pytest.mark.asyncio
async def test_concurrent_equal_requests_share_the_run_despite_disconnects(
    memory: QueryCache, database: Database
) -> None:
    database.may_answer.clear()
    first, second = (asyncio.ensure_future(ask(memory, database)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    database.may_answer.set()
    assert await second == (1, None)
    assert (database.runs, database.given_up) == (1, 0)


@pytest.mark.asyncio
async def test_the_run_is_cancelled_with_its_last_caller_and_the_next_request_starts_a_new_one(
    memory: QueryCache, database: Database
) -> None:
    database.may_answer.clear()
    asking = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    database.may_answer.set()
    assert await ask(memory, database) == (2, None)
    assert database.given_up == 1


@pytest.mark.asyncio
async def test_a_bypassing_request_starts_a_new_run_whose_result_is_not_replaced_by_an_older_one(
    memory: QueryCache, database: Database, clock: ManualClock
) -> None:
    database.may_answer.clear()
    older = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    older_may_answer, database.may_answer = database.may_answer, asyncio.Event()
    clock.advance(1)
    newer = asyncio.ensure_future(ask(memory, database, bypass_cache=True))
    await asyncio.sleep(0)
    joining = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    database.may_answer.set()
    assert [await newer, await joining] == [(2, None), (2, None)]
    older_may_answer.set()
    assert await older == (1, None)
    assert await ask(memory, database) == (2, 0)


@pytest.mark.asyncio
async def test_a_failure_goes_to_all_waiting_callers_and_is_not_cached(
    memory: QueryCache, database: Database
) -> None:
    database.fails = True
    ends = await asyncio.gather(*(ask(memory, database) for _ in range(3)), return_exceptions=True)
    assert [type(end) for end in ends] == [DatabaseFailed] * 3
    database.fails = False
    assert (await ask(memory, database), len(memory)) == ((2, None), 1)


@pytest.mark.asyncio
async def test_bytes_and_entries_are_bounded_and_the_longest_unused_goes_first(
    memory: QueryCache, database: Database, clock: ManualClock
) -> None:
    database.size = 8000
    for question in "abcd":
        await ask(memory, database, question)
    assert await ask(memory, database, "a") == (1, 0)
    await ask(memory, database, "e")
    assert len(memory) == 4
    assert await ask(memory, database, "a") == (1, 0)
    assert await ask(memory, database, "b") == (6, None)
    assert memory.size <= MAX_BYTES
    clock.advance(60)
    database.size = 1
    await ask(memory, database, "f")
    assert (len(memory), memory.size < 2 * ENTRY_BYTES) == (1, True)


@pytest.mark.asyncio
async def test_an_oversized_response_is_not_cached(memory: QueryCache, database: Database) -> None:
    database.size = 10_000
    await ask(memory, database)
    assert len(memory) == memory.size == 0


@pytest.mark.asyncio
async def test_the_cache_keeps_at_most_its_maximum_of_entries(clock: ManualClock, database: Database) -> None:
    memory = QueryCache(clock)
    for number in range(MAX_ENTRIES + 1):
        await ask(memory, database, f"q{number}")
    assert len(memory) == MAX_ENTRIES
    assert (await ask(memory, database, "q0"))[1] is None


@pytest.mark.asyncio
async def test_closing_cancels_running_reads(memory: QueryCache, database: Database) -> None:
    database.may_answer.clear()
    asking = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await memory.aclose()
    assert database.given_up == 1
    with pytest.raises(asyncio.CancelledError):
        await asking


@pytest.mark.asyncio
async def test_a_failed_run_leaves_no_objects(memory: QueryCache, database: Database) -> None:
    database.fails = True
    with uncollected(DatabaseFailed) as remains:
        for _ in range(3):
            with suppress(DatabaseFailed):
                await ask(memory, database)
        assert await remains.names() == []
