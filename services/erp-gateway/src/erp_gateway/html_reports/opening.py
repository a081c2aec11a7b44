"""Opens the module: the threads, the engine of the configuration, and what stands on them."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.erpdb.runner import QueryRunner
from erp_gateway.exports.exporter import Exporter
from erp_gateway.html_reports.printing.browser import BrowserEngine
from erp_gateway.html_reports.printing.browser_places import find_browser
from erp_gateway.html_reports.printing.child_process import orphans_adopted
from erp_gateway.html_reports.printing.engine import PdfEngine
from erp_gateway.html_reports.printing.left_jobs import clean_left_jobs
from erp_gateway.html_reports.printing.printer import PdfPrinter
from erp_gateway.html_reports.printing.weasyprint_engine import WeasyPrintEngine, is_weasyprint_installed
from erp_gateway.html_reports.registry import HtmlReportRegistry
from erp_gateway.html_reports.service import HtmlReportService
from erp_gateway.observed_queue import QueueObserver
from erp_gateway.settings.modules import HtmlPdf
from servicekit.clock import Clock
from servicekit.config.load import Problem

_THREADS: Final = 4
"""Templates are worked on in so many, the printer's files in as many others: neither waits for the other.

Both may take longer than the event loop can wait.
"""


@asynccontextmanager
async def open_html_reports(
    settings: HtmlPdf,
    registry: HtmlReportRegistry,
    queries: QueryRunner,
    recorder: AuditRecorder,
    exporter: Exporter,
    observer: QueueObserver | None = None,
    *,
    clock: Clock,
    timezone: ZoneInfo,
) -> AsyncIterator[HtmlReportService]:
    """Open the module. No process is started before the first document is printed.

    What a killed service has left of its jobs is ended and removed before.

    Args:
        settings: the engine and its limits.
        registry: the reports.
        queries: the ERP's database.
        recorder: where reports are recorded.
        exporter: makes files of their tables.
        observer: is told of every document that is printed.
        clock: tells when a report is made.
        timezone: of that time, as people read it.
    """
    await asyncio.to_thread(clean_left_jobs, Path(tempfile.gettempdir()))
    with open_executor() as executor, open_executor() as files, orphans_adopted():
        printer = create_printer(settings, files, observer)
        yield HtmlReportService(
            registry,
            queries,
            printer,
            recorder,
            executor,
            exporter,
            timeout_s=settings.timeout_s,
            clock=clock,
            timezone=timezone,
        )


@contextmanager
def open_executor() -> Iterator[Executor]:
    """Start the threads; on leaving, what has not begun is dropped."""
    executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="html-report")
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def create_printer(
    settings: HtmlPdf, executor: Executor, observer: QueueObserver | None = None
) -> PdfPrinter | None:
    """Return what prints as the configuration says; None where that is nothing."""
    engine = create_engine(settings)
    if engine is None:
        return None
    return PdfPrinter(
        engine,
        places=settings.max_concurrency,
        timeout_s=settings.timeout_s,
        executor=executor,
        observer=observer,
    )


def can_print(settings: HtmlPdf) -> bool:
    """Tell whether there is something to print with, at this moment."""
    match settings.engine:
        case "none":
            return False
        case "weasyprint":
            return is_weasyprint_installed()
        case _:
            return find_browser(settings.browser_bin, os.environ) is not None


def problems_of(settings: HtmlPdf) -> Iterator[Problem]:
    """Yield what the configuration names to print with, and what can't be run here."""
    if settings.engine == "weasyprint" and not can_print(settings):
        yield Problem("HTML_PDF_ENGINE", "'weasyprint' is not installed here; allowed: browser or none")
    browser = settings.browser_bin
    if settings.engine == "browser" and browser is not None and not can_print(settings):
        yield Problem(
            "BROWSER_BIN", f"{str(browser)!r} is no program this process may run; allowed: a browser's file"
        )


def create_engine(settings: HtmlPdf) -> PdfEngine | None:
    """Return the engine that the configuration asks for; None for `none`."""
    match settings.engine:
        case "none":
            return None
        case "weasyprint":
            return WeasyPrintEngine(settings.timeout_s)
        case _:
            return BrowserEngine(settings.browser_bin, sandbox=settings.sandbox, environ=os.environ)
