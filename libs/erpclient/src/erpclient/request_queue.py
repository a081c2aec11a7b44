"""The queue before the ERP: limited concurrency, turns between users, shared reads."""

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

# Outcome of a wait that ended with an error.
_OUTCOMES: Final[dict[type[Exception], str]] = {
    QueueTimeout: "timeout",
    QueueFull: "full",
    QueueClosed: "closed",
    ErpUnwell: "unwell",
    CallerGone: "left",
}

RESERVED: Final = 32
"""Places that a queue by recent use reserves for sign-ins, and as many again for administrators."""

_T = TypeVar("_T")
Work = Callable[[CallContext], Awaitable[_T]]
"""Runs when its turn comes, and counts its calls in the context's trace."""


@frozen
class QueueStats:
    """Length of the queue.

    Attributes:
        waiting: requests that wait for their turn.
        in_flight: calls that are with the ERP.
    """

    waiting: int
    in_flight: int


@frozen
class _Failure:
    """An error as a value: asyncio would log a future's exception that is never retrieved."""

    error: BaseException


@define(eq=False)
class _Job:
    """Work that waits or runs, and all requests for its result, possibly in several lanes."""

    work: Work[Any]
    share: Hashable | None
    context: CallContext
    variables: Context
    requests: "list[_Request]" = field(factory=list)


@define(eq=False)
class _Request:
    """A caller waiting for a job's result; it has a `wait` until the turn comes."""

    caller: Caller
    job: _Job
    result: "asyncio.Future[Any]"
    on_start: Callable[[], object] | None = None
    wait: Wait | None = None
    watch: "asyncio.Task[None] | None" = None

    def resolve(self, result: object) -> None:
        if not self.result.done():
            self.result.set_result(result)


class RequestQueue:
    """Runs work in a :class:`FairQueue`. Equal reads that have not started share one run.

    Started work runs to its end even if its callers disconnect, and keeps its permit until then: the ERP
    works on it too, and an early release would exceed the concurrency limit there.

    Args:
        max_concurrency: most running jobs.
        limit: most waiting callers.
        limit_per_user: most waiting callers of one user.
        timeout_s: longest wait.
        clock: time.
        observer: receives every wait.
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
        """Its length."""
        return QueueStats(self._queue.waiting, len(self._running))

    @property
    def waits(self) -> tuple[QueueWait, ...]:
        """Waiting users, the next turn first."""
        return self._queue.waits

    @property
    def busy(self) -> bool:
        """True if a call is in flight; a job whose task has finished does not count."""
        return not all(task.done() for task in self._running.values())

    def check(self) -> None:
        """Raise ``QueueClosed`` if the queue is closed."""
        if self._queue.is_closed:
            self._observer.wait_finished(outcome="closed", duration_s=0.0)
            raise QueueClosed

    async def run(
        self,
        caller: Caller,
        work: Work[_T],
        *,
        share: Hashable | None = None,
        on_start: Callable[[], object] | None = None,
    ) -> _T:
        """Wait for a turn and run the work, or share the result of equal work that has not started.

        Args:
            caller: the caller; its trace adds up the wait, the calls and their time.
            work: the work.
            share: equal for work whose result may be shared; ``None`` for a write.
            on_start: called when the work starts; for shared work once per caller. Must not raise.

        Raises:
            QueueFull: too many wait already.
            QueueTimeout: waited too long.
            QueueClosed: the queue is closed.
            CallerGone: the caller disconnected while it waited.
            Exception: any error of the work.
        """
        request = self._submit(caller, work, share, on_start)
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
                del result, request  # breaks a reference cycle: error, traceback, this frame
        return cast("_T", result)

    def drain(self) -> None:
        """Refuse waiting and new work. Running work continues."""
        self._queue.close()

    def refuse_waiting(self) -> None:
        """Refuse all waiting work with ``ErpUnwell``."""
        self._queue.refuse_waiting(ErpUnwell)

    def pause(self) -> None:
        """Start no work until :meth:`resume`; new work waits. Running work continues."""
        self._queue.pause()

    def resume(self) -> None:
        """Go on after :meth:`pause`."""
        self._queue.resume()

    async def wait_until_idle(self) -> None:
        """Wait until no work runs."""
        while self._running:
            await asyncio.wait(self._running.values())

    async def abort(self) -> None:
        """Cancel running work. Only for an end that can't wait: its outcome at the ERP stays unknown."""
        self.drain()
        for task in self._running.values():
            task.cancel()
        await self.wait_until_idle()

    def _submit(
        self,
        caller: Caller,
        work: Work[Any],
        share: Hashable | None,
        on_start: Callable[[], object] | None,
    ) -> _Request:
        self.check()
        permit = self._queue.try_take(caller.user)
        shared = None if permit is not None or share is None else self._shared.get(share)
        job = shared or _Job(work, share, CallContext(caller, CallTrace()), copy_context())
        request = _Request(caller, job, asyncio.get_running_loop().create_future(), on_start)
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
        if caller.disconnected is not None:
            request.watch = asyncio.create_task(self._watch(request, caller.disconnected))

    async def _watch(self, request: _Request, gone: Callable[[], Awaitable[object]]) -> None:
        try:
            await gone()
        except Exception:  # noqa: BLE001  # a failed watch says nothing about the caller
            _log.exception("caller_watch_failed")
        else:
            self._refuse(request, CallerGone())

    def _finish_wait(self, request: _Request, outcome: Permit | Refusal) -> None:
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
        wait, request.wait = request.wait, None  # breaks a reference cycle that would keep the result alive
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
            if request.on_start is not None:
                request.on_start()
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
            )  # The task's own reference would keep frames alive that refer to the task.
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
        # Breaks the reference cycle of job and requests, so that they and the reply are freed at once and not
        # by garbage collection.
        requests, job.requests = job.requests, []
        for request in requests:
            if isinstance(result, _Failure) and isinstance(result.error, ErpError):
                request.resolve(_Failure(result.error.without_traceback()))
            else:
                request.resolve(result)
