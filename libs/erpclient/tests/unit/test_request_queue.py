"""Turns, limits, leaving and sharing in the queue."""

import asyncio
import contextvars
import gc
import logging
import weakref
from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest
import pytest_asyncio
import structlog
from manual_clock import ManualClock

from erpclient import (
    CallContext,
    Caller,
    CallerGone,
    CallTrace,
    ErpError,
    ErpReplyUnreadable,
    ErpUnwell,
    Outcome,
    QueueClosed,
    QueueFull,
    QueueStats,
    QueueTimeout,
    QueueWait,
    Reserve,
)
from erpclient.request_queue import RequestQueue


class Waits:
    """An observer that remembers how waits ended."""

    def __init__(self) -> None:
        self.outcomes: list[tuple[str, float]] = []

    def call_finished(self, *, method: str, resource: str, outcome: str, duration_s: float) -> None: ...

    def call_repeated(self, *, reason: str) -> None: ...

    def login_finished(self, *, outcome: str, duration_s: float) -> None: ...

    def wait_finished(self, *, outcome: str, duration_s: float) -> None:
        self.outcomes.append((outcome, duration_s))


class Desk:
    """A queue with work that ends when the test says so.

    Attributes:
        started: names of the work that began, in order.
    """

    def __init__(
        self,
        clock: ManualClock,
        *,
        max_concurrency: int = 1,
        limit: int = 512,
        per_user: int = 256,
        by_use: bool = False,
    ) -> None:
        self.clock = clock
        self.waits = Waits()
        self.queue = RequestQueue(
            max_concurrency=max_concurrency,
            limit=limit,
            limit_per_user=per_user,
            timeout_s=30.0,
            clock=clock,
            observer=self.waits,
            by_use=by_use,
        )
        self.started: list[str] = []
        self._ends: dict[str, asyncio.Future[object]] = {}

    def ask(
        self,
        name: str,
        user: str = "ana",
        share: object = None,
        caller: Caller | None = None,
        on_start: Callable[[], object] | None = None,
    ) -> asyncio.Task[object]:
        async def work(context: CallContext) -> object:
            self.started.append(name)
            context.trace.calls += 1
            self._ends[name] = asyncio.get_running_loop().create_future()
            return await self._ends[name]

        return asyncio.create_task(
            self.queue.run(caller or Caller(user), work, share=share, on_start=on_start)
        )

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def end(self, name: str, result: object = "done") -> None:
        if isinstance(result, BaseException):
            self._ends[name].set_exception(result)
        else:
            self._ends[name].set_result(result)
        await self.settle()

    async def end_all(self) -> None:
        await self.settle()
        while self.queue.stats != QueueStats(0, 0):
            for name in list(self._ends):
                if not self._ends[name].done():
                    await self.end(name)


@pytest_asyncio.fixture
async def desk(clock: ManualClock) -> AsyncIterator[Desk]:
    desk = Desk(clock)
    yield desk
    await desk.end_all()
    assert clock.armed == 0


@pytest.mark.asyncio
async def test_the_trace_contains_the_cost_of_the_call(desk: Desk, clock: ManualClock) -> None:
    caller = Caller("ana")
    request = desk.ask("a", caller=caller)
    await desk.settle()
    clock.advance(2.5)
    await desk.end("a", 42)
    assert await request == 42
    assert caller.trace == CallTrace(calls=1, joined=0, queue_s=0.0, upstream_s=2.5)
    assert desk.waits.outcomes == [("sent", 0.0)]


@pytest.mark.asyncio
async def test_the_trace_separates_wait_and_work(desk: Desk, clock: ManualClock) -> None:
    desk.ask("a")
    await desk.settle()
    caller = Caller("ana")
    second = desk.ask("b", caller=caller)
    await desk.settle()
    clock.advance(3)
    await desk.end("a")
    clock.advance(4)
    await desk.end("b")
    await second
    assert (caller.trace.queue_s, caller.trace.upstream_s) == (3.0, 4.0)
    assert desk.waits.outcomes == [("sent", 0.0), ("sent", 3.0)]


@pytest.mark.asyncio
async def test_the_trace_is_filled_when_the_work_fails(desk: Desk, clock: ManualClock) -> None:
    caller = Caller("ana")
    request = desk.ask("a", caller=caller)
    await desk.settle()
    clock.advance(1)
    await desk.end("a", ErpReplyUnreadable("truncated"))
    with pytest.raises(ErpReplyUnreadable):
        await request
    assert (caller.trace.calls, caller.trace.upstream_s) == (1, 1.0)


@pytest.mark.asyncio
async def test_no_more_runs_at_a_time_than_allowed(clock: ManualClock) -> None:
    desk = Desk(clock, max_concurrency=3)
    for number in range(10):
        desk.ask(str(number), user=f"user{number % 4}")
    await desk.settle()
    assert desk.started == ["0", "1", "2"]
    assert desk.queue.stats == QueueStats(waiting=7, in_flight=3)
    await desk.end("1")
    assert desk.queue.stats == QueueStats(waiting=6, in_flight=3)
    await desk.end_all()


@pytest.mark.asyncio
async def test_two_hundred_reads_delay_another_users_read_by_at_most_one_call(
    desk: Desk,
) -> None:
    for number in range(200):
        desk.ask(f"many{number}", user="ana")
    await desk.settle()
    single = desk.ask("single", user="eva")
    await desk.settle()
    await desk.end("many0")
    assert desk.started == ["many0", "single"]
    await desk.end("single")
    assert await single == "done"
    assert desk.started[2] == "many1"


@pytest.mark.asyncio
async def test_users_take_turns_and_each_keeps_its_order(desk: Desk) -> None:
    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        desk.ask(name, user=name[0])
    await desk.end_all()
    assert desk.started == ["a1", "b1", "c1", "a2", "b2", "a3"]


@pytest.mark.asyncio
async def test_successive_newcomers_do_not_starve_a_user(desk: Desk) -> None:
    for name in ("a1", "a2"):
        desk.ask(name, user="a")
    await desk.settle()
    for number in range(5):
        desk.ask(f"new{number}", user=f"new{number}")
        await desk.settle()
        await desk.end(desk.started[-1])
    assert "a2" in desk.started[:3]


@pytest.mark.asyncio
async def test_a_full_queue_rejects_at_once(clock: ManualClock) -> None:
    desk = Desk(clock, limit=3, per_user=2)
    desk.ask("running")
    for name in ("a1", "a2"):
        desk.ask(name, user="ana")
    await desk.settle()
    with pytest.raises(QueueFull) as caught:
        await desk.ask("a3", user="ana")
    assert caught.value.scope == "user"
    desk.ask("b1", user="eva")
    await desk.settle()
    with pytest.raises(QueueFull) as caught:
        await desk.ask("c1", user="leo")
    assert caught.value.scope == "total"
    assert caught.value.outcome is Outcome.NOT_DONE
    assert desk.waits.outcomes[-1] == ("full", 0.0)
    await desk.end_all()
    assert desk.started == ["running", "b1", "a1", "a2"]


@pytest.mark.asyncio
async def test_an_evicted_request_is_rejected_like_one_to_a_full_queue(clock: ManualClock) -> None:
    desk = Desk(clock, limit=3, by_use=True)
    desk.ask("running")
    kept, lost = desk.ask("a1"), desk.ask("a2")
    desk.ask("shared", user="eva", share="x")
    await desk.settle()
    clock.advance(4)
    caller = Caller("leo")
    desk.ask("shared", caller=caller, share="x")
    with pytest.raises(QueueFull) as caught:
        await lost
    assert (caught.value.scope, caught.value.outcome) == ("total", Outcome.NOT_DONE)
    assert desk.waits.outcomes[-1] == ("full", 4.0)
    assert desk.queue.stats.waiting == 3
    assert not kept.done()
    await desk.end_all()
    assert desk.started == ["running", "shared", "a1"]
    assert caller.trace.joined == 1


@pytest.mark.asyncio
async def test_eviction_of_one_caller_does_not_end_a_shared_read(
    clock: ManualClock,
) -> None:
    desk = Desk(clock, limit=3, by_use=True)
    desk.ask("running")
    desk.ask("a1")
    lost, kept = desk.ask("shared", share="x"), desk.ask("shared", user="eva", share="x")
    await desk.settle()
    newcomer = desk.ask("late", user="leo")
    with pytest.raises(QueueFull):
        await lost
    await desk.end_all()
    assert [await kept, await newcomer] == ["done", "done"]
    assert desk.started == ["running", "shared", "late", "a1"]


@pytest.mark.asyncio
async def test_callers_of_a_shared_read_share_its_charge(clock: ManualClock) -> None:
    desk = Desk(clock, by_use=True)
    desk.ask("running", user="zoe")
    await desk.settle()
    for _ in range(3):
        desk.ask("shared", user="ana", share="x")
    desk.ask("shared", user="eva", share="x")
    await desk.settle()
    await desk.end("running")
    clock.advance(6)
    desk.ask("leo 1", user="leo")
    await desk.settle()
    await desk.end("shared")
    clock.advance(4)
    for user in ("leo", "ana", "eva"):
        desk.ask(f"{user} 2", user=user)
    await desk.settle()
    await desk.end("leo 1")
    await desk.end_all()
    assert desk.started == ["running", "shared", "leo 1", "ana 2", "eva 2", "leo 2"], (
        "3 s each are less than 4"
    )


@pytest.mark.parametrize(("limit", "reserved"), [(512, 32), (128, 32), (100, 25), (4, 1), (3, 0), (1, 0)])
@pytest.mark.asyncio
async def test_sign_ins_and_administrators_have_places_of_their_own(
    clock: ManualClock, limit: int, reserved: int
) -> None:
    desk = Desk(clock, limit=limit, per_user=limit, by_use=True)
    desk.ask("running")
    for number in range(limit - 2 * reserved):
        desk.ask(f"user{number}", user=f"user{number}")
    for number in range(reserved):
        desk.ask(f"sign-in{number}", caller=Caller("sign-ins", reserve=Reserve.SIGN_IN))
        desk.ask(f"admin{number}", caller=Caller(f"admin{number}", reserve=Reserve.ADMINISTRATOR))
    await desk.settle()
    assert desk.queue.stats.waiting == limit
    with pytest.raises(QueueFull):
        await desk.ask("one too many", user="late")
    assert desk.queue.stats.waiting == limit
    await desk.end_all()
    assert len(desk.started) == limit + 1


@pytest.mark.asyncio
async def test_a_user_with_no_share_at_all_never_waits(clock: ManualClock) -> None:
    desk = Desk(clock, per_user=0)
    desk.ask("running")
    await desk.settle()
    with pytest.raises(QueueFull):
        await desk.ask("waiting", user="eva")
    await desk.end_all()


@pytest.mark.asyncio
async def test_a_request_that_times_out_in_the_queue_is_not_sent(desk: Desk, clock: ManualClock) -> None:
    desk.ask("running")
    await desk.settle()
    caller = Caller("eva")
    late = desk.ask("late", caller=caller)
    await desk.settle()
    clock.advance(29.9)
    await desk.settle()
    assert not late.done()
    clock.advance(0.1)
    with pytest.raises(QueueTimeout):
        await late
    await desk.end_all()
    assert desk.started == ["running"]
    assert caller.trace.queue_s == pytest.approx(30)
    assert "timeout" in [outcome for outcome, _ in desk.waits.outcomes]


@pytest.mark.asyncio
async def test_the_deadline_covers_only_the_queue_wait(desk: Desk, clock: ManualClock) -> None:
    first, second = desk.ask("first"), desk.ask("second")
    await desk.settle()
    clock.advance(29)
    await desk.end("first")
    clock.advance(500)
    await desk.end("second")
    assert (await first, await second) == ("done", "done")


@pytest.mark.asyncio
async def test_a_cancelled_request_releases_its_place(clock: ManualClock) -> None:
    desk = Desk(clock, limit=1)
    desk.ask("running")
    await desk.settle()
    waiting = desk.ask("waiting", user="eva")
    await desk.settle()
    waiting.cancel()
    await desk.settle()
    assert waiting.cancelled()
    assert desk.queue.stats == QueueStats(waiting=0, in_flight=1)
    desk.ask("next", user="leo")
    await desk.end_all()
    assert desk.started == ["running", "next"]
    assert clock.armed == 0


@pytest.mark.asyncio
async def test_running_work_continues_after_its_caller_is_cancelled(desk: Desk) -> None:
    write = desk.ask("write")
    await desk.settle()
    write.cancel()
    desk.ask("next")
    await desk.settle()
    assert write.cancelled()
    assert desk.queue.stats == QueueStats(waiting=1, in_flight=1)
    assert desk.started == ["write"]
    await desk.end("write")
    assert desk.started == ["write", "next"]


@pytest.mark.asyncio
async def test_a_disconnected_caller_releases_its_place(desk: Desk) -> None:
    left = asyncio.Event()
    desk.ask("running")
    await desk.settle()
    waiting = desk.ask("waiting", caller=Caller("eva", disconnected=left.wait))
    await desk.settle()
    left.set()
    with pytest.raises(CallerGone):
        await waiting
    await desk.end_all()
    assert desk.started == ["running"]
    assert desk.waits.outcomes[-1][0] == "left"


@pytest.mark.asyncio
async def test_disconnected_is_awaited_only_during_the_wait(desk: Desk) -> None:
    requests: list[str] = []

    def watch(name: str) -> Callable[[], asyncio.Future[None]]:
        def gone() -> asyncio.Future[None]:
            requests.append(name)
            future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            future.add_done_callback(
                lambda ended: requests.append(f"{name} {'cancelled' if ended.cancelled() else 'ended'}")
            )
            return future

        return gone

    desk.ask("first", caller=Caller("ana", disconnected=watch("first")))
    desk.ask("second", caller=Caller("ana", disconnected=watch("second")))
    await desk.settle()
    assert requests == ["second"]
    await desk.end("first")
    assert requests == ["second", "second cancelled"]


@pytest.mark.asyncio
async def test_a_failing_disconnect_watch_is_logged_and_keeps_the_request_queued(desk: Desk) -> None:
    async def gone() -> None:
        raise OSError("no such connection")

    desk.ask("first")
    await desk.settle()
    with structlog.testing.capture_logs() as logs:
        second = desk.ask("second", caller=Caller("ana", disconnected=gone))
        await desk.settle()
    assert [entry["event"] for entry in logs] == ["caller_watch_failed"]
    await desk.end("first")
    await desk.end("second")
    assert await second == "done"


@pytest.mark.asyncio
async def test_a_hundred_equal_reads_are_two_calls(desk: Desk) -> None:
    reads = [desk.ask(f"read{number}", user=f"user{number}", share="same") for number in range(100)]
    await desk.settle()
    await desk.end("read0", "first")
    await desk.end("read1", "second")
    assert [await read for read in reads] == ["first"] + ["second"] * 99
    assert desk.started == ["read0", "read1"]


@pytest.mark.asyncio
async def test_a_read_never_joins_a_call_already_sent(clock: ManualClock) -> None:
    desk = Desk(clock, max_concurrency=2)
    desk.ask("read0", share="same")
    desk.ask("read1", share="same")
    await desk.settle()
    assert desk.started == ["read0", "read1"]
    desk.ask("read2", share="same")
    await desk.end("read0")
    desk.ask("read3", share="same")
    await desk.end_all()
    assert desk.started == ["read0", "read1", "read2", "read3"]


@pytest.mark.asyncio
async def test_a_shared_call_is_recorded_in_each_trace(desk: Desk, clock: ManualClock) -> None:
    desk.ask("running")
    callers = [Caller("eva"), Caller("leo")]
    for caller in callers:
        desk.ask("read", caller=caller, share="same")
        await desk.settle()
        clock.advance(1)
    await desk.end("running")
    clock.advance(5)
    await desk.end("read")
    assert callers[0].trace == CallTrace(calls=1, joined=0, queue_s=2.0, upstream_s=5.0)
    assert callers[1].trace == CallTrace(calls=1, joined=1, queue_s=1.0, upstream_s=5.0)


@pytest.mark.asyncio
async def test_a_trace_sums_the_calls_of_its_caller(desk: Desk, clock: ManualClock) -> None:
    caller = Caller("ana")
    for number in (1, 2):
        desk.ask(f"held{number}")
        await desk.settle()
        desk.ask(f"first{number}", share="s")
        joined = desk.ask(f"joined{number}", share="s", caller=caller)
        await desk.settle()
        clock.advance(3)
        await desk.end(f"held{number}")
        clock.advance(4)
        await desk.end(f"first{number}")
        await joined
    assert caller.trace == CallTrace(calls=2, joined=2, queue_s=6.0, upstream_s=8.0)


@pytest.mark.asyncio
async def test_on_start_runs_for_each_caller_of_a_shared_call(desk: Desk) -> None:
    result: list[str] = []
    desk.ask("running", on_start=lambda: result.append("ana"))
    for user in ("eva", "leo"):
        desk.ask("read", user, share="same", on_start=partial(result.append, user))
    await desk.settle()
    assert (result, desk.started) == (["ana"], ["running"])
    await desk.end("running")
    assert (result, desk.started) == (["ana", "eva", "leo"], ["running", "read"])


@pytest.mark.parametrize("leaver", [0, 1, 2])
@pytest.mark.asyncio
async def test_a_disconnect_does_not_affect_other_callers_of_a_shared_read(desk: Desk, leaver: int) -> None:
    desk.ask("running")
    await desk.settle()
    reads = [desk.ask("read", user=user, share="same") for user in ("ana", "eva", "leo")]
    await desk.settle()
    reads[leaver].cancel()
    await desk.end("running")
    await desk.end("read", "rows")
    results = await asyncio.gather(*reads, return_exceptions=True)
    assert [result for index, result in enumerate(results) if index != leaver] == ["rows", "rows"]
    assert reads[leaver].cancelled()
    assert desk.started == ["running", "read"]


@pytest.mark.asyncio
async def test_each_caller_of_a_shared_read_has_its_own_deadline(desk: Desk, clock: ManualClock) -> None:
    desk.ask("running")
    await desk.settle()
    early = desk.ask("read", user="eva", share="same")
    await desk.settle()
    clock.advance(20)
    late = desk.ask("read", user="leo", share="same")
    await desk.settle()
    clock.advance(10)
    with pytest.raises(QueueTimeout):
        await early
    clock.advance(19)
    await desk.end("running")
    await desk.end("read", "rows")
    assert await late == "rows"


@pytest.mark.asyncio
async def test_a_shared_read_without_callers_is_not_sent(
    desk: Desk,
) -> None:
    desk.ask("running")
    await desk.settle()
    reads = [desk.ask("old", user=user, share="same") for user in ("eva", "leo")]
    await desk.settle()
    for read in reads:
        read.cancel()
    await desk.settle()
    fresh = desk.ask("new", user="eva", share="same")
    await desk.settle()
    await desk.end("running")
    await desk.end("new", "rows")
    assert await fresh == "rows"
    assert desk.started == ["running", "new"]


@pytest.mark.asyncio
async def test_joining_a_shared_read_keeps_the_callers_own_turn(desk: Desk) -> None:
    for number in range(50):
        desk.ask(f"many{number}", user="ana")
    busy = desk.ask("read", user="ana", share="same")
    await desk.settle()
    joined = desk.ask("read", user="eva", share="same")
    await desk.settle()
    await desk.end("many0")
    assert desk.started == ["many0", "read"]
    await desk.end("read", "rows")
    assert (await busy, await joined) == ("rows", "rows")


@pytest.mark.asyncio
async def test_one_user_may_share_a_read_with_itself(desk: Desk) -> None:
    desk.ask("running")
    await desk.settle()
    first, second = (desk.ask("read", share="same") for _ in range(2))
    await desk.settle()
    assert desk.queue.stats == QueueStats(waiting=2, in_flight=1)
    first.cancel()
    await desk.end("running")
    await desk.end("read", "rows")
    assert await second == "rows"


@pytest.mark.asyncio
async def test_each_caller_of_a_failed_shared_read_gets_its_own_error(desk: Desk) -> None:
    desk.ask("running")
    await desk.settle()
    reads = [desk.ask("read", user=user, share="same") for user in ("eva", "leo")]
    await desk.settle()
    await desk.end("running")
    await desk.end("read", ErpReplyUnreadable("truncated"))
    first, second = await asyncio.gather(*reads, return_exceptions=True)
    assert isinstance(first, ErpReplyUnreadable)
    assert isinstance(second, ErpReplyUnreadable)
    assert first is not second


@pytest.mark.asyncio
async def test_an_unexpected_error_is_raised_unchanged_and_frees_the_place(desk: Desk) -> None:
    request = desk.ask("a")
    await desk.settle()
    await desk.end("a", ZeroDivisionError("bug"))
    with pytest.raises(ZeroDivisionError, match="bug"):
        await request
    assert desk.queue.stats == QueueStats(0, 0)


@pytest.mark.asyncio
async def test_drain_rejects_queued_and_new_requests_and_finishes_running_ones(desk: Desk) -> None:
    running = desk.ask("running")
    await desk.settle()
    waiting = [desk.ask("waiting", user=user, share="same") for user in ("ana", "eva")]
    await desk.settle()
    desk.queue.drain()
    for wait in waiting:
        with pytest.raises(QueueClosed):
            await wait
    with pytest.raises(QueueClosed):
        await desk.ask("late")
    with pytest.raises(QueueClosed):
        desk.queue.check()
    idle = asyncio.create_task(desk.queue.wait_until_idle())
    await desk.settle()
    assert not idle.done()
    await desk.end("running", "written")
    assert await running == "written"
    await idle
    assert desk.waits.outcomes == [("sent", 0.0), *[("closed", 0.0)] * 4]


@pytest.mark.asyncio
async def test_aborting_leaves_the_outcome_unknown(desk: Desk) -> None:
    running, waiting = desk.ask("running"), desk.ask("waiting")
    await desk.settle()
    await desk.queue.abort()
    with pytest.raises(QueueClosed) as caught:
        await running
    assert caught.value.outcome is Outcome.UNKNOWN
    with pytest.raises(QueueClosed) as caught:
        await waiting
    assert caught.value.outcome is Outcome.NOT_DONE
    assert desk.started == ["running"]


@pytest.mark.asyncio
async def test_an_aborted_idle_queue_accepts_no_work(desk: Desk) -> None:
    await desk.queue.abort()
    late = desk.ask("late")
    await desk.settle()
    assert desk.started == []
    with pytest.raises(QueueClosed):
        await late


@pytest.mark.asyncio
async def test_abort_rejects_queued_requests_without_running_ones(desk: Desk) -> None:
    desk.queue.pause()
    waiting = desk.ask("waiting")
    await desk.settle()
    await desk.queue.abort()
    with pytest.raises(QueueClosed) as caught:
        await waiting
    assert caught.value.outcome is Outcome.NOT_DONE


@pytest.mark.asyncio
async def test_a_users_share_frees_by_one_with_each_turn(clock: ManualClock) -> None:
    desk = Desk(clock, per_user=3)
    for name in ("running", "first", "second", "third"):
        desk.ask(name)
    await desk.settle()
    for ended, comes in (("running", "fourth"), ("first", "fifth"), ("second", "sixth")):
        with pytest.raises(QueueFull):
            await desk.ask("too many")
        await desk.end(ended)
        desk.ask(comes)
        await desk.settle()
        assert desk.queue.stats == QueueStats(waiting=3, in_flight=1)
    with pytest.raises(QueueFull):
        await desk.ask("too many")
    await desk.end_all()
    assert desk.started == ["running", "first", "second", "third", "fourth", "fifth", "sixth"]


@pytest.mark.asyncio
async def test_a_paused_queue_starts_no_work_and_running_work_continues(desk: Desk) -> None:
    running = desk.ask("running")
    desk.ask("waiting", user="eva", share="x")
    await desk.settle()
    desk.queue.pause()
    await desk.end("running")
    await running
    late = desk.ask("late", user="leo", share="x")
    await desk.settle()
    assert desk.started == ["running"]
    assert desk.queue.stats == QueueStats(waiting=2, in_flight=0)
    desk.queue.resume()
    await desk.settle()
    assert desk.started == ["running", "waiting"]
    await desk.end("waiting", "shared")
    assert await late == "shared"


@pytest.mark.asyncio
async def test_a_wait_times_out_in_a_paused_queue(desk: Desk, clock: ManualClock) -> None:
    desk.queue.pause()
    waiting = desk.ask("waiting")
    await desk.settle()
    clock.advance(30)
    with pytest.raises(QueueTimeout):
        await waiting
    desk.queue.resume()


@pytest.mark.asyncio
async def test_dismissal_rejects_only_queued_requests_each_with_its_own_error(
    desk: Desk,
) -> None:
    running = desk.ask("running")
    await desk.settle()
    waiting = [desk.ask("waiting", user=user) for user in ("ana", "eva")]
    await desk.settle()
    desk.queue.refuse_waiting()
    errors = await asyncio.gather(*waiting, return_exceptions=True)
    assert [type(error) for error in errors] == [ErpUnwell, ErpUnwell]
    assert errors[0] is not errors[1]
    assert {error.outcome for error in errors if isinstance(error, ErpError)} == {Outcome.NOT_DONE}
    await desk.end("running")
    await running
    later = desk.ask("later")
    await desk.settle()
    await desk.end("later")
    assert await later == "done"
    assert [outcome for outcome, _ in desk.waits.outcomes] == ["sent", "unwell", "unwell", "sent"]


@pytest.mark.asyncio
async def test_the_queue_is_busy_until_the_last_call_ends(desk: Desk) -> None:
    observed: list[bool] = []

    async def work(context: CallContext) -> None:
        asyncio.get_running_loop().call_soon(lambda: observed.append(desk.queue.busy))
        observed.append(desk.queue.busy)

    await desk.queue.run(Caller("ana"), work)
    assert observed == [True, False]


@pytest.mark.asyncio
async def test_work_can_be_aborted_before_its_first_step(desk: Desk) -> None:
    running = desk.ask("running")
    await asyncio.sleep(0)
    assert desk.queue.stats == QueueStats(waiting=0, in_flight=1)
    assert desk.started == []
    await desk.queue.abort()
    with pytest.raises(QueueClosed):
        await running
    assert desk.started == []


@pytest.mark.asyncio
async def test_work_awaiting_a_cancelled_task_fails_without_affecting_others(desk: Desk) -> None:
    met, waiting = desk.ask("met"), desk.ask("waiting", user="eva")
    await desk.settle()
    await desk.end("met", asyncio.CancelledError())
    with pytest.raises(RuntimeError, match=r"^something that the work waited for was cancelled$"):
        await met
    assert desk.queue.stats == QueueStats(waiting=0, in_flight=1)
    await desk.end("waiting", 7)
    assert await waiting == 7


@pytest.mark.asyncio
async def test_a_cancellation_after_drain_is_reported_as_a_closed_queue(
    desk: Desk,
) -> None:
    met = desk.ask("met")
    await desk.settle()
    desk.queue.drain()
    await desk.end("met", asyncio.CancelledError())
    with pytest.raises(QueueClosed) as raised:
        await met
    assert raised.value.outcome is Outcome.UNKNOWN


@pytest.mark.asyncio
async def test_work_runs_in_the_context_of_its_caller(desk: Desk) -> None:
    name = contextvars.ContextVar[str]("name")
    observed: list[str] = []

    async def work(context: CallContext) -> None:
        observed.append(name.get())

    async def ask(value: str) -> None:
        name.set(value)
        await desk.queue.run(Caller(value), work)

    desk.ask("running", user="leo")
    await desk.settle()
    asks = [asyncio.create_task(ask(value)) for value in ("ana", "eva")]
    await desk.settle()
    await desk.end("running")
    await asyncio.gather(*asks)
    assert observed == ["ana", "eva"]


@pytest.mark.asyncio
async def test_errors_without_a_caller_are_not_logged(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    running, waiting = desk.ask("running"), desk.ask("waiting")
    await desk.settle()
    running.cancel()
    waiting.cancel()
    desk.queue.drain()
    await desk.end("running", ErpError("lost"))
    await asyncio.gather(running, waiting, return_exceptions=True)
    del running, waiting
    gc.collect()
    assert caplog.records == []


@pytest.mark.asyncio
async def test_a_request_timed_out_and_cancelled_at_once_ends_once(desk: Desk, clock: ManualClock) -> None:
    desk.ask("running")
    await desk.settle()
    waiting = desk.ask("waiting", user="eva")
    await desk.settle()
    clock.advance(30)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    assert desk.queue.stats == QueueStats(waiting=0, in_flight=1)
    assert [outcome for outcome, _ in desk.waits.outcomes] == ["sent", "timeout"]


def test_a_closed_event_loop_starts_no_more_work(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    desk = Desk(clock)

    async def leave_in_the_middle() -> list[asyncio.Task[object]]:
        requests = [desk.ask(name) for name in ("running", *["waiting"] * 30)]
        await desk.settle()
        return requests

    requested = asyncio.run(leave_in_the_middle())
    gc.collect()
    assert all(task.cancelled() for task in requested)
    assert desk.started == ["running"]
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.mark.asyncio
async def test_the_queue_lists_queued_requests_with_their_times(desk: Desk, clock: ManualClock) -> None:
    assert not desk.queue.waits
    desk.ask("running")
    await desk.settle()
    assert not desk.queue.waits
    desk.ask("shared", user="bea", share="same")
    await desk.settle()
    clock.advance(2.0)
    desk.ask("joined", user="eva", share="same")
    desk.ask("later", user="bea")
    await desk.settle()
    clock.advance(1.0)
    assert desk.queue.waits == (
        QueueWait(user="bea", waiting=2, longest_s=3.0),
        QueueWait(user="eva", waiting=1, longest_s=1.0),
    )


@pytest.mark.asyncio
async def test_a_reply_is_freed_with_its_caller_without_garbage_collection(desk: Desk) -> None:
    class Answer:
        """As large as a list."""

    answers: list[weakref.ref[Answer]] = []

    async def work(_: CallContext) -> Answer:
        await asyncio.sleep(0)
        answer = Answer()
        answers.append(weakref.ref(answer))
        return answer

    gc.collect()
    gc.disable()
    try:
        # One begins at once, one waits, and one shares the call of the one that waits.
        tasks = [asyncio.create_task(desk.queue.run(Caller("ana"), work, share=share)) for share in (1, 2, 2)]
        await asyncio.gather(*tasks)
        del tasks
        await desk.settle()
        assert [answer() for answer in answers] == [None, None]
    finally:
        gc.enable()
