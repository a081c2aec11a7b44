"""The process that WeasyPrint runs in: `python -I -m <this module> DOCUMENT PDF CPU_S`.

It bounds itself, then prints. Its documents may hold what people typed, so it fetches nothing but `data:`
URLs; without that WeasyPrint reads local files, and even attaches them to the PDF
(`<link rel=attachment href=file:…>`, seen on 70.0).
"""

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path
from typing import Final

_MAX_MEMORY_BYTES: Final = 2 * 1024**3
_MAX_FILE_BYTES: Final = 64 * 1024**2
_MAX_OPEN_FILES: Final = 128
_PR_SET_PDEATHSIG: Final = 1
"""From Linux' <sys/prctl.h>."""


def main(arguments: list[str]) -> int:
    """Print one document; the exit code tells whether it went well."""
    source, target, cpu_s = arguments
    _end_with_the_parent()
    _bound(int(cpu_s))
    print_document(Path(source), Path(target))
    return 0


def print_document(source: Path, target: Path) -> None:
    """Print one HTML file as PDF, from nothing but what stands in it.

    Raises:
        OSError: a file can't be read or written.
    """
    from weasyprint import HTML  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; only needed here
    from weasyprint.urls import URLFetcher  # type: ignore[import-untyped]  # noqa: PLC0415 - as above

    fetcher = URLFetcher(allowed_protocols=("data",), allow_redirects=False)
    document = HTML(string=source.read_text(encoding="utf-8"), url_fetcher=fetcher)
    document.write_pdf(target)


def _end_with_the_parent() -> None:
    """Ask Linux to kill this process when the service is killed; elsewhere its processor time runs out."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _bound(cpu_s: int) -> None:
    for kind, most in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_AS, _MAX_MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, _MAX_FILE_BYTES),
        (resource.RLIMIT_NOFILE, _MAX_OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        bounded = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bounded, bounded))


if __name__ == "__main__":
    # Python's own end would unload Pango's libraries beneath the threads that they started: of some 900 jobs
    # one died of SIGSEGV in such a thread, its code gone (seen on a busy machine, Pango 1.50).
    os._exit(main(sys.argv[1:]))
