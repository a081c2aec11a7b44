"""Has a program read PDFs, in a process of its own that ends with its one task."""

import asyncio
import os
import signal
from contextlib import suppress
from typing import cast


class PdfProcessError(Exception):
    """The process died, or took too long."""


class PdfProcess:
    """Runs a program of this room, so many at a time at most.

    Args:
        command: What to run as the process.
        timeout_s: Longest time of one.
        at_once: Processes at the same time; others wait.
    """

    def __init__(self, command: tuple[str, ...], *, timeout_s: float, at_once: int) -> None:
        self._command = command
        self._timeout_s = timeout_s
        self._places = asyncio.Semaphore(at_once)

    async def ask(self, parts: list[bytes]) -> tuple[bytes, bytes]:
        """Return the first byte of the answer and the rest.

        Args:
            parts: PDFs; emptied while they are sent, so that they are not held beside the answer.

        Raises:
            PdfProcessError: It did not end, or not well.
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
                raise PdfProcessError("it took too long") from error
            finally:
                if process.returncode is None:
                    with suppress(ProcessLookupError):
                        os.kill(process.pid, signal.SIGKILL)
                    await process.wait()
        if code:
            raise PdfProcessError("its process died")
        return answer


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
