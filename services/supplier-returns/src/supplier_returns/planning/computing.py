"""Where long computations run, so that the event loop stays free for everybody else.

A large paste is read in a process of its own: its text is searched as a whole by code that would keep the
interpreter for tens of milliseconds at a time. Plans are computed on a thread: they are ordinary Python, and
so give way every few milliseconds; their receipts would cost more to send to a process than to plan.
"""

import asyncio
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Final, ParamSpec, TypeVar

import structlog

from supplier_returns.planning.collecting import cycles_uncollected
from supplier_returns.planning.errors import PlanningBusy

MAX_JOBS: Final = 16
"""Computations running and waiting together; each may hold a paste of 10 MiB or a warehouse's receipts."""

SWITCH_INTERVAL_S: Final = 0.001
"""How long a computing thread keeps the interpreter while the event loop wants it.

A request takes it back about ten times, so Python's own 5 ms would cost it 50 ms beside one plan and 100 ms
beside two.
"""

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
    """Runs computations beside the event loop, a bounded number at a time. Use `open_computing`.

    Args:
        threads: Where plans are computed.
        max_jobs: Computations running and waiting together; further ones are refused.
    """

    def __init__(self, threads: ThreadPoolExecutor, *, max_jobs: int = MAX_JOBS) -> None:
        self._threads = threads
        self._processes: ProcessPoolExecutor | None = None
        self._max_jobs = max_jobs
        self._jobs = 0

    async def on_thread(self, work: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Run ordinary Python that takes long and makes no reference cycles, and return what it returns.

        Raises:
            PlanningBusy: Too much is being computed already.
        """
        return await self._run(self._threads, partial(_uncollected, work, *args, **kwargs))

    async def in_process(self, work: Callable[[bytes, int], _T], body: bytes, number: int) -> _T:
        """Run a module's function in another process, and return what it returns.

        A process that died is replaced, and the work repeated once.

        Args:
            work: A function at the top of a module.
            body: Its first argument.
            number: Its second.

        Raises:
            PlanningBusy: Too much is being computed already.
            BrokenProcessPool: The process died twice.
        """
        try:
            return await self._run(self._open_processes(), work, body, number)
        except BrokenProcessPool:
            _log.error("computing_process_died")
            self._close_processes()
            return await self._run(self._open_processes(), work, body, number)

    def close(self) -> None:
        """End the process, if one was started; what waits is dropped."""
        self._close_processes()

    async def _run(self, executor: Executor, work: Callable[..., _T], *args: object) -> _T:
        if self._jobs >= self._max_jobs:
            raise PlanningBusy
        self._jobs += 1
        future = asyncio.get_running_loop().run_in_executor(executor, work, *args)
        future.add_done_callback(self._job_done)
        # A caller that leaves does not stop what runs: it keeps counting until it is done.
        return await asyncio.shield(future)

    def _job_done(self, future: "asyncio.Future[_T]") -> None:
        self._jobs -= 1
        if not future.cancelled():
            future.exception()  # retrieved here, in case the caller has left

    def _open_processes(self) -> ProcessPoolExecutor:
        if self._processes is None:
            # Not forked: this process has threads, whose locks a copy of it would inherit.
            context = multiprocessing.get_context("spawn")
            self._processes = ProcessPoolExecutor(
                max_workers=1, mp_context=context, initializer=_depend_on_parent
            )
        return self._processes

    def _close_processes(self) -> None:
        if self._processes is not None:
            self._processes.shutdown(wait=False, cancel_futures=True)
            self._processes = None


def _depend_on_parent() -> None:
    """Let this process end when its parent does, however that ends, and leave Ctrl-C to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent.sentinel,), daemon=True).start()


def _end_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


@contextmanager
def open_computing(*, threads: int = 2, max_jobs: int = MAX_JOBS) -> Iterator[Computing]:
    """Open the threads, and end them and the process on leaving; computations that wait then are dropped.

    Args:
        threads: Plans computed at a time.
        max_jobs: Computations running and waiting together; further ones are refused.
    """
    executor = ThreadPoolExecutor(max_workers=threads, thread_name_prefix="planning")
    computing = Computing(executor, max_jobs=max_jobs)
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        yield computing
    finally:
        sys.setswitchinterval(interval_s)
        computing.close()
        executor.shutdown(wait=True, cancel_futures=True)
