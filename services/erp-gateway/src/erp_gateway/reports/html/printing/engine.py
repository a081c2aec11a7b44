"""Interface of the programs that print a document as PDF."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

PDF_NAME: Final = "report.pdf"
"""The file that a job's command writes into the job's folder."""


class PdfEngine(Protocol):
    """A print engine; each job runs its command as a separate process."""

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document into the job's folder and return the command that prints it; runs in a thread.

        Args:
            html: the document, guarded.
            folder: the job's own empty folder; the command runs in it and leaves `PDF_NAME` there.

        Raises:
            BrowserUnavailable: no print engine is available.
            OSError: the folder can't be written.
        """
        ...
