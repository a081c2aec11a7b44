"""HTML reports as PDF with both engines, turn by turn: seconds and peak memory of a document.

Both print the same documents through the gateway's own printer: queue, folder, process and clean-up count.
"""

import asyncio
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import psutil
import pypdfium2  # type: ignore[import-untyped]  # it has no types
from attrs import frozen
from stack.modules import printing_settings

from bench.servers import on_all_cores
from erp_gateway.reports.html.opening import create_printer, open_executor
from erp_gateway.reports.html.printing.browser import find_browser
from erp_gateway.reports.html.printing.guard import guarded
from erp_gateway.reports.html.printing.printer import PdfPrinter
from erp_gateway.settings.html_pdf import HtmlPdf
from servicekit.child_process import orphans_adopted

ENGINES = ("browser", "weasyprint")
PAGES = (1, 20)
ROUNDS = {1: 7, 20: 5}
ROWS = {1: 38, 20: 880}
"""Number of rows of a table that fills a number of pages, or one more, with either engine."""

SAMPLE_S = 0.02


@frozen
class Printed:
    """Results of one engine with one document.

    Attributes:
        engine: `browser` or `weasyprint`.
        pages: expected number of pages.
        found_pages: actual number of pages.
        seconds: median of the rounds.
        slowest_s: the slowest of them.
        peak_bytes: most memory of all its processes together, shared pages counted once.
        pdf_bytes: size of the file.
    """

    engine: str
    pages: int
    found_pages: int
    seconds: float
    slowest_s: float
    peak_bytes: int
    pdf_bytes: int


def measure(*, say: Callable[[str], None]) -> tuple[Printed, ...]:
    """Measure each installed engine; memory in a separate turn."""
    engines = [name for name in ENGINES if name != "browser" or find_browser(None, os.environ)]
    if "browser" not in engines:
        say("no headless browser on this machine: only WeasyPrint is measured")
    printed = []
    with on_all_cores(), open_executor() as executor, orphans_adopted():
        made = {name: create_printer(_settings(name), executor) for name in engines}
        printers = {name: printer for name, printer in made.items() if printer is not None}
        for pages in PAGES:
            for each in asyncio.run(_measure(printers, pages)):
                printed.append(each)
                say(
                    f"{each.engine}, {each.found_pages} pages: {each.seconds:.2f} s (slowest "
                    f"{each.slowest_s:.2f} s), peak {each.peak_bytes / 2**20:.0f} MiB, "
                    f"{each.pdf_bytes / 1024:.0f} KiB"
                )
    return tuple(printed)


async def _measure(printers: dict[str, PdfPrinter], pages: int) -> list[Printed]:
    document = report(pages)
    seconds: dict[str, list[float]] = {name: [] for name in printers}
    for _ in range(ROUNDS[pages]):
        for name, printer in printers.items():
            started = time.perf_counter()
            await printer.print(document, user="bench")
            seconds[name].append(time.perf_counter() - started)
    measured = []
    for name, printer in printers.items():
        with _peak_memory() as peak:
            pdf = await printer.print(document, user="bench")
        with pypdfium2.PdfDocument(pdf) as opened:
            found = len(opened)
        times = seconds[name]
        measured.append(Printed(name, pages, found, statistics.median(times), max(times), peak[0], len(pdf)))
    return measured


def report(pages: int) -> str:
    """Return a table of seven columns over so many pages of A4 (one of `PAGES`)."""
    cells = "".join(f"<td>valor {{row}}-{column}</td>" for column in range(7))
    rows = "".join(f"<tr>{cells}</tr>".replace("{row}", str(row)) for row in range(ROWS[pages]))
    return guarded(
        """<html lang="es"><head><title>Informe</title><style>
        @page { size: A4; margin: 15mm; @bottom-right { content: counter(page) " / " counter(pages) } }
        body { margin: 0; font: 9pt "DejaVu Sans" } table { width: 100%; border-collapse: collapse }
        td { border: 1px solid #999; height: 6mm; padding: 0 1mm }
        </style></head><body><table>"""
        + rows
        + "</table></body></html>"
    )


def _settings(engine: str) -> HtmlPdf:
    return HtmlPdf(
        engine=engine,
        browser_bin=None,
        sandbox=printing_settings().get("HTML_PDF_SANDBOX") == "true",
        max_concurrency=1,
        timeout_s=600.0,
    )


@contextmanager
def _peak_memory() -> Iterator[list[int]]:
    """Watch the processes below this one; the list's only entry is their peak."""
    peak = [0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(SAMPLE_S):
            peak[0] = max(peak[0], sum(map(_memory, psutil.Process().children(recursive=True))))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peak
    finally:
        done.set()
        watcher.join()


def _memory(process: psutil.Process) -> int:
    with suppress(psutil.Error):
        return int(process.memory_full_info().pss)
    return 0
