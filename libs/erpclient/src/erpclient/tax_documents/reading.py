"""The reading processes as the program sees them: started when needed, ended when they misbehave."""

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
"""Address space of a process: zeep takes 175 MiB, and an answer of 40 MiB five times its size (measured)."""
_Expected = TypeVar("_Expected", bound=Result)

RESULT_MARGIN_BYTES: Final = 1024 * 1024
"""What a result may be larger than the answer that it was read from: its head."""

END_S: Final = 2.0
"""How long the process gets to end by itself before it is killed."""

PROCESSES: Final = 2
"""So that one answer that takes long does not hold up all others."""

LEAST_TIME_S: Final = 15.0
BYTES_PER_S: Final = 1024 * 1024
"""A start on a busy machine takes most of the least time. 40 MiB are read within 3 s (measured)."""


def most_memory_bytes(max_reply_bytes: int) -> int:
    """Return the most address space that a process may use for answers of so many bytes."""
    return START_MEMORY_BYTES + MEMORY_PER_BYTE * max_reply_bytes


def longest_time_s(content_bytes: int, most_s: float) -> float:
    """Return how long a task may take: the more, the larger its content is, and ``most_s`` at most."""
    return min(most_s, LEAST_TIME_S + content_bytes / BYTES_PER_S)


class ReadingProcesses:
    """Does so many tasks at a time; others wait. The process that ended its task last gets the next one.

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
        async with self._taken() as process:
            return await process.build(question)

    async def read(self, body: bytes, charset: str | None = None) -> tuple[Reply, bytes]:
        """As :meth:`ReadingProcess.read`."""
        async with self._taken() as process:
            return await process.read(body, charset)

    async def aclose(self) -> None:
        """End the processes; tasks on their way are finished first."""
        await asyncio.gather(*(process.aclose() for process in self._processes))

    @asynccontextmanager
    async def _taken(self) -> AsyncIterator["ReadingProcess"]:
        process = await self._free.get()
        try:
            yield process
        finally:
            self._free.put_nowait(process)


class ReadingProcess:
    """Does one task at a time. A task that fails ends the process, and the next one starts another.

    Args:
        timeout_s: longest time of a task of any size, a start included.
        max_result_bytes: largest result.
        command: what to run as the process.
    """

    def __init__(self, *, timeout_s: float, max_result_bytes: int, command: tuple[str, ...]) -> None:
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

    async def read(self, body: bytes, charset: str | None = None) -> tuple[Reply, bytes]:
        """Have an answer understood.

        Args:
            body: as it came.
            charset: parameter of its ``Content-Type``.

        Returns:
            What it says, and the bytes of its PDFs.

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
