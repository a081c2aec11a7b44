"""Threads that read from the database and interrupt cancelled reads."""

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
"""Share of a read's time that its interruption may take before the response is sent."""

_INTERRUPT_EVERY_S: Final = 0.1


class ReadingThreads:
    """Runs each read in a thread and interrupts it from another.

    It does not use the event loop's own pool: a hanging database would fill it and leave no thread for
    interruptions.

    Args:
        most: maximum number of concurrent reads; callers enforce it.
    """

    def __init__(self, most: int) -> None:
        self._readers = ThreadPoolExecutor(most, "erpdb-read")
        self._watchers = ThreadPoolExecutor(most, "erpdb-cancel")
        self._running: dict[Future[Rows], Reading] = {}
        self._watched: set[Future[Rows]] = set()

    async def run(self, reading: Reading, *, timeout_s: float, on_end: Callable[[], None]) -> Rows:
        """Read in a thread. On a timeout or cancellation, interrupt the read on the server.

        Args:
            reading: the read.
            timeout_s: longest run.
            on_end: called in the event loop when the thread is free again. After an interruption this may be
                later than the response, because the server is still working.

        Raises:
            DatabaseTimeout: timeout; `DatabaseConnectTimeout` while it was still connecting.
            ServiceError: error of the read.
        """
        loop = asyncio.get_running_loop()
        future = self._readers.submit(copy_context().run, reading.read)  # the request's id reaches the log
        self._running[future] = reading

        def settle(finished: Future[Rows]) -> None:
            self._running.pop(finished, None)
            self._watched.discard(finished)
            on_end()

        def wake(finished: Future[Rows]) -> None:
            with suppress(RuntimeError):  # the loop is closed, so no caller waits
                loop.call_soon_threadsafe(settle, finished)

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
            del future, result  # breaks the reference cycle of error and frame
        is_connecting = isinstance(reading, Connecting) and not reading.is_connected
        raise DatabaseConnectTimeout if is_connecting else DatabaseTimeout

    async def aclose(self) -> None:
        """Interrupt running reads, and wait for every thread."""
        for future, reading in list(self._running.items()):
            self._interrupt(future, reading)
        for pool in (self._readers, self._watchers):
            await asyncio.to_thread(pool.shutdown)

    def _interrupt(self, future: Future[Rows], reading: Reading) -> None:
        if future not in self._watched and not future.done():
            self._watched.add(future)
            self._watchers.submit(_interrupt_until_ended, future, reading)


def _interrupt_until_ended(future: Future[Rows], reading: Reading) -> None:
    """Interrupt repeatedly: one interruption may fall between two statements and have no effect."""
    while not future.done():
        reading.interrupt()
        wait([future], timeout=_INTERRUPT_EVERY_S)


def _retrieve(result: "asyncio.Future[Rows]") -> None:
    """Retrieve the outcome, so that asyncio does not log an unretrieved error."""
    if not result.cancelled():
        result.exception()
