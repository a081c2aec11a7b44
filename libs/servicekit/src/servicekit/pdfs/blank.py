"""Finds out in a process of its own whether a PDF is blank."""

import sys
from typing import Final

from servicekit.pdfs.process import PdfProcess, PdfProcessError

BLANK: Final = b"\x01"
_COMMAND: Final = (sys.executable, "-I", "-m", "servicekit.pdfs.blank_process")


class BlankCheck:
    """Looks whether anything is painted on a PDF's pages, at so many at a time at most.

    Args:
        timeout_s: Longest time of one look.
        at_once: Looks at the same time; others wait.
        command: What to run as the process.
    """

    def __init__(
        self, *, timeout_s: float = 20.0, at_once: int = 2, command: tuple[str, ...] = _COMMAND
    ) -> None:
        self._process = PdfProcess(command, timeout_s=timeout_s, at_once=at_once)

    async def is_blank(self, pdf: bytes) -> bool:
        """Tell whether no page has text, an image or a path; False also where that can't be found out."""
        try:
            verdict, _ = await self._process.ask([pdf])
        except PdfProcessError:
            return False
        return verdict == BLANK
