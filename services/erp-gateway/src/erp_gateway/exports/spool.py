"""A file without a name, written by one thread and read by the event loop meanwhile; bounded."""

import asyncio
import os
from collections.abc import AsyncIterator
from threading import Lock
from typing import Final

from erp_gateway.exports.budget import SpoolBudget, temporary_file
from erp_gateway.exports.errors import ExportNoRoom

_CHUNK: Final = 64 * 1024


class SpoolClosedError(Exception):
    """Nobody wants what is written any more."""


class Spool:
    """What was written so far, in a temporary file that has no name: it ends with the process at the latest.

    Make it in the event loop.

    Args:
        budget: bounds it, together with all others.

    Raises:
        ExportNoRoom: the system has no file for it.
    """

    def __init__(self, budget: SpoolBudget) -> None:
        self._share = budget.share()
        self._file = temporary_file()
        self._lock = Lock()
        self._closed = False
        self._written = 0
        self._ended = False
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._written

    def write(self, data: bytes) -> None:
        """Append; from any thread, one at a time.

        Raises:
            ExportNoRoom: the budget has no room for it, or the disk is full.
            SpoolClosedError: it was closed meanwhile.
        """
        with self._lock:
            if self._closed:
                raise SpoolClosedError
            self._share.resize(self._written + len(data))
            try:
                rest = memoryview(data)
                while rest:
                    rest = rest[self._file.write(rest) :]
            except OSError as error:
                raise ExportNoRoom from error
            self._written += len(data)
            self._loop.call_soon_threadsafe(self._news.set)

    def end(self) -> None:
        """Say, in the event loop, that nothing more will come."""
        self._ended = True
        self._news.set()

    async def wait_for_news(self) -> None:
        """Return when something was written, or the end was told."""
        await self._news.wait()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield what is written, as it comes, until the end is told."""
        done = 0
        while True:
            self._news.clear()
            while done < self._written:
                chunk = os.pread(self._file.fileno(), min(_CHUNK, self._written - done), done)
                done += len(chunk)
                yield chunk
            if self._ended and done == self._written:
                return
            await self._news.wait()

    def rewound(self) -> int:
        """Return the descriptor, for a process that reads the file from its start."""
        os.lseek(self._file.fileno(), 0, os.SEEK_SET)
        return self._file.fileno()

    def close(self) -> None:
        """Let the file go; who still writes is told so."""
        with self._lock:
            self._closed = True
            self._file.close()
            self._share.release()
