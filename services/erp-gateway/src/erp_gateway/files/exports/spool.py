"""A temporary file that is read while another thread writes it."""

import asyncio
import os
from collections.abc import AsyncIterator
from threading import Lock

from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.errors import ExportNoRoom
from erp_gateway.files.exports.temporary_files import CHUNK_BYTES, file_chunks, temporary_file, write_all


class SpoolClosedError(Exception):
    """The spool was closed: its reader no longer wants the rows."""


class Spool:
    """Temporary file with one writer and one reader. Construct it in the event loop.

    Args:
        budget: the budget of its user.

    Raises:
        ExportNoRoom: no temporary file can be created.
    """

    def __init__(self, budget: SpoolBudget) -> None:
        self._share = budget.share()
        self._file = temporary_file()
        self._lock = Lock()
        self._closed = False
        self._written = 0
        self._ended = False
        self._loop = asyncio.get_running_loop()
        self._new_data = asyncio.Event()

    @property
    def size(self) -> int:
        """Bytes written so far."""
        return self._written

    def write(self, data: bytes) -> None:
        """Append; from any thread, one at a time.

        Raises:
            ExportNoRoom: the budget or the disk is full.
            SpoolClosedError: the spool was closed meanwhile.
        """
        with self._lock:
            if self._closed:
                raise SpoolClosedError
            self._share.resize(self._written + len(data))
            try:
                write_all(self._file, data)
            except OSError as error:
                raise ExportNoRoom from error
            self._written += len(data)
            self._loop.call_soon_threadsafe(self._new_data.set)

    def part(self, start: int, size: int) -> AsyncIterator[bytes]:
        """Yield a part of the written bytes."""
        return file_chunks(self._file.fileno(), start, start + size)

    def end(self) -> None:
        """Mark the end of the file. Call it in the event loop."""
        self._ended = True
        self._new_data.set()

    async def wait_for_data(self) -> None:
        """Wait until more bytes are written or the end is marked."""
        await self._new_data.wait()

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the bytes as they are written, up to the marked end."""
        done = 0
        while True:
            self._new_data.clear()
            while done < self._written:
                chunk = os.pread(self._file.fileno(), min(CHUNK_BYTES, self._written - done), done)
                done += len(chunk)
                yield chunk
            if self._ended and done == self._written:
                return
            await self._new_data.wait()

    def rewound(self) -> int:
        """Return the descriptor, for a process that reads the file from its start."""
        os.lseek(self._file.fileno(), 0, os.SEEK_SET)
        return self._file.fileno()

    def close(self) -> None:
        """Close the file; further writes raise `SpoolClosedError`."""
        with self._lock:
            self._closed = True
            self._file.close()
            self._share.release()
