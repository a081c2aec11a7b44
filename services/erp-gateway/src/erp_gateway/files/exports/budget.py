"""Temporary files of exports, and the room that they share, whichever thread or process writes them."""

import asyncio
import math
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import IO, Final
from weakref import WeakValueDictionary

from attrs import define

from erp_gateway.files.exports.errors import ExportNoRoom
from erpclient import Lane

PART_FULL: Final = (
    "El archivo no cabe en su parte del espacio de exportación, junto con los que está descargando o guarda "
    "el servicio para usted. Termine o elimine alguno, o acote lo que pide."
)


class SpoolBudget:
    """Bytes that may be held at a time, by everybody together, and of those by one person. For any thread.

    Args:
        max_bytes: how many.
        within: of which budget they are, if this is one person's part.
    """

    def __init__(self, max_bytes: int, *, within: "SpoolBudget | None" = None) -> None:
        self.max_bytes = max_bytes
        self._within = within
        self._parts: WeakValueDictionary[Lane, SpoolBudget] = WeakValueDictionary()
        self._lock = Lock()
        self._held = 0

    @property
    def held(self) -> int:
        """Bytes that are held at this moment."""
        return self._held

    def of(self, person: Lane) -> "SpoolBudget":
        """Return the part of one person: half of all, so that nobody fills it alone."""
        part = self._parts.get(person)
        if part is None:
            part = self._parts[person] = SpoolBudget(self.max_bytes // 2, within=self)
        return part

    def share(self) -> "Share":
        """Return what holds some of them, at first none; release it."""
        return Share(self)

    def _move(self, change: int) -> None:
        with self._lock:
            if change > 0 and self._held + change > self.max_bytes:
                raise ExportNoRoom(None if self._within is None else PART_FULL)
            if self._within is not None:
                self._within._move(change)  # noqa: SLF001 - the whole that this is a part of
            self._held += change


class Share:
    """The bytes that one file, or some files of one export, hold. One thread at a time.

    Args:
        budget: of which they are.
    """

    def __init__(self, budget: SpoolBudget) -> None:
        self._budget = budget
        self._held = 0

    def resize(self, held: int) -> None:
        """Hold so many bytes from now on.

        Raises:
            ExportNoRoom: the others leave no room for them; it holds what it held before.
        """
        self._budget._move(held - self._held)  # noqa: SLF001 - the two are one thing
        self._held = held

    def release(self) -> None:
        """Hold none any more."""
        self.resize(0)


@define(eq=False, repr=False)
class HeldFile:
    """A finished file without a name, and its share; both end when it is closed.

    Attributes:
        file: closed with it.
        share: released with it.
    """

    file: IO[bytes]
    share: Share

    def fileno(self) -> int:
        """Return the file's descriptor."""
        return self.file.fileno()

    def close(self) -> None:
        """Let file and share go."""
        self.file.close()
        self.share.release()


@contextmanager
def new_file(budget: SpoolBudget) -> Iterator[HeldFile]:
    """Give a new file without a name; it is closed only where the block fails.

    Raises:
        ExportNoRoom: the system has no file for us, or the block could not write it.
    """
    held = HeldFile(temporary_file(), budget.share())
    try:
        yield held
    except OSError as error:
        held.close()
        raise ExportNoRoom from error
    except BaseException:
        held.close()
        raise


def write_all(file: IO[bytes], data: bytes) -> None:
    """Write all of it, in as many pieces as the unbuffered file takes it."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


async def file_chunks(descriptor: int, start: int = 0, end: float = math.inf) -> AsyncIterator[bytes]:
    """Yield what an open file holds, from the byte `start` to the byte before `end`."""
    while start < end and (chunk := os.pread(descriptor, int(min(_CHUNK, end - start)), start)):
        start += len(chunk)
        yield chunk


def temporary_file() -> IO[bytes]:
    """Open a file without a name, which ends with the process at the latest.

    Raises:
        ExportNoRoom: the system has no file for us.
    """
    try:
        return tempfile.TemporaryFile(buffering=0)
    except OSError as error:
        raise ExportNoRoom from error


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
                write_all(self._file, data)
            except OSError as error:
                raise ExportNoRoom from error
            self._written += len(data)
            self._loop.call_soon_threadsafe(self._news.set)

    def part(self, start: int, size: int) -> AsyncIterator[bytes]:
        """Yield a part of what is written."""
        return file_chunks(self._file.fileno(), start, start + size)

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
