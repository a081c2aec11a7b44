"""Making a report: values read, data gathered, template filled in, perhaps printed, and recorded."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Executor
from threading import Event
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import structlog
from attrs import evolve

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditFormat, AuditResult
from erp_gateway.erpdb.runner import QueryRunner
from erp_gateway.html_reports.data import gather
from erp_gateway.html_reports.errors import (
    HtmlReportNotFound,
    ReportTemplateFailed,
    ReportTimeout,
    ReportTooLong,
)
from erp_gateway.html_reports.printing.document import guarded
from erp_gateway.html_reports.printing.printer import PdfPrinter
from erp_gateway.html_reports.registry import HtmlReport, HtmlReportRegistry
from erp_gateway.html_reports.templates import (
    DocumentTooLongError,
    Issue,
    TemplateError,
    TemplateFailedError,
)
from erp_gateway.report_parameters import Value, read_values
from erp_gateway.web.departures import Gone, unless_gone
from servicekit.clock import Clock
from servicekit.errors import as_service_error

_log = structlog.get_logger(__name__)

T = TypeVar("T")


class HtmlReportService:
    """Renders and prints registered reports.

    Args:
        registry: the reports.
        queries: the ERP's database.
        printer: what prints.
        recorder: where each report is recorded, names of parameters only.
        executor: threads for templates.
        timeout_s: how long data and template of one report may take together.
        clock: tells when a report is made.
        timezone: of that time, as people read it.
    """

    def __init__(
        self,
        registry: HtmlReportRegistry,
        queries: QueryRunner,
        printer: PdfPrinter,
        recorder: AuditRecorder,
        executor: Executor,
        *,
        timeout_s: float,
        clock: Clock,
        timezone: ZoneInfo,
    ) -> None:
        self._registry = registry
        self._queries = queries
        self._printer = printer
        self._recorder = recorder
        self._executor = executor
        self._timeout_s = timeout_s
        self._clock = clock
        self._timezone = timezone

    @property
    def reports(self) -> tuple[HtmlReport, ...]:
        """All reports, in the order in which they were declared."""
        return tuple(self._registry)

    def find(self, code: str) -> HtmlReport:
        """Return the report with this code.

        Raises:
            HtmlReportNotFound: there is none.
        """
        report = self._registry.find(code)
        if report is None:
            raise HtmlReportNotFound
        return report

    async def render(self, code: str, values: Mapping[str, object], actor: Actor, gone: Gone) -> bytes:
        """Return the report as HTML in UTF-8.

        Args:
            code: the report.
            values: what a person sent, by parameter name.
            actor: who asks.
            gone: returns when the client has gone away; the work is then given up.

        Raises:
            HtmlReportNotFound: there is no such report.
            InvalidBody: values are missing or of the wrong type.
            ReportDataFailed: the data function is at fault.
            ReportTemplateFailed: the template is at fault.
            ReportTooLong: the document is too long.
            ClientGone: the client left.
            ServiceError: what the database answered.
        """
        report = self.find(code)
        read = read_values(report.parameters, values)

        async def render() -> bytes:
            html = await self._document(report, read, actor)
            return await self._in_thread(lambda: html.encode("utf-8", "replace"))

        return await self._recorded(render(), report, read, AuditFormat.HTML, actor, gone)

    async def print(self, code: str, values: Mapping[str, object], actor: Actor, gone: Gone) -> bytes:
        """Return the report as PDF: the same document, printed.

        Args:
            code: the report.
            values: what a person sent, by parameter name.
            actor: who asks.
            gone: returns when the client has gone away; printing then ends.

        Raises:
            ServiceError: as for `render`, and what `PdfPrinter.print` raises.
        """
        report = self.find(code)
        read = read_values(report.parameters, values)

        async def render_and_print() -> bytes:
            html = await self._document(report, read, actor)
            return await self._printer.print(html, user=actor.web_user or "")

        return await self._recorded(render_and_print(), report, read, AuditFormat.PDF, actor, gone)

    def drain(self) -> None:
        """Send away all documents that wait to be printed: the service stops."""
        self._printer.drain()

    async def _document(self, report: HtmlReport, values: Mapping[str, Value], actor: Actor) -> str:
        """Gather the data and fill the template in, within the limit."""
        try:
            async with asyncio.timeout(self._timeout_s):
                names = await gather(report, values, self._queries)
                return await self._filled_in(report, {"informe": self._issue(report, actor), **names})
        except TimeoutError as error:
            _log.error("report_took_too_long", report=report.code, limit_s=self._timeout_s)
            raise ReportTimeout from error

    def _issue(self, report: HtmlReport, actor: Actor) -> Issue:
        now = self._clock.now().astimezone(self._timezone)
        return Issue(
            titulo=report.title, emitido_el=f"{now:%d-%m-%Y %H:%M}", emitido_por=actor.web_user or ""
        )

    async def _filled_in(self, report: HtmlReport, names: Mapping[str, object]) -> str:
        given_up = Event()

        def fill_in() -> str:
            return guarded(self._registry.template_of(report).render(names, given_up.is_set))

        try:
            return await self._in_thread(fill_in)
        except asyncio.CancelledError:
            given_up.set()
            raise
        except DocumentTooLongError as error:
            raise ReportTooLong from error
        except TemplateError as error:  # only where templates are read anew each time
            _log.error("report_template_failed", report=report.code, reason=str(error))
            raise ReportTemplateFailed from error
        except TemplateFailedError as error:
            _log.error(
                "report_template_failed",
                report=report.code,
                template=error.template,
                line=error.line,
                exc_info=error.cause,
            )
            raise ReportTemplateFailed from None

    async def _recorded(
        self,
        work: Coroutine[Any, Any, T],
        report: HtmlReport,
        values: Mapping[str, Value],
        form: AuditFormat,
        actor: Actor,
        gone: Gone,
    ) -> T:
        """Await the work and record how it ended, before that is answered."""
        event = AuditEvent(
            action=AuditAction.HTML_REPORT,
            result=AuditResult.OK,
            actor=actor,
            resource=report.code,
            fields=tuple(values),
            detail=AuditDetail(format=form),
        )
        try:
            made = await unless_gone(work, gone)
        except Exception as error:
            reason = as_service_error(error).code
            await self._recorder.record(evolve(event, result=AuditResult.ERROR, reason=reason))
            raise
        await self._recorder.record(event)
        return made

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)
