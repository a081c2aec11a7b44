"""Joins PDFs in a process of its own."""

import sys
from typing import Final

from servicekit.pdfs.process import PdfProcess, PdfProcessError

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
        self._process = PdfProcess(command, timeout_s=timeout_s, at_once=at_once)

    async def join(self, parts: list[bytes]) -> bytes:
        """Return one document with the pages of all parts, in their order.

        Args:
            parts: Emptied while they are sent, so that they are not held beside the answer.

        Raises:
            PartBrokenError: One of them is no whole PDF.
            JoiningFailedError: It did not end, or ended without a document.
        """
        try:
            return _understood(*await self._process.ask(parts))
        except PdfProcessError as error:
            raise JoiningFailedError(str(error)) from error


def _understood(verdict: bytes, rest: bytes) -> bytes:
    if verdict == bytes([JOINED]) and rest.startswith(b"%PDF-"):
        return rest
    if verdict == bytes([BROKEN]):
        raise PartBrokenError(int.from_bytes(rest, "big"))
    raise JoiningFailedError("its process died")
