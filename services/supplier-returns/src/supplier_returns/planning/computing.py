"""Where long computations run, so that the event loop stays free for everybody else.

A large paste is read in a process of its own: its text is searched as a whole by code that would keep the
interpreter for tens of milliseconds at a time. Plans are computed on a thread: they are ordinary Python, and
so give way every few milliseconds; their receipts would cost more to send to a process than to plan. It is
one thread, since a second one would compute no more and let the event loop wait twice as long.
"""

import asyncio
import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Final, ParamSpec, TypeVar

import structlog

from supplier_returns.planning.collecting import cycles_uncollected
from supplier_returns.planning.turns import TurnLimits, Turns

SMALL_WORK_THREADS: Final = 2
"""Threads for what takes milliseconds: bodies, records, the answers of the ERP."""

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
    with cycles_uncollected():
        return work(*args, **kwargs)


class Computing:
    """Runs computations beside the event loop, one at a time, users in turn. Use `open_computing`.

    Args:
        thread: Where plans are computed.
        limits: How many computations may wait.
    """

    def __init__(self, thread: ThreadPoolExecutor, limits: TurnLimits) -> None:
        self._thread = thread
        self._processes: ProcessPoolExecutor | None = None
        self._thread_turns = Turns(limits)
        self._process_turns = Turns(limits)

    def of(self, user: str) -> "UserComputing":
        """Return where a user's computations run."""
        return UserComputing(self, user)

    async def run_on_thread(self, user: str, work: Callable[[], _T]) -> _T:
        """See `UserComputing.on_thread`."""
        async with self._thread_turns.take(user):
            return await self._run(self._thread, partial(_uncollected, work))

    async def run_in_process(self, user: str, work: Callable[..., _T], body: bytes, *args: object) -> _T:
        """See `UserComputing.in_process`."""
        async with self._process_turns.take(user, size=len(body)):
            try:
                return await self._run(self._open_processes(), work, body, *args)
            except BrokenProcessPool:
                _log.error("computing_process_died")
                self._close_processes()
                return await self._run(self._open_processes(), work, body, *args)

    def close(self) -> None:
        """End the process, if one was started; what waits is dropped."""
        self._close_processes()

    async def _run(self, executor: Executor, work: Callable[..., _T], *args: object) -> _T:
        return await asyncio.get_running_loop().run_in_executor(executor, work, *args)

    def _open_processes(self) -> ProcessPoolExecutor:
        if self._processes is None:
            # Not forked: this process has threads, whose locks a copy of it would inherit.
            context = multiprocessing.get_context("spawn")
            self._processes = ProcessPoolExecutor(
                max_workers=1, mp_context=context, initializer=_begin
            )
        return self._processes

    def _close_processes(self) -> None:
        if self._processes is not None:
            self._processes.shutdown(wait=False, cancel_futures=True)
            self._processes = None


class UserComputing:
    """Runs a user's computations.

    Args:
        computing: Shared by all users.
        user: Whose turn is taken.
    """

    def __init__(self, computing: Computing, user: str) -> None:
        self._computing = computing
        self._user = user

    async def on_thread(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run ordinary Python that takes long and makes no reference cycles, and return what it returns.

        Work whose caller leaves before it begins is not done.

        Raises:
            PlanningBusy: Too much is being computed already.
        """
        return await self._computing.run_on_thread(self._user, partial(work, *args, **kwargs))

    async def in_process(self, work: Callable[..., _T], body: bytes, *args: object) -> _T:
        """Run a module's function in another process, and return what it returns.

        A process that died is replaced, and the work repeated once.

        Args:
            work: A function at the top of a module.
            body: Its first argument.
            args: The others.

        Raises:
            PlanningBusy: Too much is being computed already.
            BrokenProcessPool: The process died twice.
        """
        return await self._computing.run_in_process(self._user, work, body, *args)


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
def open_computing(limits: TurnLimits | None = None) -> Iterator[Computing]:
    """Open the thread, and end it and the process on leaving; computations that wait then are dropped.

    Small work of the running event loop (`asyncio.to_thread`, whoever calls it) gets few threads too: each
    thread that computes is one more that the loop has to wait for.

    Args:
        limits: How many computations may wait.
    """
    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="planning")
    small_work = ThreadPoolExecutor(SMALL_WORK_THREADS, thread_name_prefix="small-work")
    asyncio.get_running_loop().set_default_executor(small_work)  # which the loop ends
    computing = Computing(thread, limits or TurnLimits())
    try:
        yield computing
    finally:
        computing.close()
        thread.shutdown(wait=True, cancel_futures=True)
