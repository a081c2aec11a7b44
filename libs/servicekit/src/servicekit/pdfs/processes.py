"""Runs `program` to join or check PDFs, in one process per task."""

import asyncio
from contextlib import suppress
from typing import ClassVar, Final, cast

from servicekit.child_process import child_process, own_program
from servicekit.pdfs.wire import BLANK, BROKEN, COUNT, JOINED, LENGTH

AT_ONCE: Final = 2

_PROGRAM: Final = "servicekit.pdfs.program"


class PdfProcessError(Exception):
    """The process died, took too long, or returned an invalid reply."""


class PartBrokenError(Exception):
    """One of the parts is not a complete PDF.

    Attributes:
        index: of the part, from 0.
    """

    def __init__(self, index: int) -> None:
        super().__init__(f"part {index} is no whole PDF")
        self.index = index


class PdfProcess:
    """Runs `program` with limited concurrency.

    Args:
        timeout_s: longest run of a process; by default that of the task.
        at_once: limit of concurrent processes; others wait.
        command: alternative command.
    """

    _TASK: ClassVar[str]
    _USUAL_TIMEOUT_S: ClassVar[float]

    def __init__(
        self,
        *,
        timeout_s: float | None = None,
        at_once: int = AT_ONCE,
        command: tuple[str, ...] | None = None,
    ) -> None:
        self._command = command or own_program(_PROGRAM, self._TASK)
        self._timeout_s = self._USUAL_TIMEOUT_S if timeout_s is None else timeout_s
        self._places = asyncio.Semaphore(at_once)

    async def ask(self, parts: list[bytes]) -> tuple[bytes, bytes]:
        """Return the first byte of the reply and the rest.

        Args:
            parts: PDFs; emptied while they are sent, so that they are not in memory together with the reply.

        Raises:
            PdfProcessError: it did not end, or failed.
        """
        async with self._places, child_process(self._command) as process:
            try:
                async with asyncio.timeout(self._timeout_s):
                    await _send(cast("asyncio.StreamWriter", process.stdin), parts)
                    reader = cast("asyncio.StreamReader", process.stdout)
                    reply = await reader.read(1), await reader.read()
                    code = await process.wait()
            except TimeoutError as error:
                raise PdfProcessError("it took too long") from error
        if code:
            raise PdfProcessError("its process died")
        return reply


async def _send(stdin: asyncio.StreamWriter, parts: list[bytes]) -> None:
    # The process ended early. Its exit code and reply show why.
    with suppress(BrokenPipeError, ConnectionResetError):
        stdin.write(COUNT.pack(len(parts)))
        stdin.writelines(LENGTH.pack(len(part)) for part in parts)
        parts.reverse()
        while parts:
            stdin.write(parts.pop())
            await stdin.drain()
        stdin.close()


class Joining(PdfProcess):
    """Joins PDFs; see `PdfProcess`."""

    _TASK = "join"
    _USUAL_TIMEOUT_S = 60.0

    async def join(self, parts: list[bytes]) -> bytes:
        """Return one document with the pages of all parts in order.

        Args:
            parts: as of `ask`.

        Raises:
            PartBrokenError: one of them is not a complete PDF.
            PdfProcessError: it did not end, or ended without a document.
        """
        verdict, rest = await self.ask(parts)
        if verdict == JOINED and rest.startswith(b"%PDF-"):
            return rest
        if verdict == BROKEN:
            raise PartBrokenError(int.from_bytes(rest, "big"))
        raise PdfProcessError("its process died")


class BlankCheck(PdfProcess):
    """Checks whether anything is painted on a PDF's pages; see `PdfProcess`."""

    _TASK = "look"
    _USUAL_TIMEOUT_S = 20.0

    async def is_blank(self, pdf: bytes) -> bool:
        """Return whether no page has text, an image or a path; False if it can't be determined."""
        try:
            verdict, _ = await self.ask([pdf])
        except PdfProcessError:
            return False
        return verdict == BLANK
