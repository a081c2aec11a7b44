"""The queue before the ERP: a few calls at a time, users in turn, equal reads together."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from contextvars import Context, copy_context
from functools import partial
from typing import Any, Final, TypeVar, cast

import structlog
from attrs import define, field, frozen

from erpclient.caller import CallContext, Caller, CallTrace, Reserve
from erpclient.clock import Clock
from erpclient.errors import CallerGone, ErpError, ErpUnwell, Outcome, QueueClosed, QueueFull, QueueTimeout
from erpclient.fair_queue import FairQueue, Permit, QueueWait, Wait
from erpclient.observer import Observer
from erpclient.queue_rules import QueueRules, Refusal

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger("erpclient")

_OUTCOMES: Final[dict[type[Exception], str]] = {
    QueueTimeout: "timeout",
    QueueFull: "full",
    QueueClosed: "closed",
    ErpUnwell: "unwell",
    CallerGone: "left",
}
"""What the observer is told of a wait that ended with an error."""

RESERVED: Final = 32
"""Places that a queue by recent use keeps for sign-ins, and as many again for administrators."""

_T = TypeVar("_T")
Work = Callable[[CallContext], Awaitable[_T]]
"""What to do when the turn has come; it counts its calls in the context's trace."""


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
class _Failure:
    """An error as a value: set as a future's exception it would be complained about when nobody reads it."""

    error: BaseException


@define(eq=False)
class _Job:
    """Work that waits or runs, and all requests for its result, which may stand in several users' lanes."""

    work: Work[Any]
    share: Hashable | None
    context: CallContext
    variables: Context
    requests: "list[_Request]" = field(factory=list)


@define(eq=False)
class _Request:
    """One caller that wants a job's result; it has a wait as long as it waits for the turn."""

    caller: Caller
    job: _Job
    result: "asyncio.Future[Any]"
    wait: Wait | None = None
    watch: "asyncio.Task[None] | None" = None

    def resolve(self, result: object) -> None:
        if not self.result.done():
            self.result.set_result(result)


class RequestQueue:
    """Runs work in a :class:`FairQueue`; equal reads that have not begun are done once for all who ask.

    Work that has begun runs to its end whoever leaves, and keeps its permit until then: the ERP goes on
    working on it too, and a permit given away early would be one call too many at the ERP.

    Args:
        max_concurrency: most jobs that run at a time.
        limit: most callers that wait at a time.
        limit_per_user: most of them for one user.
        timeout_s: longest wait.
        clock: time.
        observer: told of every wait.
        by_use: whether the user with the least recent use is next, instead of one after another; see
            :class:`QueueRules`. Work that is shared is then charged to all users who share it.
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
        by_use: bool = False,
    ) -> None:
        # A small queue reserves less, so that half of it at least is for everyone.
        reserved = min(RESERVED, limit // 4)
        rules = QueueRules(
            capacity=max_concurrency,
            max_waiting=limit,
            max_waiting_per_user=limit_per_user,
            by_use=by_use,
            reserved={Reserve.SIGN_IN: reserved, Reserve.ADMINISTRATOR: reserved} if by_use else {},
            wait_s=timeout_s,
            full=QueueFull,
            too_late=QueueTimeout,
            closed=QueueClosed,
        )
        self._queue = FairQueue(rules, clock)
        self._clock = clock
        self._observer = observer
        self._running: dict[_Job, asyncio.Task[object]] = {}
        self._shared: dict[Hashable, _Job] = {}

    @property
    def stats(self) -> QueueStats:
        """How full the queue is."""
        return QueueStats(self._queue.waiting, len(self._running))

    @property
    def waits(self) -> tuple[QueueWait, ...]:
        """Who waits, whose turn comes next first."""
        return self._queue.waits

    @property
    def busy(self) -> bool:
        """Whether a call is with the ERP; one whose end nobody has taken note of yet is not."""
        return not all(task.done() for task in self._running.values())

    def check(self) -> None:
        """Raise ``QueueClosed`` when no work is taken any more."""
        if self._queue.is_closed:
            self._observer.wait_finished(outcome="closed", duration_s=0.0)
            raise QueueClosed

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
        request = self._submit(caller, work, share)
        try:
            result = await request.result
        except asyncio.CancelledError:
            self._refuse(request, CallerGone())
            raise
        trace = request.job.context.trace
        caller.trace.calls += trace.calls
        caller.trace.upstream_s += trace.upstream_s
        if isinstance(result, _Failure):
            try:
                raise result.error
            finally:
                del result, request  # which hold the error; it holds this frame, and all would stay together
        return cast("_T", result)

    def drain(self) -> None:
        """Refuse everybody who waits, and all work from now on. What runs goes on."""
        self._queue.close()

    def refuse_waiting(self) -> None:
        """Refuse everybody who waits just now with ``ErpUnwell``."""
        self._queue.refuse_waiting(ErpUnwell)

    def pause(self) -> None:
        """Begin nothing until :meth:`resume`: who comes waits. What runs goes on."""
        self._queue.pause()

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        self._queue.resume()

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

    def _submit(self, caller: Caller, work: Work[Any], share: Hashable | None) -> _Request:
        self.check()
        permit = self._queue.try_take(caller.user)
        shared = None if permit is not None or share is None else self._shared.get(share)
        job = shared or _Job(work, share, CallContext(caller, CallTrace()), copy_context())
        request = _Request(caller, job, asyncio.get_running_loop().create_future())
        if permit is None:
            self._enqueue(request)
            if shared is not None:
                caller.trace.joined += 1
            return request
        job.requests.append(request)
        self._observer.wait_finished(outcome="sent", duration_s=0.0)
        self._start(job, permit)
        return request

    def _enqueue(self, request: _Request) -> None:
        caller, job = request.caller, request.job
        try:
            request.wait = self._queue.enqueue(
                caller.user, partial(self._finish_wait, request), reserve=caller.reserve
            )
        except QueueFull:
            self._observer.wait_finished(outcome="full", duration_s=0.0)
            raise
        job.requests.append(request)
        if job.share is not None:
            self._shared[job.share] = job
        if caller.gone is not None:
            request.watch = asyncio.create_task(self._watch(request, caller.gone))

    async def _watch(self, request: _Request, gone: Callable[[], Awaitable[object]]) -> None:
        try:
            await gone()
        except Exception:  # noqa: BLE001  # a watch that fails tells nothing about the caller
            _log.exception("caller_watch_failed")
        else:
            self._refuse(request, CallerGone())

    def _finish_wait(self, request: _Request, outcome: Permit | Refusal) -> None:
        """Begin the job with the permit that one who wants it was given, or tell that one the error."""
        if not isinstance(outcome, Permit):
            self._refuse(request, outcome())
            return
        job = request.job
        waits = [each.wait for each in job.requests if each.wait is not None]
        for each in job.requests:
            self._record_wait(each, "sent")
        self._unshare(job)
        outcome.share_cost({each.caller.user for each in job.requests})
        self._start(job, outcome)
        self._queue.withdraw(*waits)

    def _refuse(self, request: _Request, error: Exception) -> None:
        """Take out a request that still waits, and its job when nobody else wants it."""
        if request.wait is None:
            return
        job, wait = request.job, request.wait
        self._record_wait(request, _OUTCOMES[type(error)])
        job.requests.remove(request)
        if not job.requests:
            self._unshare(job)
        request.resolve(_Failure(error))
        self._queue.withdraw(wait)

    def _record_wait(self, request: _Request, outcome: str) -> None:
        wait, request.wait = request.wait, None  # which holds the request; both would stay, with the result
        if request.watch is not None:
            request.watch.cancel()
            request.watch = None
        waited_s = 0.0 if wait is None else self._clock.monotonic() - wait.since
        request.caller.trace.queue_s += waited_s
        self._observer.wait_finished(outcome=outcome, duration_s=waited_s)

    def _unshare(self, job: _Job) -> None:
        if job.share is not None:
            del self._shared[job.share]

    def _start(self, job: _Job, permit: Permit) -> None:
        for request in job.requests:
            if request.caller.begun is not None:
                request.caller.begun()
        task = asyncio.create_task(self._work(job), context=job.variables)
        self._running[job] = task
        task.add_done_callback(partial(self._finish, job, permit))

    async def _work(self, job: _Job) -> object:
        trace, started = job.context.trace, self._clock.monotonic()
        try:
            return await job.work(job.context)
        except ErpError as error:
            return _Failure(
                error.without_traceback()
            )  # as the task's own it would hold frames that hold the task
        finally:
            trace.upstream_s = self._clock.monotonic() - started

    def _finish(self, job: _Job, permit: Permit, task: "asyncio.Task[object]") -> None:
        del self._running[job]
        if task.cancelled():
            if task.cancelling():  # by abort(), or because the whole event loop ends
                self.drain()
            self._deliver(job, _Failure(self._why_cancelled()))
        else:
            error = task.exception()
            self._deliver(job, task.result() if error is None else _Failure(error))
        permit.release()

    def _why_cancelled(self) -> Exception:
        if self._queue.is_closed:
            return QueueClosed().without_traceback(outcome=Outcome.UNKNOWN)
        return RuntimeError("something that the work waited for was cancelled")

    def _deliver(self, job: _Job, result: object) -> None:
        # Taken out, so that job and requests hold each other no longer: they, the answer and all that belongs
        # to the request go at once, and not when the collector of garbage comes.
        requests, job.requests = job.requests, []
        for request in requests:
            if isinstance(result, _Failure) and isinstance(result.error, ErpError):
                request.resolve(_Failure(result.error.without_traceback()))
            else:
                request.resolve(result)
