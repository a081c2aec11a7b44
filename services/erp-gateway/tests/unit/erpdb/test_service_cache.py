# ruff: noqa: DTZ001 - a TIMESTAMP of the database has no zone
"""Answers from memory: how old, how many, how large, and one run for all who ask the same."""

import asyncio
import datetime as dt
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import UTC, datetime
from decimal import Decimal

import pytest
import pytest_asyncio

from erp_gateway.cache import MAX_ENTRIES, CachedAnswer
from erp_gateway.erpdb.engines.engine import RowCollector, padded
from erp_gateway.erpdb.errors import DatabaseFailed, ResultTooLarge
from erp_gateway.erpdb.runner import QueryResult
from erp_gateway.erpdb.service import ENTRY_BYTES, QueryAnswer, QueryCache, encode_result
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
    memory: QueryCache, database: Database, question: str = "q", *, past_memory: bool = False
) -> tuple[int, float | None]:
    """Return the number of the run that answered, and the answer's age."""
    told: CachedAnswer[QueryAnswer] = await memory.ask(
        (question,), database.read, keep_s=60, past_memory=past_memory
    )
    return told.answer.rows, told.age_s


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
async def test_who_asks_the_same_meanwhile_shares_the_run_and_one_who_leaves_disturbs_nobody(
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
async def test_the_run_is_given_up_with_the_last_who_waits_and_the_next_one_begins_anew(
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
async def test_past_memory_asks_anew_and_what_it_brings_is_kept_and_not_replaced_by_an_older_run(
    memory: QueryCache, database: Database, clock: ManualClock
) -> None:
    database.may_answer.clear()
    older = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    older_may_answer, database.may_answer = database.may_answer, asyncio.Event()
    clock.advance(1)
    newer = asyncio.ensure_future(ask(memory, database, past_memory=True))
    await asyncio.sleep(0)
    joining = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    database.may_answer.set()
    assert [await newer, await joining] == [(2, None), (2, None)]
    older_may_answer.set()
    assert await older == (1, None)
    assert await ask(memory, database) == (2, 0)


@pytest.mark.asyncio
async def test_a_failure_is_told_to_all_who_wait_and_not_kept(memory: QueryCache, database: Database) -> None:
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
async def test_an_answer_that_would_fill_the_memory_is_not_kept(
    memory: QueryCache, database: Database
) -> None:
    database.size = 10_000
    await ask(memory, database)
    assert len(memory) == memory.size == 0


@pytest.mark.asyncio
async def test_no_more_entries_are_kept_than_there_may_be(clock: ManualClock, database: Database) -> None:
    memory = QueryCache(clock)
    for number in range(MAX_ENTRIES + 1):
        await ask(memory, database, f"q{number}")
    assert len(memory) == MAX_ENTRIES
    assert (await ask(memory, database, "q0"))[1] is None


@pytest.mark.asyncio
async def test_closing_gives_up_what_is_being_read(memory: QueryCache, database: Database) -> None:
    database.may_answer.clear()
    asking = asyncio.ensure_future(ask(memory, database))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await memory.aclose()
    assert database.given_up == 1
    with pytest.raises(asyncio.CancelledError):
        await asking


@pytest.mark.asyncio
async def test_nothing_of_a_failed_run_is_left_behind(memory: QueryCache, database: Database) -> None:
    database.fails = True
    with uncollected(DatabaseFailed) as remains:
        for _ in range(3):
            with suppress(DatabaseFailed):
                await ask(memory, database)
        assert await remains.names() == []


def test_every_kind_of_value_has_its_form() -> None:
    row: dict[str, object] = {
        "Código": "Ñ😀\"'",
        "dec": Decimal("10.500000"),
        "big": Decimal("12345678901234567890.1234567890"),
        "int": 9_007_199_254_740_993,
        "float": 0.1,
        "no": None,
        "yes": True,
        "day": dt.date(2024, 2, 29),
        "time": dt.time(23, 59, 58),
        "moment": dt.datetime(2024, 2, 29, 12, 34, 56, 123_456),
        "midnight": dt.datetime(2024, 2, 29),
        "bin": b"\x00\xff",
        "inf": float("inf"),
    }
    body = encode_result(QueryResult(tuple(row), [row], truncated=True)).decode()
    assert body == (
        '{"rows":[{"Código":"Ñ😀\\"\'","dec":10.500000,"big":12345678901234567890.1234567890,'
        '"int":9007199254740993,"float":0.1,"no":null,"yes":true,"day":"2024-02-29","time":"23:59:58",'
        '"moment":"2024-02-29T12:34:56.123456","midnight":"2024-02-29T00:00:00","bin":"AP8=","inf":null}],'
        '"truncated":true}'
    )


@pytest.mark.parametrize("count", [0, 1, 199, 200, 201, 1000])
def test_any_number_of_rows_is_one_list(count: int) -> None:
    rows: list[dict[str, object]] = [{"n": number} for number in range(count)]
    assert json.loads(encode_result(QueryResult(("n",), rows, truncated=False))) == {
        "rows": rows,
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("number", "scale", "shown"),
    [
        ("10.5", 2, "10.50"),
        ("0", 6, "0.000000"),
        ("1E+3", 0, "1000"),
        ("-1E+3", 2, "-1000.00"),
        ("1.255", 2, "1.255"),
        ("1.5", 32_767, "1.5"),
        ("1E+6000", 2, "1E+6000"),
        ("9999999999999999999999999999999999999.9", 6, "9999999999999999999999999999999999999.900000"),
    ],
)
def test_zeros_come_back_and_no_digit_is_lost(number: str, scale: int, shown: str) -> None:
    assert str(padded(Decimal(number), scale)) == shown


def test_a_result_that_does_not_fit_into_memory_is_refused() -> None:
    rows = RowCollector(["a"], max_rows=100)
    rows.add(["x" * (40 * 1024 * 1024)])
    with pytest.raises(ResultTooLarge):
        rows.add([b"x" * (40 * 1024 * 1024)])


def test_a_row_beyond_the_cap_is_not_even_looked_at() -> None:
    rows = RowCollector(["a"], max_rows=1)
    rows.add(["x"])
    assert rows.wanted == 1
    rows.add(pytest.fail("looked at") for _ in [0])
    assert rows.wanted == 0
    assert rows.finish().truncated


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(DatabaseFailed):
        RowCollector(["a", "a"], max_rows=1)
