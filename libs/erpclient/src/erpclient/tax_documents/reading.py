"""Reading processes of the program: started when needed, ended after a failure."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
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

START_MEMORY_BYTES: Final = 192 * 1024 * 1024
MEMORY_PER_BYTE: Final = 8
"""Memory limit of a process: zeep takes 175 MiB, and an answer of 40 MiB five times its size (measured)."""
_Expected = TypeVar("_Expected", bound=Result)

RESULT_MARGIN_BYTES: Final = 1024 * 1024
"""Maximum size of a result beyond its answer: its head."""

END_S: Final = 2.0
"""Seconds for a process to end by itself before it is killed."""

PROCESSES: Final = 2
"""More than one, so that one slow answer does not delay all others."""

LEAST_TIME_S: Final = 15.0
BYTES_PER_S: Final = 1024 * 1024
"""Throughput for timeouts. A start on a busy machine takes most of the minimum. 40 MiB are read within 3 s
(measured).
"""


def most_memory_bytes(max_reply_bytes: int) -> int:
    """Return the memory limit of a process for answers of this size."""
    return START_MEMORY_BYTES + MEMORY_PER_BYTE * max_reply_bytes


def longest_time_s(content_bytes: int, most_s: float) -> float:
    """Return the timeout of a task, which grows with its size up to ``most_s``."""
    return min(most_s, LEAST_TIME_S + content_bytes / BYTES_PER_S)


class ReadingProcesses:
    """A pool of reading processes. The most recently used idle process gets the next task.

    Args:
        timeout_s: longest time of a task of any size, a start included.
        max_reply_bytes: largest answer.
        count: of processes.
    """

    def __init__(self, *, timeout_s: float, max_reply_bytes: int, count: int = PROCESSES) -> None:
        command = (*COMMAND, str(most_memory_bytes(max_reply_bytes)))
        self._processes = tuple(
            ReadingProcess(
                timeout_s=timeout_s, max_result_bytes=max_reply_bytes + RESULT_MARGIN_BYTES, command=command
            )
            for _ in range(count)
        )
        self._free: asyncio.LifoQueue[ReadingProcess] = asyncio.LifoQueue()
        for process in self._processes:
            self._free.put_nowait(process)

    @property
    def pids(self) -> list[int]:
        """Of the processes that run."""
        return [process.pid for process in self._processes if process.pid is not None]

    async def build(self, question: Question) -> tuple[str, bytes]:
        """As :meth:`ReadingProcess.build`."""
        async with self._free_process() as process:
            return await process.build(question)

    async def read(self, body: bytes, charset: str | None = None) -> tuple[Reply, bytes]:
        """As :meth:`ReadingProcess.read`."""
        async with self._free_process() as process:
            return await process.read(body, charset)

    async def aclose(self) -> None:
        """Stop the processes after their current tasks."""
        await asyncio.gather(*(process.aclose() for process in self._processes))

    @asynccontextmanager
    async def _free_process(self) -> AsyncIterator["ReadingProcess"]:
        process = await self._free.get()
        try:
            yield process
        finally:
            self._free.put_nowait(process)


class ReadingProcess:
    """Runs one task at a time. A failed task ends the process, and the next task starts a new one.

    Args:
        timeout_s: longest time of a task of any size, a start included.
        max_result_bytes: largest result.
        command: command of the process.
    """

    def __init__(self, *, timeout_s: float, max_result_bytes: int, command: tuple[str, ...]) -> None:
        self._timeout_s = timeout_s
        self._max_result_bytes = max_result_bytes
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """Process id, ``None`` while no process runs."""
        return None if self._process is None else self._process.pid

    async def build(self, question: Question) -> tuple[str, bytes]:
        """Write a request.

        Returns:
            its SOAP action and its text.

        Raises:
            TaxReadingFailed: the process died, took too long, or returned an invalid result.
        """
        envelope, text = await self._do(Build(), pack_question(question), Envelope)
        return envelope.soap_action, text

    async def read(self, body: bytes, charset: str | None = None) -> tuple[Reply, bytes]:
        """Parse an answer.

        Args:
            body: as it came.
            charset: parameter of its ``Content-Type``.

        Returns:
            the parsed answer and the bytes of its PDFs.

        Raises:
            TaxReadingFailed: as :meth:`build`.
        """
        return await self._do(Read(charset), body, ProviderAnswer, SoapFault, UnreadableAnswer)

    async def _do(self, task: Task, content: bytes, *expected: type[_Expected]) -> tuple[_Expected, bytes]:
        async with self._turn:
            done = False
            try:
                async with asyncio.timeout(longest_time_s(len(content), self._timeout_s)):
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
                if not done:  # also after a disconnect: a late result would go to another task
                    await self._kill()
        return result, received

    async def aclose(self) -> None:
        """Stop the process after its current task."""
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
        # Both are pipes, see `_start`.
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
            env={"PATH": os.defpath, "LANG": "C.UTF-8"},  # ours contains secrets
            start_new_session=True,  # Ctrl-C must end only the program, which then ends this process.
        )

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            # `Process.kill` may reap the process without asyncio noticing.
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        await process.wait()
