"""Joins PDFs in a process of its own that ends with its one task."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

JOINED: Final = 0
BROKEN: Final = 1
_COMMAND: Final = (sys.executable, "-I", "-m", "supplier_returns.tax_documents.joining_process")


class PartBrokenError(Exception):
    """One of the parts is no whole PDF.

    Attributes:
        index: Which, from 0.
    """

    def __init__(self, index: int) -> None:
        super().__init__(f"part {index} is no whole PDF")
        self.index = index


class JoiningFailedError(Exception):
    """The process died, or took too long."""


class Joining:
    """Joins PDFs, so many at a time at most.

    Args:
        timeout_s: Longest time of one joining.
        at_once: Joinings at the same time; others wait.
        command: What to run as the process.
    """

    def __init__(
        self, *, timeout_s: float = 60.0, at_once: int = 2, command: tuple[str, ...] = _COMMAND
    ) -> None:
        self._timeout_s = timeout_s
        self._places = asyncio.Semaphore(at_once)
        self._command = command

    async def join(self, parts: Sequence[bytes]) -> bytes:
        """Return one document with the pages of all parts, in their order.

        Raises:
            PartBrokenError: One of them is no whole PDF.
            JoiningFailedError: It did not end, or ended without a document.
        """
        async with self._places:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
            try:
                async with asyncio.timeout(self._timeout_s):
                    answer, _ = await process.communicate(_message(parts))
            except TimeoutError as error:
                raise JoiningFailedError("it took too long") from error
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGKILL)
                    await process.wait()
        return _understood(answer)


def _message(parts: Sequence[bytes]) -> bytes:
    lengths = b"".join(len(part).to_bytes(8, "big") for part in parts)
    return b"".join((len(parts).to_bytes(4, "big"), lengths, *parts))


def _understood(answer: bytes) -> bytes:
    if answer[:1] == bytes([JOINED]) and answer[1:6] == b"%PDF-":
        return answer[1:]
    if answer[:1] == bytes([BROKEN]):
        raise PartBrokenError(int.from_bytes(answer[1:5], "big"))
    raise JoiningFailedError("its process died")
