"""WeasyPrint as the engine that prints."""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from erp_gateway.reports.html.printing.engine import PDF_NAME
from servicekit.child_process import own_program

_DOCUMENT: Final = "document.html"
_PROGRAM: Final = "erp_gateway.reports.html.printing.weasyprint_process"
_CPU_MARGIN_S: Final = 5


def is_weasyprint_installed() -> bool:
    """Return whether the package is installed; a smaller image lacks it."""
    return find_spec("weasyprint") is not None


class WeasyPrintEngine:
    """Prints without a browser. Suitable for small reports: 200 pages take ten times as long.

    Args:
        timeout_s: longest job. The CPU time of the process is limited slightly above, so that it ends even if
            the service was killed.
    """

    def __init__(self, timeout_s: float) -> None:
        self._cpu_s = math.ceil(timeout_s) + _CPU_MARGIN_S

    def prepare(self, html: str, folder: Path) -> Sequence[str]:
        """Write the document; see `PdfEngine`."""
        document = folder / _DOCUMENT
        document.write_text(html, encoding="utf-8", errors="replace")
        return own_program(_PROGRAM, str(document), str(folder / PDF_NAME), str(self._cpu_s))
