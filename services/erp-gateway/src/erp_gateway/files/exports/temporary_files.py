"""Temporary files of exports."""

import math
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import IO, Final

from attrs import define

from erp_gateway.files.exports.budget import Share, SpoolBudget
from erp_gateway.files.exports.errors import ExportNoRoom

CHUNK_BYTES: Final = 64 * 1024


@define(eq=False, repr=False)
class HeldFile:
    """A finished temporary file with its share of the budget.

    Attributes:
        file: the file; `close` closes it.
        share: its bytes; `close` releases them.
    """

    file: IO[bytes]
    share: Share

    def fileno(self) -> int:
        """Return the file's descriptor."""
        return self.file.fileno()

    def close(self) -> None:
        """Close the file and release its share."""
        self.file.close()
        self.share.release()


@contextmanager
def new_file(budget: SpoolBudget) -> Iterator[HeldFile]:
    """Yield a new temporary file. It is closed only if the block fails.

    Raises:
        ExportNoRoom: no temporary file can be created.
    """
    new = HeldFile(temporary_file(), budget.share())
    try:
        yield new
    except OSError as error:
        new.close()
        raise ExportNoRoom from error
    except BaseException:
        new.close()
        raise


def write_all(file: IO[bytes], data: bytes) -> None:
    """Write all data to an unbuffered file, which may take it in pieces."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]


async def file_chunks(descriptor: int, start: int = 0, end: float = math.inf) -> AsyncIterator[bytes]:
    """Yield the bytes of an open file from `start` up to `end`."""
    while start < end and (chunk := os.pread(descriptor, int(min(CHUNK_BYTES, end - start)), start)):
        start += len(chunk)
        yield chunk


def temporary_file() -> IO[bytes]:
    """Open a file without a name. The operating system deletes it when the process ends.

    Raises:
        ExportNoRoom: no temporary file can be created.
    """
    try:
        return tempfile.TemporaryFile(buffering=0)
    except OSError as error:
        raise ExportNoRoom from error
