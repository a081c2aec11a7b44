"""Joins PDFs in a process of its own that ends with its one task."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Final, cast

JOINED: Final = 0
BROKEN: Final = 1
_COMMAND: Final = (sys.executable, "-I", "-m", "servicekit.pdfs.joining_process")


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

    async def join(self, parts: list[bytes]) -> bytes:
        """Return one document with the pages of all parts, in their order.

        Args:
            parts: Emptied while they are sent, so that they are not held beside the answer.

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
                env={"PATH": os.defpath, "LANG": "C.UTF-8"},  # ours holds secrets
                start_new_session=True,
            )
            try:
                async with asyncio.timeout(self._timeout_s):
                    answer = await _converse(process, parts)
                    code = await process.wait()
            except TimeoutError as error:
                raise JoiningFailedError("it took too long") from error
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGKILL)
                    await process.wait()
        if code:
            raise JoiningFailedError("its process died")
        return _understood(*answer)


async def _converse(process: asyncio.subprocess.Process, parts: list[bytes]) -> tuple[bytes, bytes]:
    """Send the parts one by one, forgetting each; return the first byte of the answer and the rest."""
    stdin, stdout = cast("asyncio.StreamWriter", process.stdin), cast("asyncio.StreamReader", process.stdout)
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended early: its exit code and answer tell
        stdin.write(len(parts).to_bytes(4, "big"))
        stdin.writelines(len(part).to_bytes(8, "big") for part in parts)
        parts.reverse()
        while parts:
            stdin.write(parts.pop())
            await stdin.drain()
        stdin.close()
    return await stdout.read(1), await stdout.read()


def _understood(verdict: bytes, rest: bytes) -> bytes:
    if verdict == bytes([JOINED]) and rest.startswith(b"%PDF-"):
        return rest
    if verdict == bytes([BROKEN]):
        raise PartBrokenError(int.from_bytes(rest, "big"))
    raise JoiningFailedError("its process died")
