"""The fair queue: its capacity, the shares of users and kinds, turns, and every way of leaving."""

import asyncio
import gc
import weakref
from collections import Counter
from collections.abc import Awaitable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erpclient import FairQueue, Permit, QueueRules


class FullError(Exception):
    """One too many."""


class TooLateError(Exception):
    """The wait was too long."""


class ClosedError(Exception):
    """The queue takes no work."""


MAX_WAITING_PER_USER = 8


def queue_of(
    capacity: int,
    *,
    wait_s: float = 10,
    max_waiting: int | None = None,
    max_waiting_per_user: int = MAX_WAITING_PER_USER,
    capacity_per_kind: int | None = None,
) -> FairQueue:
    """Return a queue in which a user has half of the capacity at most."""
    return FairQueue(
        QueueRules(
            capacity=capacity,
            capacity_per_user=capacity // 2,
            capacity_per_kind=capacity_per_kind,
            max_waiting=max_waiting,
            max_waiting_per_user=max_waiting_per_user,
            wait_s=wait_s,
            full=FullError,
            too_late=TooLateError,
            closed=ClosedError,
        )
    )


def wait_for(queue: FairQueue, user: str, *, kind: str = "") -> asyncio.Task[Permit]:
    return asyncio.create_task(queue.take(user, kind=kind))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def give_up(*tasks: Awaitable[object]) -> None:
    for task in tasks:
        assert isinstance(task, asyncio.Task)
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.mark.parametrize(("capacity", "share"), [(1, 1), (2, 1), (3, 1), (4, 2), (8, 4)])
@pytest.mark.asyncio
async def test_a_user_has_no_more_than_their_share(capacity: int, share: int) -> None:
    queue = queue_of(capacity)
    tasks = [wait_for(queue, "a") for _ in range(capacity + 1)]
    await settle()
    assert sum(task.done() for task in tasks) == share
    await give_up(*tasks)


@pytest.mark.asyncio
async def test_users_take_turns_and_each_keeps_its_order() -> None:
    queue = queue_of(1)
    first = await queue.take("a")
    order: list[str] = []

    async def run(name: str) -> None:
        with await queue.take(name[0]):
            order.append(name)
            await asyncio.sleep(0)

    runs = [asyncio.create_task(run(name)) for name in ("a1", "a2", "a3", "b1", "c1", "b2")]
    await settle()
    assert (queue.used, queue.waiting) == (1, 6)
    first.release()
    await asyncio.gather(*runs)
    assert order == ["b1", "c1", "a1", "b2", "a2", "a3"]
    assert (queue.used, queue.waiting) == (0, 0)


@pytest.mark.asyncio
async def test_the_limit_of_one_user_does_not_reject_others() -> None:
    queue = queue_of(2)
    held = await queue.take("a")
    waiting = [wait_for(queue, "a") for _ in range(MAX_WAITING_PER_USER)]
    await settle()
    with pytest.raises(FullError, match="user"):
        await queue.take("a")
    (await queue.take("b")).release()
    assert queue.waiting == MAX_WAITING_PER_USER
    held.release()
    assert (await waiting[0]) is not None
    await give_up(*waiting[1:])
    assert queue.waiting == 0


@pytest.mark.asyncio
async def test_a_user_limit_of_one_allows_one_queued_request() -> None:
    queue = queue_of(1, max_waiting_per_user=1)
    with await queue.take("a"):
        waiting = wait_for(queue, "b")
        await settle()
        with pytest.raises(FullError, match="user"):
            await queue.take("b")
    (await waiting).release()


@pytest.mark.asyncio
async def test_a_new_user_waits_for_at_most_one_request_of_another_backlog() -> None:
    queue = queue_of(1)
    held = await queue.take("a")
    many = [wait_for(queue, "a") for _ in range(3)]
    await settle()
    for number, user in enumerate(("b", "c")):
        one = wait_for(queue, user)
        await settle()
        held.release()
        held = await one
        assert [each.done() for each in many].count(True) == number
        held.release()
        held = await many[number]
    await give_up(*many)


@pytest.mark.asyncio
async def test_a_kind_at_its_limit_is_overtaken_by_other_kinds() -> None:
    queue = queue_of(8, capacity_per_kind=2)
    held = [await queue.take(user, kind="slow") for user in ("a", "b")]
    slow = [wait_for(queue, user, kind="slow") for user in ("a", "a", "b", "c")]
    await settle()
    assert not any(task.done() for task in slow)
    quick = await queue.take("a", kind="quick")  # past those of its own user that wait
    quick.release()
    held[0].release()
    await settle()
    held[1].release()
    await settle()
    assert [task.done() for task in slow] == [False, False, True, True], "users take turns"
    slow[2].result().release()
    await settle()
    assert [task.done() for task in slow] == [True, False, True, True]
    await give_up(slow[1])
    for task in (slow[0], slow[3]):
        task.result().release()
    assert queue.waiting == 0
    assert len([await queue.take("a", kind=str(number)) for number in range(4)]) == 4


@pytest.mark.asyncio
async def test_a_request_over_the_total_limit_is_rejected() -> None:
    queue = queue_of(1, max_waiting=3)
    held = await queue.take("a")
    waiting = [wait_for(queue, user) for user in ("a", "b", "c")]
    await settle()
    with pytest.raises(FullError, match="total"):
        await queue.take("d")
    assert queue.waiting == 3
    held.release()
    await settle()
    last = wait_for(queue, "d")
    await settle()
    assert queue.waiting == 3
    await give_up(*waiting, last)


@pytest.mark.asyncio
async def test_a_wait_times_out_without_leftovers() -> None:
    queue = queue_of(1, wait_s=0.02)
    held = await queue.take("a")
    with pytest.raises(TooLateError):
        await queue.take("a")
    assert queue.waiting == 0
    held.release()
    (await queue.take("a")).release()


@pytest.mark.asyncio
async def test_a_rejection_is_freed_with_its_caller_without_garbage_collection() -> None:
    queue = queue_of(1, wait_s=0.02)
    errors: list[weakref.ref[TooLateError]] = []

    async def ask() -> None:
        try:
            await queue.take("b")
        except TooLateError as error:
            errors.append(weakref.ref(error))

    with await queue.take("a"):
        gc.disable()
        try:
            await asyncio.create_task(ask())
            assert [error() for error in errors] == [None]
        finally:
            gc.enable()


@pytest.mark.asyncio
async def test_a_disconnect_passes_the_turn_to_the_next() -> None:
    queue = queue_of(1)
    held = await queue.take("z")
    leaving, same_user, other = wait_for(queue, "a"), wait_for(queue, "a"), wait_for(queue, "b")
    await settle()
    await give_up(leaving)
    held.release()
    (await same_user).release()
    (await other).release()


@pytest.mark.asyncio
async def test_a_permit_for_a_cancelled_request_goes_to_the_next() -> None:
    queue = queue_of(1)
    held = await queue.take("a")
    leaving, next_one = wait_for(queue, "a"), wait_for(queue, "a")
    await settle()
    held.release()
    leaving.cancel()  # the permit is its own already, but it has not run since
    await asyncio.wait([leaving, next_one], timeout=30)
    assert leaving.cancelled()
    assert next_one.done()
    next_one.result().release()


@pytest.mark.asyncio
async def test_a_permit_for_a_just_cancelled_request_goes_to_the_next() -> None:
    queue = queue_of(1)
    held = await queue.take("a")
    leaving, next_one = wait_for(queue, "a"), wait_for(queue, "a")
    await settle()
    leaving.cancel()
    held.release()  # it has not run since it was cancelled
    await asyncio.wait([leaving, next_one], timeout=30)
    assert leaving.cancelled()
    next_one.result().release()
    (await queue.take("b")).release()


@pytest.mark.asyncio
async def test_a_permit_released_twice_counts_once() -> None:
    queue = queue_of(2)
    held = await queue.take("a")
    held.release()
    held.release()
    tasks = [wait_for(queue, user) for user in "abc"]
    await settle()
    assert sum(task.done() for task in tasks) == 2
    await give_up(*tasks)


@pytest.mark.asyncio
async def test_failed_work_releases_its_permit() -> None:
    queue = queue_of(1)
    with pytest.raises(ZeroDivisionError), await queue.take("a"):
        raise ZeroDivisionError
    assert queue.used == 0


@pytest.mark.asyncio
async def test_closing_rejects_queued_and_new_requests() -> None:
    queue = queue_of(1)
    held = await queue.take("a")
    waiting = [wait_for(queue, "a"), wait_for(queue, "b")]
    await settle()
    queue.close()
    outcomes = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [ClosedError, ClosedError]
    with pytest.raises(ClosedError):
        await queue.take("c")
    held.release()


@pytest.mark.asyncio
async def test_closing_does_not_affect_a_cancelled_request() -> None:
    queue = queue_of(1)
    with await queue.take("a"):
        leaving = wait_for(queue, "b")
        await settle()
        leaving.cancel()
        queue.close()
        await asyncio.wait([leaving])
    assert leaving.cancelled()
    assert (queue.used, queue.waiting) == (0, 0)


@pytest.mark.asyncio
async def test_a_withdrawn_request_is_not_notified_of_a_dismissal() -> None:
    queue = queue_of(1)
    result: list[str] = []

    def first_goes(_: object) -> None:
        result.append("first")
        queue.withdraw(second)

    with await queue.take("a"):
        queue.enqueue("b", first_goes)
        second = queue.enqueue("c", lambda _: result.append("second"))
        queue.refuse_waiting(TooLateError)
    assert result == ["first"]


class Visitors:
    """Permits that are in use, by name: a user, a number, and a size if it is not 1."""

    def __init__(self, queue: FairQueue) -> None:
        self._queue = queue
        self._visits: dict[str, tuple[asyncio.Task[None], asyncio.Event]] = {}
        self.inside: list[str] = []

    async def come(self, *names: str) -> None:
        for name in names:
            leaves = asyncio.Event()
            self._visits[name] = (asyncio.create_task(self._visit(name, leaves)), leaves)
            await settle()

    async def leave(self, name: str) -> None:
        visit, leaves = self._visits[name]
        leaves.set()
        await visit
        await settle()

    async def give_up(self, name: str) -> None:
        self._visits[name][0].cancel()
        await settle()

    async def _visit(self, name: str, leaves: asyncio.Event) -> None:
        with await self._queue.take(name[0], size=int(name[2:] or 1)):
            self.inside.append(name)
            await leaves.wait()
            self.inside.remove(name)


@pytest.mark.asyncio
async def test_of_a_larger_capacity_one_permit_is_reserved_for_other_users() -> None:
    visitors = Visitors(queue_of(4))
    await visitors.come("a1", "a2", "a3", "b1")
    assert visitors.inside == ["a1", "a2", "b1"], "one stays for others, although a third one waits"
    await visitors.come("c1", "d1")
    assert visitors.inside == ["a1", "a2", "b1", "c1"]
    await visitors.leave("b1")
    assert visitors.inside == ["a1", "a2", "c1", "d1"], "a3 came before, and a has its half"
    await visitors.leave("a1")
    assert visitors.inside == ["a2", "c1", "d1", "a3"]
    for name in ("a2", "c1", "d1", "a3"):
        await visitors.leave(name)
    await visitors.come("e1", "e2")
    assert visitors.inside == ["e1", "e2"], "nothing is held for ever"


@pytest.mark.asyncio
async def test_fitting_work_starts_without_overtaking_its_own_lane() -> None:
    visitors = Visitors(queue_of(10))
    await visitors.come("a15", "a21", "b14", "c14", "c21", "d11")
    assert visitors.inside == ["a15", "b14"], "a has its half, and the room that is left gathers for c14"
    await visitors.leave("b14")
    assert visitors.inside == ["a15", "c14", "d11"], "c21 would go beyond the half of c"
    await visitors.leave("c14")
    assert visitors.inside == ["a15", "d11", "c21"]


@pytest.mark.asyncio
async def test_work_does_not_overtake_its_own_lane_at_the_users_limit() -> None:
    visitors = Visitors(queue_of(10))
    await visitors.come("a13", "a24", "a31")
    assert visitors.inside == ["a13"], "a has room for one more, and a24 came before a31"
    await visitors.leave("a13")
    assert visitors.inside == ["a24", "a31"]


@pytest.mark.asyncio
async def test_a_large_request_gets_its_turn_despite_many_small_ones() -> None:
    visitors = Visitors(queue_of(10))
    await visitors.come("a15", "b12", "c13", "d15")
    assert visitors.inside == ["a15", "b12", "c13"]
    await visitors.come("e11", "f11")
    await visitors.leave("b12")
    await visitors.come("g11", "h11")
    assert visitors.inside == ["a15", "c13"], "2 of 5"
    await visitors.leave("c13")
    assert visitors.inside == ["a15", "d15"]
    await visitors.leave("a15")
    assert visitors.inside == ["d15", "e11", "f11", "g11", "h11"]


@pytest.mark.asyncio
async def test_work_behind_a_withdrawn_large_request_starts() -> None:
    visitors = Visitors(queue_of(10))
    await visitors.come("a15", "b14", "c14", "c21")
    assert visitors.inside == ["a15", "b14"]
    await visitors.give_up("c14")
    assert visitors.inside == ["a15", "b14", "c21"]


VISITS = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 3))


@given(st.integers(1, 5), st.lists(VISITS, max_size=25))
def test_permits_are_never_lost_or_granted_twice(capacity: int, visits: list[tuple[str, str, int]]) -> None:
    async def scenario() -> None:
        queue = queue_of(capacity, capacity_per_kind=2)
        held: Counter[str] = Counter()
        kinds: Counter[str] = Counter()

        async def visit(user: str, kind: str, stay: int) -> None:
            permit = await queue.take(user, kind=kind)
            held[user] += 1
            kinds[kind] += 1
            try:
                assert held.total() <= capacity
                assert held[user] <= max(1, capacity // 2)
                assert kinds[kind] <= 2
                for _ in range(stay):
                    await asyncio.sleep(0)
            finally:
                held[user] -= 1
                kinds[kind] -= 1
                permit.release()

        tasks = []
        for user, kind, stay in visits:
            task = asyncio.create_task(visit(user, kind, stay))
            tasks.append(task)
            await asyncio.sleep(0)
            if stay == 3:
                task.cancel()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        assert [error for error in outcomes if isinstance(error, Exception)] == []
        assert queue.waiting == 0
        for user in "abc":
            (await queue.take(user)).release()

    asyncio.run(scenario())
