"""Opens the HTML reports with their printer."""

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
from erp_gateway.files.exports.exporter import Exporter
from erp_gateway.queries.client import DatabaseClient
from erp_gateway.reports.html.printing.browser import BrowserEngine, find_browser
from erp_gateway.reports.html.printing.engine import PdfEngine
from erp_gateway.reports.html.printing.left_jobs import clean_left_jobs
from erp_gateway.reports.html.printing.printer import PdfPrinter
from erp_gateway.reports.html.printing.weasyprint_engine import WeasyPrintEngine, is_weasyprint_installed
from erp_gateway.reports.html.registry import HtmlReportRegistry
from erp_gateway.reports.html.service import HtmlReportService
from erp_gateway.settings.html_pdf import HtmlPdf
from erp_gateway.values.parameters.forms import ParameterForms
from servicekit.child_process import orphans_adopted
from servicekit.clock import Clock
from servicekit.config.problems import Problem
from servicekit.erp.observed_queue import QueueObserver

# Number of threads for templates, and of as many for the printer's files, so that neither waits for the
# other.
#
# Both would block the event loop for too long.
_THREADS: Final = 4


@asynccontextmanager
async def open_html_reports(
    settings: HtmlPdf,
    registry: HtmlReportRegistry,
    queries: DatabaseClient,
    recorder: AuditRecorder,
    exporter: Exporter,
    observer: QueueObserver | None = None,
    *,
    clock: Clock,
    timezone: ZoneInfo,
) -> AsyncIterator[HtmlReportService]:
    """Open the HTML reports. The first print starts a process.

    First, leftover jobs of a killed service are ended and removed.

    Args:
        settings: the engine and its limits.
        registry: the reports.
        queries: the ERP's database.
        recorder: audits the reports.
        exporter: creates files of their tables.
        observer: receives every print job.
        clock: time of a report.
        timezone: time zone of that time.
    """
    await asyncio.to_thread(clean_left_jobs, Path(tempfile.gettempdir()))
    with open_executor() as executor, open_executor() as files, orphans_adopted():
        yield HtmlReportService(
            registry,
            queries,
            create_printer(settings, files, observer),
            recorder,
            executor,
            exporter,
            ParameterForms(
                lambda query, user: queries.run(query, {}, user=user),
                recorder,
                lambda: clock.now().astimezone(timezone).date(),
            ),
            timeout_s=settings.timeout_s,
            clock=clock,
            timezone=timezone,
        )


@contextmanager
def open_executor() -> Iterator[Executor]:
    """Start the threads. On exit, drop work that has not started."""
    executor = ThreadPoolExecutor(_THREADS, thread_name_prefix="html-report")
    try:
        yield executor
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def create_printer(
    settings: HtmlPdf, executor: Executor, observer: QueueObserver | None = None
) -> PdfPrinter | None:
    """Create the configured printer; None if printing is disabled."""
    match settings.engine:
        case "none":
            return None
        case "weasyprint":
            engine: PdfEngine = WeasyPrintEngine(settings.timeout_s)
        case _:
            engine = BrowserEngine(settings.browser_bin, sandbox=settings.sandbox, environ=os.environ)
    return PdfPrinter(
        engine,
        places=settings.max_concurrency,
        timeout_s=settings.timeout_s,
        executor=executor,
        observer=observer,
    )


def can_print(settings: HtmlPdf) -> bool:
    """Return whether the configured engine is available now."""
    match settings.engine:
        case "none":
            return False
        case "weasyprint":
            return is_weasyprint_installed()
        case _:
            return find_browser(settings.browser_bin, os.environ) is not None


def problems_of(settings: HtmlPdf) -> Iterator[Problem]:
    """Yield problems with the configured print engine."""
    if settings.engine == "weasyprint" and not can_print(settings):
        yield Problem(
            "HTML_PDF_ENGINE",
            "'weasyprint' is not installed here; allowed: browser or none",
            "'weasyprint' no está instalado aquí; se admite: browser o none",
        )
    browser = settings.browser_bin
    if settings.engine == "browser" and browser is not None and not can_print(settings):
        yield Problem(
            "BROWSER_BIN",
            f"{str(browser)!r} is no program this process may run; allowed: a browser's file",
            f"{str(browser)!r} no es un programa que este proceso pueda ejecutar; se admite: el archivo de "
            "un navegador",
        )
