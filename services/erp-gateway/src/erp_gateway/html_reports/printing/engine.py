"""What printing needs to know of an engine: a command that makes a PDF; and the engine WeasyPrint."""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Protocol

from servicekit.child_process import own_program

PDF_NAME: Final = "report.pdf"
"""The file that a job's command writes into the job's folder."""


class PdfEngine(Protocol):
    """One way to print; each job runs its command as a process of its own."""

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document into the job's folder and return the command that prints it; runs in a thread.

        Args:
            html: the document, guarded.
            folder: the job's own empty folder; the command runs in it and leaves `PDF_NAME` there.

        Raises:
            BrowserUnavailable: there is nothing to print with.
            OSError: the folder can't be written.
        """
        ...


_DOCUMENT: Final = "document.html"
_PROGRAM: Final = "erp_gateway.html_reports.printing.weasyprint_process"
_CPU_MARGIN_S: Final = 5


def is_weasyprint_installed() -> bool:
    """Tell whether its package is there; a smaller image leaves it out."""
    return find_spec("weasyprint") is not None


class WeasyPrintEngine:
    """Prints without a browser: for small reports, since 200 pages take it ten times as long.

    Args:
        timeout_s: how long a job may take; its processor time is bounded a little above, so that a job ends
            even when nobody is left to end it.
    """

    def __init__(self, timeout_s: float) -> None:
        self._cpu_s = math.ceil(timeout_s) + _CPU_MARGIN_S

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document; see `PdfEngine`."""
        document = folder / _DOCUMENT
        document.write_text(html, encoding="utf-8", errors="replace")
        return own_program(_PROGRAM, str(document), str(folder / PDF_NAME), str(self._cpu_s))
