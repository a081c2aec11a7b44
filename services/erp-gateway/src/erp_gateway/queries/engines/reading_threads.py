"""Threads that read from the database and interrupt a read that is no longer wanted."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from contextvars import copy_context
from typing import Final

from erp_gateway.queries.engines.engine import Connecting, Reading
from erp_gateway.queries.engines.rows import Rows
from erp_gateway.queries.errors import DatabaseConnectTimeout, DatabaseTimeout

INTERRUPTING_SHARE: Final = 0.25
"""Part of a read's time that its interruption may take before the answer goes out without it."""

_INTERRUPT_EVERY_S: Final = 0.1


class ReadingThreads:
    """Runs reads, each in a thread, and watches over them from others.

    Not the event loop's own pool: a database that hangs would fill it, and cancelling would then find no
    thread.

    Args:
        most: how many reads run at a time; the callers see to it.
    """

    def __init__(self, most: int) -> None:
        self._readers = ThreadPoolExecutor(most, "erpdb-read")
        self._watchers = ThreadPoolExecutor(most, "erpdb-cancel")
        self._running: dict[Future[Rows], Reading] = {}
        self._watched: set[Future[Rows]] = set()

    async def run(self, reading: Reading, *, timeout_s: float, ended: Callable[[], None]) -> Rows:
        """Read in a thread. Out of time, or given up by the caller, the read is interrupted on the server.

        Args:
            reading: what to run.
            timeout_s: longest run.
            ended: called in the event loop when the thread is free again. After an interruption that may be
                later than the answer, because the server is at work until then.

        Raises:
            DatabaseTimeout: the time is over; `DatabaseConnectTimeout` while it was still connecting.
            ServiceError: as the read raises it.
        """
        loop = asyncio.get_running_loop()
        future = self._readers.submit(copy_context().run, reading.read)  # the request's id reaches the log
        self._running[future] = reading

        def settle(done: Future[Rows]) -> None:
            self._running.pop(done, None)
            self._watched.discard(done)
            ended()

        def wake(done: Future[Rows]) -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
                loop.call_soon_threadsafe(settle, done)

        future.add_done_callback(wake)
        result = asyncio.wrap_future(future)
        result.add_done_callback(_retrieve)
        try:
            await asyncio.wait([result], timeout=timeout_s)
            if result.done():
                return result.result()
            self._interrupt(future, reading)
            await asyncio.wait([result], timeout=timeout_s * INTERRUPTING_SHARE)
        except asyncio.CancelledError:
            self._interrupt(future, reading)
            raise
        finally:
            del future, result  # their error holds this frame, which would hold it, and all would stay
        is_connecting = isinstance(reading, Connecting) and not reading.is_connected
        raise DatabaseConnectTimeout if is_connecting else DatabaseTimeout

    async def aclose(self) -> None:
        """Interrupt what runs, and wait until every thread has ended."""
        for future, reading in list(self._running.items()):
            self._interrupt(future, reading)
        for pool in (self._readers, self._watchers):
            await asyncio.to_thread(pool.shutdown)

    def _interrupt(self, future: Future[Rows], reading: Reading) -> None:
        if future not in self._watched and not future.done():
            self._watched.add(future)
            self._watchers.submit(_interrupt_until_ended, future, reading)


def _interrupt_until_ended(future: Future[Rows], reading: Reading) -> None:
    """Interrupt again and again: the first time may fall between two statements, where nothing runs."""
    while not future.done():
        reading.interrupt()
        wait([future], timeout=_INTERRUPT_EVERY_S)


def _retrieve(result: "asyncio.Future[Rows]") -> None:
    """Look at the outcome, so that one that nobody waits for is not complained about."""
    if not result.cancelled():
        result.exception()
