"""Process of WeasyPrint: `python -I -m <this module> DOCUMENT PDF CPU_S`.

It limits itself, then prints. Its documents may contain user input, so it only loads `data:` URLs; otherwise
WeasyPrint reads local files and even attaches them to the PDF (`<link rel=attachment href=file:…>`, seen on
70.0).
"""

import os
import sys
from pathlib import Path
from typing import Final

from servicekit.child_limits import keep_within

MAX_MEMORY_BYTES: Final = 2 * 1024**3
_MAX_FILE_BYTES: Final = 64 * 1024**2
_MAX_OPEN_FILES: Final = 128


def main(arguments: list[str]) -> int:
    """Print one document; the exit code reports success."""
    source, target, cpu_s = arguments
    keep_within(
        cpu_s=int(cpu_s),
        memory_bytes=MAX_MEMORY_BYTES,
        file_bytes=_MAX_FILE_BYTES,
        open_files=_MAX_OPEN_FILES,
    )
    print_document(Path(source), Path(target))
    return 0


def print_document(source: Path, target: Path) -> None:
    """Print one HTML file as PDF, without any external resource.

    Raises:
        OSError: a file can't be read or written.
    """
    from weasyprint import HTML  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; only needed here
    from weasyprint.urls import URLFetcher  # type: ignore[import-untyped]  # noqa: PLC0415 - as above

    fetcher = URLFetcher(allowed_protocols=("data",), allow_redirects=False)
    document = HTML(string=source.read_text(encoding="utf-8"), url_fetcher=fetcher)
    document.write_pdf(target)


if __name__ == "__main__":
    # A normal exit would unload Pango's libraries while its threads still run. About one job in 900 then died
    # of SIGSEGV (seen on a busy machine, Pango 1.50).
    os._exit(main(sys.argv[1:]))
