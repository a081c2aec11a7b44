"""The queue against its promises, under storms of arrivals, ends, departures and time."""

import asyncio
from collections import Counter, defaultdict
from typing import Any

import pytest
from attrs import define, field
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from manual_clock import ManualClock
from typing_extensions import override

from erpclient import (
    CallContext,
    Caller,
    CallerGone,
    ErpReplyUnreadable,
    ErpUnwell,
    NullObserver,
    QueueClosed,
    QueueFull,
    QueueTimeout,
)
from erpclient.request_queue import RequestQueue

USERS = ["ana", "eva", "leo"]
LIMIT, LIMIT_PER_USER, TIMEOUT_S = 8, 4, 30.0


@define(eq=False)
class Job:
    """Work in the model: who wants it, and how it ended once it did."""

    share: str | None
    wanted_by: "list[Request]" = field(factory=list)
    end: "asyncio.Future[Job] | None" = None
    failed: bool = False

    @property
    def still_wanted_by(self) -> "list[Request]":
        return [request for request in self.wanted_by if request.waits]


@define(eq=False)
class Request:
    """One caller in the model: it waits, is served by its job, must see ``expected``, or was cancelled."""

    user: str
    job: Job
    deadline: float
    left: asyncio.Event
    waits: bool = True
    cancelled: bool = False
    expected: type[Exception] | None = None
    task: "asyncio.Task[Any] | None" = None

    def stop(self, expected: type[Exception]) -> None:
        if self.waits:
            self.waits, self.expected = False, expected


class QueueStorm(RuleBasedStateMachine):
    """Each rule is an event; after each, queue and callers must be as the promises say."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = ManualClock()
        self.requests: list[Request] = []
        self.running: list[Job] = []
        self.begun: list[Job] = []
        self.overtaken: dict[str, Counter[str]] = defaultdict(Counter)
        self.closed = False
        self.held = False
        self.max_concurrency = 1
        self.queue = self.make_queue()

    def make_queue(self) -> RequestQueue:
        return RequestQueue(
            max_concurrency=self.max_concurrency,
            limit=LIMIT,
            limit_per_user=LIMIT_PER_USER,
            timeout_s=TIMEOUT_S,
            clock=self.clock,
            observer=NullObserver(),
        )

    @initialize(max_concurrency=st.integers(1, 3))
    def open(self, max_concurrency: int) -> None:
        self.max_concurrency = max_concurrency
        self.queue = self.make_queue()

    @property
    def waiting(self) -> list[Request]:
        return [request for request in self.requests if request.waits]

    @rule(user=st.sampled_from(USERS), share=st.sampled_from([None, "x", "y"]))
    def enter(self, user: str, share: str | None) -> None:
        waiting = self.waiting
        begins = not self.held and len(self.running) < self.max_concurrency
        shared = [r.job for r in waiting if share is not None and r.job.share == share and not begins]
        job = shared[0] if shared else Job(share)
        request = Request(user, job, self.clock.monotonic() + TIMEOUT_S, asyncio.Event())
        if self.closed:
            request.stop(QueueClosed)
        elif not begins and (
            len(waiting) >= LIMIT or sum(other.user == user for other in waiting) >= LIMIT_PER_USER
        ):
            request.stop(QueueFull)
        job.wanted_by.append(request)
        self.requests.append(request)
        self.runner.run(self._ask(request))
        self._settle()

    @rule(pick=st.integers(0, 7), failed=st.booleans())
    @precondition(lambda self: self.running)
    def end(self, pick: int, failed: bool) -> None:
        self._end(pick, failed)
        self._settle()

    @rule(pick=st.integers(0, 7))
    @precondition(lambda self: self.waiting)
    def cancel_one_who_waits(self, pick: int) -> None:
        request = self.waiting[pick % len(self.waiting)]
        self._cancel(request)
        request.waits = False
        self._settle()

    @rule(pick=st.integers(0, 7))
    @precondition(lambda self: self.running)
    def cancel_one_who_is_served(self, pick: int) -> None:
        served = [request for job in self.running for request in job.wanted_by]
        self._cancel(served[pick % len(served)])
        self._settle()

    @rule(pick=st.integers(0, 7), steps_between=st.integers(-1, 4))
    @precondition(lambda self: self.running and self.waiting)
    def a_job_ends_while_one_who_waits_is_cancelled(self, pick: int, steps_between: int) -> None:
        """The cancellation comes first (-1), at the same time (0), or some steps of the event loop later."""
        request = self.waiting[pick % len(self.waiting)]
        if steps_between < 0:
            self._cancel(request)
            request.waits = False
        self._end(pick, failed=False)
        self._give_way(steps_between)
        if steps_between >= 0:
            self._cancel(request)
        self._settle()
        request.waits = False

    @rule(pick=st.integers(0, 7))
    @precondition(lambda self: self.waiting)
    def go_away(self, pick: int) -> None:
        request = self.waiting[pick % len(self.waiting)]
        request.stop(CallerGone)
        request.left.set()
        self._settle()

    @rule(seconds=st.sampled_from([1.0, 7.0, 16.0]))
    def let_time_pass(self, seconds: float) -> None:
        self.clock.advance(seconds)
        for request in self.waiting:
            if request.deadline <= self.clock.monotonic():
                request.stop(QueueTimeout)
        self._settle()

    @rule()
    def pause(self) -> None:
        self.held = True
        self.queue.pause()

    @rule()
    @precondition(lambda self: self.held)
    def release(self) -> None:
        self.held = False
        self.runner.run(self._release())
        self._settle()

    @rule()
    @precondition(lambda self: len(self.waiting) > 3)
    def refuse_waiting(self) -> None:
        for request in self.waiting:
            request.stop(ErpUnwell)
        self.queue.refuse_waiting()
        self._settle()

    @rule()
    @precondition(lambda self: len(self.requests) > 15)
    def drain(self) -> None:
        self.closed = True
        for request in self.waiting:
            request.stop(QueueClosed)
        self.queue.drain()
        self._settle()

    @invariant()
    def never_more_run_than_allowed_and_never_fewer_while_somebody_waits(self) -> None:
        assert len(self.running) <= self.max_concurrency
        assert not self.waiting or self.held or len(self.running) == self.max_concurrency
        assert self.queue.stats.in_flight == len(self.running)
        assert self.queue.stats.waiting == len(self.waiting)
        assert self.clock.armed == len(self.waiting)

    @invariant()
    def everybody_has_what_is_due_and_nobody_more(self) -> None:
        for request in self.requests:
            assert request.task is not None
            ended = request.job.end is not None and request.job.end.done()
            due = request.cancelled or request.expected is not None or (ended and not request.waits)
            assert request.task.done() == due
            if request.cancelled:
                assert request.task.cancelled()
            elif request.expected is not None:
                assert type(request.task.exception()) is request.expected
            elif due and request.job.failed:
                assert type(request.task.exception()) is ErpReplyUnreadable
            elif due:
                assert request.task.result() is request.job

    @override
    def teardown(self) -> None:
        with self.runner:
            if self.held:
                self.release()
            while self.running:
                self._end(0, failed=False)
                self._settle()
                self.everybody_has_what_is_due_and_nobody_more()
            assert not self.waiting

    async def _ask(self, request: Request) -> None:
        job = request.job

        async def work(context: CallContext) -> Job:
            job.end = asyncio.get_running_loop().create_future()
            self.running.append(job)
            self.begun.append(job)
            return await job.end

        caller = Caller(request.user, disconnected=request.left.wait)
        request.task = asyncio.create_task(self.queue.run(caller, work, share=job.share))

    async def _release(self) -> None:
        self.queue.resume()

    def _end(self, pick: int, failed: bool) -> None:
        job = self.running.pop(pick % len(self.running))
        job.failed = failed
        assert job.end is not None
        if failed:
            job.end.set_exception(ErpReplyUnreadable("truncated"))
        else:
            job.end.set_result(job)

    def _cancel(self, request: Request) -> None:
        assert request.task is not None
        if not request.task.done():
            request.cancelled = True
            request.task.cancel()

    def _give_way(self, steps: int) -> None:
        async def give_way() -> None:
            for _ in range(steps):
                await asyncio.sleep(0)

        self.runner.run(give_way())

    def _settle(self) -> None:
        self._give_way(10)
        assert not (self.held and self.begun)
        for job in self.begun:
            self._check_turn(job)
        self.begun.clear()
        for user in USERS:
            if all(request.user != user for request in self.waiting):
                self.overtaken[user].clear()

    def _check_turn(self, job: Job) -> None:
        """Only wanted work begins; nobody is overtaken twice by the same user; a user's own order holds."""
        served = job.still_wanted_by
        assert served
        users = {request.user for request in served}
        for request in served:
            request.waits = False
        for user in users:
            self.overtaken[user].clear()
        if len(users) > 1:
            return
        (user,) = users
        # A caller that is cancelled at this moment may or may not have been served.
        waiting = [request for request in self.waiting if not request.cancelled]
        for other in {request.user for request in waiting} - users:
            self.overtaken[other][user] += 1
            assert self.overtaken[other][user] <= 1
        if job.share is None:
            unshared = [r for r in waiting if r.user == user and r.job.share is None]
            assert all(self.requests.index(later) > self.requests.index(served[0]) for later in unshared)


@pytest.mark.proof
def test_the_queue_keeps_its_invariants_in_many_random_runs() -> None:
    many = settings(max_examples=2_000, stateful_step_count=80, deadline=None)
    run_state_machine_as_test(QueueStorm, settings=many)
