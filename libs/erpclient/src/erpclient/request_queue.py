"""The queue before the ERP: a few calls at a time, users in turn, equal reads together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context, copy_context
from functools import partial
from typing import Any, Final, TypeVar, cast

import structlog
from attrs import define, field, frozen

from erpclient.caller import Caller, CallTrace
from erpclient.clock import Clock, Timer
from erpclient.errors import CallerGone, ErpError, Outcome, QueueClosed, QueueFull, QueueTimeout
from erpclient.observer import Observer

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")

_T = TypeVar("_T")
Work = Callable[[CallTrace], Awaitable[_T]]
"""What to do when the turn has come; it counts its calls in the trace."""


@frozen
class QueueStats:
    """How full the queue is at this moment.

    Attributes:
        waiting: requests that wait for their turn.
        in_flight: calls that are with the ERP.
    """

    waiting: int
    in_flight: int


@frozen
class QueueWait:
    """What one user waits for at this moment.

    Attributes:
        user: whose turn it is to be.
        waiting: requests of this user.
        longest_s: how long the oldest of them has waited.
    """

    user: str
    waiting: int
    longest_s: float


@frozen
class _Failure:
    """An error as a value: set as a future's exception it would be complained about when nobody reads it."""

    error: BaseException


@define(eq=False)
class _Job:
    """Work that waits or runs, and all who want its result. One of equal reads may stand in several lanes."""

    work: Work[Any]
    share: Hashable | None
    context: Context
    waiters: "list[_Waiter]" = field(factory=list)
    trace: CallTrace = field(factory=CallTrace)


@define(eq=False)
class _Waiter:
    """One caller that wants a job's result."""

    caller: Caller
    job: _Job
    since: float
    result: "asyncio.Future[Any]"
    waiting: bool = False
    alarms: list[Timer] = field(factory=list)

    def settle(self, result: object) -> None:
        if not self.result.done():
            self.result.set_result(result)

    def disarm(self) -> None:
        alarms, self.alarms = self.alarms, []  # one holds this waiter; both would stay, with the result
        for alarm in alarms:
            alarm.cancel()


@define(eq=False)
class _Lane:
    """What one user waits for, in order, with the number of that user's waiters for each job."""

    user: str
    jobs: dict[_Job, int] = field(factory=dict)
    waiting: int = 0

    @property
    def since(self) -> float:
        """When the user's oldest request came."""
        waiters = (waiter for job in self.jobs for waiter in job.waiters)
        return min(waiter.since for waiter in waiters if waiter.caller.user == self.user)


class RequestQueue:
    """Runs work, never more at a time than allowed, and lets users take turns.

    A user's work keeps its order. Between users it goes round: one job each. A user who comes anew stands
    before the one who was served last, so that a single request waits for at most one call of another user's
    many.

    Work that has begun runs to its end whoever leaves, and keeps its place until then: the ERP goes on
    working on it too, and a place given away early would be one call too many at the ERP.

    Args:
        max_concurrency: most jobs that run at a time.
        limit: most callers that wait at a time.
        limit_per_user: most of them for one user.
        timeout_s: longest wait.
        clock: time.
        observer: told of every wait.
    """

    def __init__(
        self,
        *,
        max_concurrency: int,
        limit: int,
        limit_per_user: int,
        timeout_s: float,
        clock: Clock,
        observer: Observer,
    ) -> None:
        self._max_concurrency = max_concurrency
        self._limit = limit
        self._limit_per_user = limit_per_user
        self._timeout_s = timeout_s
        self._clock = clock
        self._observer = observer
        self._running: dict[_Job, asyncio.Task[object]] = {}
        self._lanes: dict[str, _Lane] = {}
        self._turns: deque[_Lane] = deque()
        self._served_last: str | None = None
        self._shared: dict[Hashable, _Job] = {}
        self._waiting = 0
        self._held = False
        self._closed = False

    @property
    def stats(self) -> QueueStats:
        """How full the queue is."""
        return QueueStats(self._waiting, len(self._running))

    @property
    def waits(self) -> tuple[QueueWait, ...]:
        """Who waits, whose turn comes next first."""
        now = self._clock.monotonic()
        return tuple(QueueWait(lane.user, lane.waiting, now - lane.since) for lane in self._turns)

    @property
    def busy(self) -> bool:
        """Whether a call is with the ERP; one whose end nobody has taken note of yet is not."""
        return not all(task.done() for task in self._running.values())

    def check(self) -> None:
        """Raise ``QueueClosed`` when no work is taken any more."""
        if self._closed:
            raise self._refusal(QueueClosed(), "closed")

    async def run(self, caller: Caller, work: Work[_T], *, share: Hashable | None = None) -> _T:
        """Wait for a turn, then do the work, or share the result of equal work that has not begun.

        Args:
            caller: for whom; its trace is told the wait, the calls and their time.
            work: what to do.
            share: equal for work whose result may be shared; ``None`` for a write.

        Raises:
            QueueFull: too many wait already.
            QueueTimeout: waited too long.
            QueueClosed: no work is taken any more.
            CallerGone: the caller's ``gone`` said so while it waited.
            Exception: whatever the work raises.
        """
        waiter = self._enter(caller, work, share)
        try:
            result = await waiter.result
        except asyncio.CancelledError:
            self._withdraw(waiter, "left")
            raise
        caller.trace.calls += waiter.job.trace.calls
        caller.trace.upstream_s += waiter.job.trace.upstream_s
        if isinstance(result, _Failure):
            try:
                raise result.error
            finally:
                del result, waiter  # which hold the error; it holds this frame, and all would stay together
        return cast("_T", result)

    def drain(self) -> None:
        """Refuse everybody who waits, and all work from now on. What runs goes on."""
        self._closed = True
        self.dismiss(QueueClosed, "closed")

    def dismiss(self, error: Callable[[], ErpError], outcome: str) -> None:
        """Refuse everybody who waits just now.

        Args:
            error: makes the error for one of them.
            outcome: what the observer is told of their waits.
        """
        for waiter in [waiter for lane in self._turns for job in lane.jobs for waiter in job.waiters]:
            self._refuse(waiter, error(), outcome)

    def hold(self) -> None:
        """Begin nothing until :meth:`release`: who comes waits. What runs goes on."""
        self._held = True

    def release(self) -> None:
        """Go on after :meth:`hold`."""
        self._held = False
        self._begin_next()

    async def wait_until_idle(self) -> None:
        """Wait until nothing runs."""
        while self._running:
            await asyncio.wait(self._running.values())

    async def abort(self) -> None:
        """Cancel what runs. Only for an end that can't wait: what becomes of it at the ERP stays unknown."""
        self.drain()
        for task in self._running.values():
            task.cancel()
        await self.wait_until_idle()

    def _enter(self, caller: Caller, work: Work[Any], share: Hashable | None) -> _Waiter:
        self.check()
        begins_now = self._has_room
        shared = None if begins_now or share is None else self._shared.get(share)
        job = shared or _Job(work, share, copy_context())
        waiter = _Waiter(caller, job, self._clock.monotonic(), asyncio.get_running_loop().create_future())
        if begins_now:
            job.waiters.append(waiter)
            self._observer.wait_ended(outcome="sent", duration_s=0.0)
            self._served_last = caller.user
            self._begin(job)
            return waiter
        self._line_up(waiter)
        if shared is not None:
            caller.trace.joined += 1
        return waiter

    def _line_up(self, waiter: _Waiter) -> None:
        job, user = waiter.job, waiter.caller.user
        lane = self._lanes.get(user)
        if self._waiting >= self._limit:
            raise self._refusal(QueueFull("total"), "full")
        if (0 if lane is None else lane.waiting) >= self._limit_per_user:
            raise self._refusal(QueueFull("user"), "full")
        if lane is None:
            lane = self._lanes[user] = _Lane(user)
            before_last = bool(self._turns) and self._turns[-1].user == self._served_last
            self._turns.insert(len(self._turns) - before_last, lane)
        lane.jobs[job] = lane.jobs.get(job, 0) + 1
        lane.waiting += 1
        self._waiting += 1
        job.waiters.append(waiter)
        if job.share is not None:
            self._shared[job.share] = job
        waiter.waiting = True
        too_late = partial(self._refuse, waiter, QueueTimeout(), "timeout")
        waiter.alarms.append(self._clock.call_later(self._timeout_s, too_late))
        if waiter.caller.gone is not None:
            waiter.alarms.append(asyncio.create_task(self._watch(waiter, waiter.caller.gone)))

    async def _watch(self, waiter: _Waiter, gone: Callable[[], Awaitable[object]]) -> None:
        try:
            await gone()
        except Exception:  # noqa: BLE001  # a watch that fails tells nothing about the caller
            _log.exception("caller_watch_failed")
        else:
            self._refuse(waiter, CallerGone(), "left")

    def _refuse(self, waiter: _Waiter, error: ErpError, outcome: str) -> None:
        if self._withdraw(waiter, outcome):
            waiter.settle(_Failure(error))

    def _withdraw(self, waiter: _Waiter, outcome: str) -> bool:
        """Take out a waiter, and its job when nobody else wants it; tell whether it still waited."""
        if not waiter.waiting:
            return False
        self._step_out(waiter, outcome)
        waiter.job.waiters.remove(waiter)
        if not waiter.job.waiters:
            self._unshare(waiter.job)
        return True

    def _step_out(self, waiter: _Waiter, outcome: str) -> None:
        """End a wait: take the waiter out of its lane, and the lane out of the turns when it is empty."""
        user, job = waiter.caller.user, waiter.job
        lane = self._lanes[user]
        lane.waiting -= 1
        lane.jobs[job] -= 1
        if not lane.jobs[job]:
            del lane.jobs[job]
        if not lane.jobs:
            del self._lanes[user]
            self._turns.remove(lane)
        self._waiting -= 1
        waiter.waiting = False
        waiter.disarm()
        waited_s = self._clock.monotonic() - waiter.since
        waiter.caller.trace.queue_s += waited_s
        self._observer.wait_ended(outcome=outcome, duration_s=waited_s)

    def _refusal(self, error: ErpError, outcome: str) -> ErpError:
        self._observer.wait_ended(outcome=outcome, duration_s=0.0)
        return error

    def _unshare(self, job: _Job) -> None:
        if job.share is not None:
            del self._shared[job.share]

    def _begin(self, job: _Job) -> None:
        for waiter in job.waiters:
            if waiter.caller.begun is not None:
                waiter.caller.begun()
        task = asyncio.create_task(self._work(job), context=job.context)
        self._running[job] = task
        task.add_done_callback(partial(self._end, job))

    async def _work(self, job: _Job) -> object:
        started = self._clock.monotonic()
        try:
            return await job.work(job.trace)
        except ErpError as error:
            return _Failure(error.again())  # as the task's own it would hold frames that hold the task
        finally:
            job.trace.upstream_s = self._clock.monotonic() - started

    def _end(self, job: _Job, task: "asyncio.Task[object]") -> None:
        del self._running[job]
        if task.cancelled():
            if task.cancelling():  # by abort(), or because the whole event loop ends
                self.drain()
            self._deliver(job, _Failure(self._why_cancelled()))
        else:
            error = task.exception()
            self._deliver(job, task.result() if error is None else _Failure(error))
        self._begin_next()

    def _why_cancelled(self) -> Exception:
        if self._closed:
            return QueueClosed().again(outcome=Outcome.UNKNOWN)
        return RuntimeError("something that the work waited for was cancelled")

    def _deliver(self, job: _Job, result: object) -> None:
        # Taken out, so that job and waiters hold each other no longer: they, the answer and all that belongs
        # to the request go at once, and not when the collector of garbage comes.
        waiters, job.waiters = job.waiters, []
        for waiter in waiters:
            if isinstance(result, _Failure) and isinstance(result.error, ErpError):
                waiter.settle(_Failure(result.error.again()))
            else:
                waiter.settle(result)

    @property
    def _has_room(self) -> bool:
        return not self._held and len(self._running) < self._max_concurrency

    def _begin_next(self) -> None:
        while self._turns and self._has_room:
            lane = self._turns[0]
            job = next(iter(lane.jobs))
            for waiter in job.waiters:
                self._step_out(waiter, "sent")
            if lane.jobs:
                self._turns.rotate(-1)
            self._served_last = lane.user
            self._unshare(job)
            self._begin(job)
