"""Long computations outside the event loop.

A child process reads large pastes: the search for columns uses C code that would hold the interpreter lock
for tens of milliseconds. A thread computes plans. They are plain Python, so the interpreter switches threads
every few milliseconds, and sending the receipts to a process would take longer than planning. There is only
one thread: a second one would not compute more, but the event loop would wait twice as long.
"""

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final, ParamSpec, TypeVar, cast

import structlog

from erpclient import FairQueue, Lane, QueueRules
from servicekit.child_process import child_process, own_program
from supplier_returns.planning.computing_process import LENGTH, LENGTHS
from supplier_returns.planning.errors import PicksMismatch, PlanningBusy, PlanningTooLarge
from supplier_returns.planning.rules.picks import PicksMismatchError
from supplier_returns.planning.rules.plans import PlanTooLargeError
from supplier_returns.planning.small_work import run_small_work, without_collector

SMALL_WORK_THREADS: Final = 2
"""Threads for work of a few milliseconds: request bodies, records and ERP responses."""

BODY_BYTES: Final = 40 * 1024 * 1024
"""Total size of large bodies, and of their results, at one time. One user may have half of it."""

BODY_WAIT_S: Final = 45.0
"""Longest wait for this memory, in seconds. It exceeds the time in which a slow body must arrive."""

WORK_S: Final = 20.0
"""Longest work of the process, in seconds. It is below the waiting time of the next request."""

MAX_WAITING: Final = 200
WAIT_S: Final = 30.0
"""Maximum computations that wait for the thread or the process, and their longest wait in seconds."""

_PROGRAM: Final = "supplier_returns.planning.computing_process"

_P = ParamSpec("_P")
_T = TypeVar("_T")

_log = structlog.get_logger(__name__)


class WorkDiedError(Exception):
    """The work crashed its process, or was stopped because it took too long. It is not retried."""


class Computing:
    """Run computations outside the event loop, one at a time, with users in turn. Use `open_computing`.

    Args:
        thread: thread for plans.
        max_waiting: maximum computations that wait for each queue.
        work_s: longest work of the process, in seconds.
    """

    def __init__(self, thread: ThreadPoolExecutor, *, max_waiting: int, work_s: float) -> None:
        self.thread = thread
        self.work_s = work_s
        self._process: Process | None = None
        self._process_life = AsyncExitStack()
        self.thread_queue = _queue(1, max_waiting)
        self.process_queue = _queue(1, max_waiting)
        self.body_queue = _queue(BODY_BYTES, max_waiting, wait_s=BODY_WAIT_S)

    def of(self, user: Lane) -> "UserComputing":
        """Return the computations of one user."""
        return UserComputing(self, user)

    async def call_process(self, task: bytes, body: bytes) -> bytes:
        """Send a task to the process, and start the process if needed. Return its reply.

        Raises:
            EOFError, OSError: the process died or could not start.
        """
        if self._process is None or _has_ended(self._process):
            await self.aclose()
            starting = child_process(own_program(_PROGRAM, *sys.path))
            self._process = await self._process_life.enter_async_context(starting)
        # Both are pipes, since `child_process` starts the program with them.
        writer = cast("asyncio.StreamWriter", self._process.stdin)
        reader = cast("asyncio.StreamReader", self._process.stdout)
        writer.write(LENGTHS.pack(len(task), len(body)) + task)
        # A separate write, so that a large body is not copied.
        writer.write(body)
        await writer.drain()
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return await reader.readexactly(length)

    async def aclose(self) -> None:
        """Stop the process, even during work."""
        self._process = None
        await self._process_life.aclose()


def _has_ended(process: Process) -> bool:
    if process.returncode is not None or sys.platform != "linux":
        return process.returncode is not None
    try:  # asyncio notices the end of a process later than the kernel
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _queue(capacity: int, max_waiting: int, wait_s: float = WAIT_S) -> FairQueue:
    """Create a queue in which one user gets at most half of a larger capacity."""
    rules = QueueRules(
        capacity=capacity,
        capacity_per_user=capacity // 2,
        max_waiting=max_waiting,
        wait_s=wait_s,
        full=lambda _: PlanningBusy(),
        too_late=PlanningBusy,
        closed=PlanningBusy,
    )
    return FairQueue(rules)


class UserComputing:
    """Run the computations of one user.

    Args:
        computing: computations of all users.
        user: lane of the user in the queues.
    """

    def __init__(self, computing: Computing, user: Lane) -> None:
        self._computing = computing
        self._user = user

    @asynccontextmanager
    async def room_for_body(self, size: int) -> AsyncIterator[None]:
        """Reserve memory for a large body until its result is sent.

        The service doesn't read a body before it has the memory. A slow body occupies memory, but no place in
        the queue for computing.

        Args:
            size: announced bytes.

        Raises:
            PlanningBusy: too many requests wait, or this one waited too long.
        """
        with await self._computing.body_queue.take(self._user, size=size):
            yield

    async def run_on_thread(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run long Python code without reference cycles on the thread, and return its result.

        The work is dropped if its caller disconnects before it begins.

        Raises:
            PlanningBusy: too many computations wait.
        """
        with await self._computing.thread_queue.take(self._user):
            wrapped = partial(without_collector, work, *args, **kwargs)
            return await asyncio.get_running_loop().run_in_executor(self._computing.thread, wrapped)

    async def plan(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Compute a plan on the thread.

        Raises:
            PlanningTooLarge: the plan has too many lines, or uses too many receipt lines.
            PicksMismatch: the picks do not add up to the line's allocated quantity.
            PlanningBusy: too many computations wait.
        """
        try:
            return await self.run_on_thread(work, *args, **kwargs)
        except PlanTooLargeError as error:
            raise PlanningTooLarge from error
        except PicksMismatchError as error:
            raise PicksMismatch.in_sum(error.picked, error.allocated) from error

    async def run_in_process(self, work: Callable[..., _T], body: bytes, *args: object) -> _T:
        """Run a function of a module in the process, and return its result.

        The process is stopped if the work takes too long or its caller disconnects. The next work starts a
        new one.

        Args:
            work: function at the top level of a module.
            body: first argument.
            args: further arguments.

        Raises:
            PlanningBusy: too many computations wait.
            WorkDiedError: the process died, or the work took too long.
            Exception: exception of the work, with the traceback as a note.
        """
        computing = self._computing
        with await computing.process_queue.take(self._user):
            task = await run_small_work(pickle.dumps, (work, args))
            answer: bytes | None = None
            try:
                async with asyncio.timeout(computing.work_s):
                    answer = await computing.call_process(task, body)
            except (EOFError, OSError) as error_cause:  # TimeoutError is a subclass of OSError
                _log.error("computing_process_died", timed_out=isinstance(error_cause, TimeoutError))
                raise WorkDiedError from error_cause
            finally:
                # A cancelled caller leaves a reply in the pipe, which the next task would read as its own.
                if answer is None:
                    await computing.aclose()
        result, error = await run_small_work(pickle.loads, answer)
        try:
            if error is not None:
                raise error
            return cast("_T", result)
        finally:
            del error  # its traceback refers to this frame, and so keeps the body in memory


@asynccontextmanager
async def open_computing(
    *, max_waiting: int = MAX_WAITING, work_s: float = WORK_S
) -> AsyncIterator[Computing]:
    """Start the threads, and stop them and the process at the end. Waiting computations are dropped.

    The event loop's default executor (`asyncio.to_thread`) gets few threads as well: each computing thread is
    another one that the event loop waits for.

    Args:
        max_waiting: maximum computations that wait for the thread, the process or memory.
        work_s: longest work of the process, in seconds.
    """
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="planning")
    small_work = ThreadPoolExecutor(SMALL_WORK_THREADS, thread_name_prefix="small-work")
    asyncio.get_running_loop().set_default_executor(small_work)  # the loop shuts it down
    computing = Computing(thread, max_waiting=max_waiting, work_s=work_s)
    try:
        yield computing
    finally:
        await computing.aclose()
        thread.shutdown(wait=True, cancel_futures=True)
