"""The fair queue: the total, the share of a name, turns, and every way of leaving."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.fair_queue import FairQueue, Permit, QueueObserver, QueueRules
from erp_gateway.html_reports.errors import PdfQueueFull, PdfQueueTimeout
from servicekit.errors import ShuttingDown


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


MAX_WAITING = 8


def places_of(
    total: int,
    *,
    wait_s: float = 10,
    max_in_all: int | None = None,
    share_of_kind: int | None = None,
    observer: QueueObserver | None = None,
) -> FairQueue:
    """Return places of which a name may hold half."""
    share = max(1, total // 2)
    return FairQueue(
        QueueRules(
            total=total,
            share=share,
            share_of_kind=share_of_kind,
            max_waiting=MAX_WAITING,
            max_in_all=max_in_all,
            wait_s=wait_s,
            full=PdfQueueFull,
            too_long=PdfQueueTimeout,
        ),
        observer,
    )


def wait_for(places: FairQueue, name: str, *, kind: str = "") -> asyncio.Task[Permit]:
    return asyncio.create_task(places.take(name, kind=kind))


async def give_up(*tasks: Awaitable[object]) -> None:
    for task in tasks:
        assert isinstance(task, asyncio.Task)
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.asyncio
@pytest.mark.parametrize(("total", "share"), [(1, 1), (2, 1), (3, 1), (4, 2), (8, 4)])
async def test_a_name_holds_no_more_than_its_share(total: int, share: int) -> None:
    places = places_of(total)
    tasks = [wait_for(places, "a") for _ in range(total + 1)]
    await settle()
    assert sum(task.done() for task in tasks) == share
    await give_up(*tasks)


@pytest.mark.asyncio
async def test_names_take_turns_from_the_one_that_was_not_served_last_and_keep_their_order() -> None:
    places = places_of(1)
    first = await places.take("a")
    order: list[str] = []

    async def run(name: str) -> None:
        place = await places.take(name[0])
        order.append(name)
        await asyncio.sleep(0)
        place.release()

    runs = [asyncio.create_task(run(name)) for name in ("a1", "a2", "a3", "b1", "c1", "b2")]
    await settle()
    first.release()
    await asyncio.gather(*runs)
    assert order == ["b1", "c1", "a1", "b2", "a2", "a3"]


@pytest.mark.asyncio
async def test_one_too_many_who_waits_for_a_name_is_sent_away_and_others_are_not() -> None:
    places = places_of(2)
    held = await places.take("a")
    waiting = [wait_for(places, "a") for _ in range(MAX_WAITING)]
    await settle()
    with pytest.raises(PdfQueueFull):
        await places.take("a")
    (await places.take("b")).release()
    assert places.waiting == MAX_WAITING
    held.release()
    assert (await waiting[0]) is not None
    await give_up(*waiting[1:])
    assert places.waiting == 0


@pytest.mark.asyncio
async def test_who_comes_anew_waits_for_one_piece_of_anothers_many() -> None:
    places = places_of(1)
    held = await places.take("a")
    many = [wait_for(places, "a") for _ in range(3)]
    await settle()
    for number, name in enumerate(("b", "c")):
        one = wait_for(places, name)
        await settle()
        held.release()
        held = await one
        assert [each.done() for each in many].count(True) == number
        held.release()
        held = await many[number]
    await give_up(*many)


@pytest.mark.asyncio
async def test_a_kind_of_work_holds_no_more_than_its_share_whoever_asks_and_other_kinds_go_first() -> None:
    places = places_of(8, share_of_kind=2)
    held = [await places.take(name, kind="slow") for name in ("a", "b")]
    slow = [wait_for(places, name, kind="slow") for name in ("a", "a", "b", "c")]
    await settle()
    assert not any(task.done() for task in slow)
    quick = await places.take("a", kind="quick")  # past those of its own name that wait
    quick.release()
    held[0].release()
    await settle()
    held[1].release()
    await settle()
    assert [task.done() for task in slow] == [False, False, True, True], "names take turns"
    slow[2].result().release()
    await settle()
    assert [task.done() for task in slow] == [True, False, True, True]
    await give_up(slow[1])
    for task in (slow[0], slow[3]):
        task.result().release()
    assert places.waiting == 0
    assert len([await places.take("a", kind=str(number)) for number in range(4)]) == 4


@pytest.mark.asyncio
async def test_one_too_many_of_all_names_is_sent_away() -> None:
    places = places_of(1, max_in_all=3)
    held = await places.take("a")
    waiting = [wait_for(places, name) for name in ("a", "b", "c")]
    await settle()
    with pytest.raises(PdfQueueFull):
        await places.take("d")
    assert places.waiting == 3
    held.release()
    await settle()
    last = wait_for(places, "d")
    await settle()
    assert places.waiting == 3
    await give_up(*waiting, last)


@pytest.mark.asyncio
async def test_a_wait_ends_in_time_and_leaves_nothing_behind() -> None:
    places = places_of(1, wait_s=0.02)
    held = await places.take("a")
    with pytest.raises(PdfQueueTimeout):
        await places.take("a")
    assert places.waiting == 0
    held.release()
    (await places.take("a")).release()


@pytest.mark.asyncio
async def test_a_place_that_reaches_somebody_who_is_leaving_goes_on_to_the_next() -> None:
    places = places_of(1)
    held = await places.take("a")
    leaving, next_one = wait_for(places, "a"), wait_for(places, "a")
    await settle()
    held.release()
    leaving.cancel()  # the place is its own already, but it has not run since
    await asyncio.wait([leaving, next_one], timeout=30)
    assert leaving.cancelled()
    assert next_one.done()
    next_one.result().release()


@pytest.mark.asyncio
async def test_a_place_given_back_twice_counts_once() -> None:
    places = places_of(2)
    held = await places.take("a")
    held.release()
    held.release()
    tasks = [wait_for(places, name) for name in "abc"]
    await settle()
    assert sum(task.done() for task in tasks) == 2
    await give_up(*tasks)


@pytest.mark.asyncio
async def test_closing_sends_all_who_wait_away_and_takes_no_more() -> None:
    places = places_of(1)
    held = await places.take("a")
    waiting = [wait_for(places, "a"), wait_for(places, "b")]
    await settle()
    places.close()
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ShuttingDown, ShuttingDown]
    with pytest.raises(ShuttingDown):
        await places.take("c")
    held.release()


VISITS = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 3))


@given(st.integers(1, 5), st.lists(VISITS, max_size=25))
def test_however_they_come_and_go_no_place_is_lost_and_none_is_given_twice(
    total: int, visits: list[tuple[str, str, int]]
) -> None:
    async def scenario() -> None:
        places = places_of(total, share_of_kind=2)
        held: Counter[str] = Counter()
        kinds: Counter[str] = Counter()

        async def visit(name: str, kind: str, stay: int) -> None:
            place = await places.take(name, kind=kind)
            held[name] += 1
            kinds[kind] += 1
            try:
                assert held.total() <= total
                assert held[name] <= max(1, total // 2)
                assert kinds[kind] <= 2
                for _ in range(stay):
                    await asyncio.sleep(0)
            finally:
                held[name] -= 1
                kinds[kind] -= 1
                place.release()

        tasks = []
        for name, kind, stay in visits:
            task = asyncio.create_task(visit(name, kind, stay))
            tasks.append(task)
            await asyncio.sleep(0)
            if stay == 3:
                task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [error for error in outcomes if isinstance(error, Exception)] == []
        assert places.waiting == 0
        for name in "abc":
            (await places.take(name)).release()

    asyncio.run(scenario())


class Seen:
    """What an observer was told."""

    def __init__(self) -> None:
        self.ends: list[tuple[str, str, bool]] = []
        self.waiting: Callable[[], int]
        self.running: Callable[[], int]

    def watch(self, waiting: Callable[[], int], running: Callable[[], int]) -> None:
        """Keep both."""
        self.waiting, self.running = waiting, running

    def ended(self, *, name: str, outcome: str, duration_s: float) -> None:
        """Keep it."""
        self.ends.append((name, outcome, 0 <= duration_s < 5))


@pytest.mark.asyncio
async def test_an_observer_sees_who_waits_who_works_and_how_it_ended() -> None:
    seen = Seen()
    places = places_of(1, observer=seen)

    async def work(error: BaseException | None) -> None:
        async with places.observed("a"):
            place = await places.take("a")
            try:
                await asyncio.sleep(0.01)
                if error is not None:
                    raise error
            finally:
                place.release()

    errors = (None, PdfQueueFull(), ValueError("hidden"), asyncio.CancelledError())
    tasks = [asyncio.create_task(work(error)) for error in errors]
    await settle()
    assert (seen.waiting(), seen.running()) == (3, 1)
    await asyncio.gather(*tasks, return_exceptions=True)
    assert (seen.waiting(), seen.running()) == (0, 0)
    outcomes = ("ok", "pdf_queue_full", "internal_error", "cancelled")
    assert seen.ends == [("a", outcome, True) for outcome in outcomes]
