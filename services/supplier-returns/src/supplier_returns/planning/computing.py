"""Where long computations run, so that the event loop stays free for everybody else.

A large paste is read in a process of its own: its text is searched as a whole by code that would keep the
interpreter for tens of milliseconds at a time. Plans are computed on a thread: they are ordinary Python, and
so give way every few milliseconds; their receipts would cost more to send to a process than to plan. It is
one thread, since a second one would compute no more and let the event loop wait twice as long.
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
"""Threads for what takes milliseconds: bodies, records, the answers of the ERP."""

BODY_BYTES: Final = 40 * 1024 * 1024
"""What large bodies may hold at a time, with what is made of them; half of it those of one user."""

BODY_WAIT_S: Final = 45.0
"""Longest wait for such room: longer than a body may take to arrive, so that slow ones make nobody fail."""

WORK_S: Final = 20.0
"""Longest work of the process: shorter than others wait for their turn."""

MAX_WAITING: Final = 200
WAIT_S: Final = 30.0
"""Most computations that wait for the thread or for the process, and their longest wait."""

_PROGRAM: Final = "supplier_returns.planning.computing_process"

_P = ParamSpec("_P")
_T = TypeVar("_T")

_log = structlog.get_logger(__name__)


class WorkDiedError(Exception):
    """Work took its process with it, or took too long and was ended with it. Nobody begins it anew."""


class Computing:
    """Runs computations beside the event loop, one at a time, users in turn. Use `open_computing`.

    Args:
        thread: Where plans are computed.
        max_waiting: Most computations that wait for each.
        work_s: Longest work of the process.
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
        """Return where a user's computations run."""
        return UserComputing(self, user)

    async def ask(self, task: bytes, body: bytes) -> bytes:
        """Return the answer of the process that runs, or of a new one.

        Raises:
            EOFError, OSError: It has died, or could not be started.
        """
        if self._process is None or _has_ended(self._process):
            await self.aclose()
            starting = child_process(own_program(_PROGRAM, *sys.path))
            self._process = await self._process_life.enter_async_context(starting)
        # Both are pipes.
        writer = cast("asyncio.StreamWriter", self._process.stdin)
        reader = cast("asyncio.StreamReader", self._process.stdout)
        writer.write(LENGTHS.pack(len(task), len(body)) + task)
        writer.write(body)
        await writer.drain()
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return await reader.readexactly(length)

    async def aclose(self) -> None:
        """End the process, if one was started, whatever it does."""
        self._process = None
        await self._process_life.aclose()


def _has_ended(process: Process) -> bool:
    if process.returncode is not None or sys.platform != "linux":
        return process.returncode is not None
    try:  # asyncio hears of an end a moment later
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _queue(capacity: int, max_waiting: int, wait_s: float = WAIT_S) -> FairQueue:
    """Make a queue in which one user has half of a larger capacity at most."""
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
    """Runs a user's computations.

    Args:
        computing: Shared by all users.
        user: Whose turn is taken.
    """

    def __init__(self, computing: Computing, user: Lane) -> None:
        self._computing = computing
        self._user = user

    @asynccontextmanager
    async def room_for_body(self, size: int) -> AsyncIterator[None]:
        """Wait until there is room for a large body, and have it until what is made of it is done with.

        Bodies that wait for it are not read yet, and one that comes slowly takes room and no turn.

        Args:
            size: Bytes, as announced.

        Raises:
            PlanningBusy: Too many wait already, or this one waited too long.
        """
        with await self._computing.body_queue.take(self._user, size=size):
            yield

    async def run_on_thread(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run ordinary Python that takes long and makes no reference cycles, and return what it returns.

        Work whose caller leaves before it begins is not done.

        Raises:
            PlanningBusy: Too much is being computed already.
        """
        with await self._computing.thread_queue.take(self._user):
            whole = partial(without_collector, work, *args, **kwargs)
            return await asyncio.get_running_loop().run_in_executor(self._computing.thread, whole)

    async def plan(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Compute a plan on the thread.

        Raises:
            PlanningTooLarge: It has too many lines, or touches too many receipt lines.
            PicksMismatch: The picks do not add up to what the line gives back.
            PlanningBusy: Too much is being computed already.
        """
        try:
            return await self.run_on_thread(work, *args, **kwargs)
        except PlanTooLargeError as error:
            raise PlanningTooLarge from error
        except PicksMismatchError as error:
            raise PicksMismatch.in_sum(error.picked, error.allocated) from error

    async def run_in_process(self, work: Callable[..., _T], body: bytes, *args: object) -> _T:
        """Run a module's function in another process, and return what it returns.

        The process ends with work that takes too long or whose caller leaves; the next one's is another.

        Args:
            work: A function at the top of a module.
            body: Its first argument.
            args: The others.

        Raises:
            PlanningBusy: Too much is being computed already.
            WorkDiedError: The process died of the work, or the work took too long.
            Exception: What the work raised; a note of it says where.
        """
        computing = self._computing
        with await computing.process_queue.take(self._user):
            task = await run_small_work(pickle.dumps, (work, args))
            answer: bytes | None = None
            try:
                async with asyncio.timeout(computing.work_s):
                    answer = await computing.ask(task, body)
            except (EOFError, OSError) as reason:  # a TimeoutError is one
                _log.error("computing_process_died", timed_out=isinstance(reason, TimeoutError))
                raise WorkDiedError from reason
            finally:
                if answer is None:  # also when whoever asked has left
                    await computing.aclose()
        result, error = await run_small_work(pickle.loads, answer)
        try:
            if error is not None:
                raise error
            return cast("_T", result)
        finally:
            del error  # which refers to this frame, and so to the body


@asynccontextmanager
async def open_computing(
    *, max_waiting: int = MAX_WAITING, work_s: float = WORK_S
) -> AsyncIterator[Computing]:
    """Open the threads, and end them and the process on leaving; computations that wait then are dropped.

    Small work of the running event loop (`asyncio.to_thread`, whoever calls it) gets few threads too: each
    thread that computes is one more that the loop has to wait for.

    Args:
        max_waiting: Most computations that wait for the thread, for the process or for room.
        work_s: Longest work of the process.
    """
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="planning")
    small_work = ThreadPoolExecutor(SMALL_WORK_THREADS, thread_name_prefix="small-work")
    asyncio.get_running_loop().set_default_executor(small_work)  # which the loop ends
    computing = Computing(thread, max_waiting=max_waiting, work_s=work_s)
    try:
        yield computing
    finally:
        await computing.aclose()
        thread.shutdown(wait=True, cancel_futures=True)
