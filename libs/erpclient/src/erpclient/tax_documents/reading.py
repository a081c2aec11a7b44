"""The reading process as the program sees it: started when it is needed, ended when it misbehaves."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Final, TypeVar, cast

import msgspec

from erpclient.tax_documents.errors import TaxReadingFailed
from erpclient.tax_documents.messages import (
    LENGTHS,
    Build,
    Envelope,
    ProviderAnswer,
    Question,
    Read,
    Reply,
    Result,
    SoapFault,
    Task,
    UnreadableAnswer,
    pack,
    pack_question,
    unpack_result,
)

COMMAND: Final = (sys.executable, "-P", "-m", "erpclient.tax_documents.reading_process")
_Expected = TypeVar("_Expected", bound=Result)

END_S: Final = 2.0
"""How long the process gets to end by itself before it is killed."""


class ReadingProcess:
    """Does one task at a time. A task that fails ends the process, and the next one starts another.

    Args:
        timeout_s: longest time of a task, a start included.
        max_result_bytes: largest result.
        command: what to run as the process.
    """

    def __init__(
        self, *, timeout_s: float, max_result_bytes: int, command: tuple[str, ...] = COMMAND
    ) -> None:
        self._timeout_s = timeout_s
        self._max_result_bytes = max_result_bytes
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """Of the process that runs; ``None`` while there is none."""
        return None if self._process is None else self._process.pid

    async def build(self, question: Question) -> tuple[str, bytes]:
        """Have a question written.

        Returns:
            Its SOAP action and its text.

        Raises:
            TaxReadingFailed: the process died, took too long, or answered what makes no sense.
        """
        envelope, text = await self._do(Build(), pack_question(question), Envelope)
        return envelope.soap_action, text

    async def read(self, body: bytes) -> tuple[Reply, bytes]:
        """Have an answer understood.

        Returns:
            What it says, and the bytes of its PDFs.

        Raises:
            TaxReadingFailed: as :meth:`build`.
        """
        return await self._do(Read(), body, ProviderAnswer, SoapFault, UnreadableAnswer)

    async def _do(self, task: Task, content: bytes, *expected: type[_Expected]) -> tuple[_Expected, bytes]:
        async with self._turn:
            done = False
            try:
                async with asyncio.timeout(self._timeout_s):
                    result, received = await self._exchange(task, content)
                if not isinstance(result, expected):
                    raise TaxReadingFailed("its process made no sense")
                done = True
            except TimeoutError as error:
                raise TaxReadingFailed("it took too long") from error
            except (OSError, asyncio.IncompleteReadError) as error:
                raise TaxReadingFailed("its process died") from error
            except (ValueError, msgspec.DecodeError) as error:
                raise TaxReadingFailed("its process made no sense") from error
            finally:
                if not done:  # also when the caller left: what comes now would answer another's task
                    await self._kill()
        return result, received

    async def aclose(self) -> None:
        """End the process; a task on its way is finished first."""
        async with self._turn:
            process = self._process
            if process is None:
                return
            cast("asyncio.StreamWriter", process.stdin).close()
            with suppress(TimeoutError):
                async with asyncio.timeout(END_S):
                    await process.wait()
            await self._kill()

    async def _exchange(self, task: Task, content: bytes) -> tuple[Result, bytes]:
        process = self._process = self._process or await self._start()
        # Both are pipes, as `_start` asks for.
        writer, reader = (
            cast("asyncio.StreamWriter", process.stdin),
            cast("asyncio.StreamReader", process.stdout),
        )
        writer.write(pack(task, len(content)))
        writer.write(content)
        await writer.drain()
        head_bytes, content_bytes = LENGTHS.unpack(await reader.readexactly(LENGTHS.size))
        if head_bytes + content_bytes > self._max_result_bytes:
            raise ValueError("a result that is too large")
        head = await reader.readexactly(head_bytes)
        return unpack_result(head), await reader.readexactly(content_bytes)

    async def _start(self) -> asyncio.subprocess.Process:
        return await asyncio.create_subprocess_exec(
            *self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},  # ours holds secrets
            start_new_session=True,  # Ctrl-C is for the program, which then ends this one
        )

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):  # not its own `kill`, which may reap it unseen by asyncio
                os.kill(process.pid, signal.SIGKILL)
        await process.wait()
