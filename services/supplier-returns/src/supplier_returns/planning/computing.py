"""Where long computations run, so that the event loop stays free for everybody else.

A large paste is read in a process of its own: its text is searched as a whole by code that would keep the
interpreter for tens of milliseconds at a time. Plans are computed on a thread: they are ordinary Python, and
so give way every few milliseconds; their receipts would cost more to send to a process than to plan. It is
one thread, since a second one would compute no more and let the event loop wait twice as long.
"""

import asyncio
import gc
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
import traceback
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar, cast

import structlog

from erpclient import FairQueue, QueueRules
from supplier_returns.planning.errors import PlanningBusy

_lock = threading.Lock()
_holding = 0


@contextmanager
def gc_paused() -> Iterator[None]:
    """Hold Python's cyclic garbage collector back while the block runs; blocks may overlap, on threads too.

    A plan makes hundreds of thousands of small values, none of which refers back to what holds it. The
    collector would walk through all of them again and again, which doubles the time, and each walk stops
    every thread.
    """
    global _holding  # noqa: PLW0603 - the collector is one for the whole process, and so is its state
    with _lock:
        _holding += 1
        if _holding == 1:
            gc.disable()
    try:
        yield
    finally:
        with _lock:
            _holding -= 1
            if not _holding:
                gc.enable()


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

_P = ParamSpec("_P")
_T = TypeVar("_T")

_log = structlog.get_logger(__name__)


async def beside_the_loop(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    """Run what takes milliseconds on a thread, whatever `Computing` is busy with, and return what it returns.

    Args:
        work: Ordinary Python that makes no reference cycles.
        args: Its arguments.
        kwargs: Likewise.
    """
    return await asyncio.to_thread(partial(_uncollected, work, *args, **kwargs))


def _uncollected(work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
    with gc_paused():
        return work(*args, **kwargs)


class WorkDiedError(Exception):
    """Work took its process with it, or took too long and was ended with it. Nobody begins it anew."""


class Computing:
    """Runs computations beside the event loop, one at a time, users in turn. Use `open_computing`.

    Args:
        thread: Where plans are computed.
        talking: A thread that talks to the process.
        max_waiting: Most computations that wait for each.
        work_s: Longest work of the process.
    """

    def __init__(
        self, thread: ThreadPoolExecutor, talking: ThreadPoolExecutor, *, max_waiting: int, work_s: float
    ) -> None:
        self._thread = thread
        self._talking = talking
        self._work_s = work_s
        self._process: _Process | None = None
        self._thread_queue = _queue(1, max_waiting)
        self._process_queue = _queue(1, max_waiting)
        self._body_queue = _queue(BODY_BYTES, max_waiting, wait_s=BODY_WAIT_S)

    def of(self, user: str) -> "UserComputing":
        """Return where a user's computations run."""
        return UserComputing(self, user)

    @asynccontextmanager
    async def room_for_body(self, user: str, size: int) -> AsyncIterator[None]:
        """See `UserComputing.room_for_body`."""
        with await self._body_queue.take(user, size=size):
            yield

    async def run_on_thread(self, user: str, work: Callable[[], _T]) -> _T:
        """See `UserComputing.on_thread`."""
        with await self._thread_queue.take(user):
            return await _run(self._thread, partial(_uncollected, work))

    async def run_in_process(self, user: str, work: Callable[..., _T], body: bytes, *args: object) -> _T:
        """See `UserComputing.in_process`."""
        with await self._process_queue.take(user):
            if self._process is None or not self._process.is_alive:
                self._process = _Process()
            has_answered = False
            try:
                async with asyncio.timeout(self._work_s):
                    result, error = await _run(self._talking, self._process.ask, work, body, args)
                has_answered = True
            except (EOFError, OSError) as reason:  # a TimeoutError is one
                _log.error("computing_process_died", timed_out=isinstance(reason, TimeoutError))
                raise WorkDiedError from reason
            finally:
                if not has_answered:  # also when whoever asked has left
                    self.close()
        try:
            if error is not None:
                raise error
            return cast("_T", result)
        finally:
            del error  # which refers to this frame, and so to the body

    def close(self) -> None:
        """End the process, if one was started, whatever it does."""
        if self._process is not None:
            self._process.kill()
            self._process = None


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


async def _run(thread: ThreadPoolExecutor, work: Callable[..., _T], *args: object) -> _T:
    return await asyncio.get_running_loop().run_in_executor(thread, work, *args)


class UserComputing:
    """Runs a user's computations.

    Args:
        computing: Shared by all users.
        user: Whose turn is taken.
    """

    def __init__(self, computing: Computing, user: str) -> None:
        self._computing = computing
        self._user = user

    def room_for_body(self, size: int) -> AbstractAsyncContextManager[None]:
        """Wait until there is room for a large body, and have it until what is made of it is done with.

        Bodies that wait for it are not read yet, and one that comes slowly takes room and no turn.

        Args:
            size: Bytes, as announced.

        Raises:
            PlanningBusy: Too many wait already, or this one waited too long.
        """
        return self._computing.room_for_body(self._user, size)

    async def on_thread(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run ordinary Python that takes long and makes no reference cycles, and return what it returns.

        Work whose caller leaves before it begins is not done.

        Raises:
            PlanningBusy: Too much is being computed already.
        """
        return await self._computing.run_on_thread(self._user, partial(work, *args, **kwargs))

    async def in_process(self, work: Callable[..., _T], body: bytes, *args: object) -> _T:
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
        return await self._computing.run_in_process(self._user, work, body, *args)


class _Process:
    """A process that does one thing after another, and what is said to it and by it.

    It is not forked: this process has threads, whose locks a copy of it would inherit.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, its_end = context.Pipe()
        self._process = context.Process(target=_serve, args=(its_end,), daemon=True)
        self._process.start()
        its_end.close()

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def ask(
        self, work: Callable[..., Any], body: bytes, args: tuple[object, ...]
    ) -> tuple[Any, Exception | None]:
        """Wait for what work returns, or raises.

        Raises:
            EOFError, OSError: The process has died.
        """
        self._pipe.send((work, args))
        self._pipe.send_bytes(body)  # as it is, and not in a copy
        answer: tuple[Any, Exception | None] = self._pipe.recv()
        return answer

    def kill(self) -> None:
        self._process.kill()  # whoever waits for its answer reads the end of the pipe


def _serve(pipe: Connection) -> None:
    """Do what the service asks for, until it is gone."""
    _begin()
    while True:
        try:
            work, args = pipe.recv()
            body = pipe.recv_bytes()
        except EOFError:
            return
        try:
            answer: tuple[Any, Exception | None] = work(body, *args), None
        except Exception as error:  # noqa: BLE001 - whoever asked is told, whatever it is
            error.add_note(traceback.format_exc())
            answer = None, error
        del body  # while nothing is asked for
        pipe.send(answer)
        del answer


def _begin() -> None:
    """Let this process end when its parent does, however that ends, and leave Ctrl-C to the parent.

    It forgets the environment, which holds secrets: it reads what people paste.
    """
    os.environ.clear()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


@contextmanager
def open_computing(*, max_waiting: int = MAX_WAITING, work_s: float = WORK_S) -> Iterator[Computing]:
    """Open the threads, and end them and the process on leaving; computations that wait then are dropped.

    Small work of the running event loop (`asyncio.to_thread`, whoever calls it) gets few threads too: each
    thread that computes is one more that the loop has to wait for.

    Args:
        max_waiting: Most computations that wait for the thread, for the process or for room.
        work_s: Longest work of the process.
    """
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="planning")
    talking = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pasting")
    small_work = ThreadPoolExecutor(SMALL_WORK_THREADS, thread_name_prefix="small-work")
    asyncio.get_running_loop().set_default_executor(small_work)  # which the loop ends
    computing = Computing(thread, talking, max_waiting=max_waiting, work_s=work_s)
    try:
        yield computing
    finally:
        computing.close()
        talking.shutdown(wait=True, cancel_futures=True)
        thread.shutdown(wait=True, cancel_futures=True)
