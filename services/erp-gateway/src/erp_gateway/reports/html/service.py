"""Making a report: its form, values read, data gathered, template filled in, perhaps printed, recorded."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from threading import Event
from typing import Any, Final, TypeVar
from zoneinfo import ZoneInfo

import structlog
from attrs import define, evolve, field

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.files.exports.errors import ExportTooLarge
from erp_gateway.files.exports.export_job import ExportJob
from erp_gateway.files.exports.exporter import Exporter
from erp_gateway.files.exports.open_export import OpenExport
from erp_gateway.files.exports.options import ExportOptions
from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.client import DatabaseClient
from erp_gateway.reports.html.data import gather, tables_of
from erp_gateway.reports.html.errors import (
    DocumentTooLongError,
    HtmlReportNotFound,
    PdfNotConfigured,
    ReportDataFailed,
    ReportTemplateFailed,
    ReportTimeout,
    ReportTooLong,
    TemplateError,
    TemplateFailedError,
)
from erp_gateway.reports.html.issue import Issue
from erp_gateway.reports.html.printing.guard import guarded
from erp_gateway.reports.html.printing.printer import PdfPrinter
from erp_gateway.reports.html.registry import HtmlReport, HtmlReportRegistry
from erp_gateway.reports.html.tables import TableRows, chosen_tables
from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditFormat,
    AuditResult,
)
from erp_gateway.values.audit_recorder import failure_recorded
from erp_gateway.values.parameters.declare import Interval, Value
from erp_gateway.values.parameters.forms import OptionsFailedError, ParameterForms
from erp_gateway.values.parameters.reading import read_values
from erp_gateway.web.disconnects import Check, Disconnected, cancel_on_disconnect
from servicekit.clock import Clock

_log = structlog.get_logger(__name__)


T = TypeVar("T")


@contextmanager
def _own_fault(report: HtmlReport) -> Iterator[None]:
    try:
        yield
    except OptionsFailedError as error:
        _log.error("report_data_failed", report=report.code, reason=str(error))
        raise ReportDataFailed from error


# Number of rows per chunk. Encoding holds Python's lock, so it must release it regularly.
_ROWS_AT_A_TIME: Final = 500


@define(eq=False, repr=False)
class HtmlReportService:
    """Renders and prints registered reports.

    Args:
        registry: the reports.
        queries: the ERP's database.
        printer: prints documents; None if printing is disabled.
        recorder: audits each report with the names of its parameters.
        executor: threads for templates.
        exporter: creates files.
        forms: builds the forms of reports.
        timeout_s: longest time of data and template of one report together.
        clock: time of a report.
        timezone: time zone of that time.
    """

    _registry: HtmlReportRegistry
    _queries: DatabaseClient
    _printer: PdfPrinter | None
    _recorder: AuditRecorder
    _executor: Executor
    _exporter: Exporter
    _forms: ParameterForms
    _timeout_s: float = field(kw_only=True)
    _clock: Clock = field(kw_only=True)
    _timezone: ZoneInfo = field(kw_only=True)

    @property
    def reports(self) -> tuple[HtmlReport, ...]:
        """All reports in the order of declaration, with relative days resolved."""
        return tuple(
            evolve(report, parameters=self._forms.listed(report.parameters)) for report in self._registry
        )

    async def form(self, code: str, actor: Actor) -> HtmlReport:
        """Return one report with its complete form: resolved days and choices.

        Raises:
            HtmlReportNotFound: there is no such report.
            ReportDataFailed: the query for choices returned other columns.
            ServiceError: a failure of the database.
        """
        report = self.find(code)
        with _own_fault(report):
            return evolve(report, parameters=await self._forms.form(report.parameters, actor))

    def find(self, code: str) -> HtmlReport:
        """Return the report with this code.

        Raises:
            HtmlReportNotFound: there is none.
        """
        report = self._registry.find(code)
        if report is None:
            raise HtmlReportNotFound
        return report

    async def render(
        self, code: str, values: Mapping[str, object], actor: Actor, disconnected: Disconnected
    ) -> bytes:
        """Return the report as HTML in UTF-8.

        Args:
            code: the report.
            values: sent values by parameter name.
            actor: the user.
            disconnected: returns when the client has disconnected; the work is then cancelled.

        Raises:
            HtmlReportNotFound: there is no such report.
            InvalidBody: values are missing or of the wrong type.
            ReportDataFailed: the data function is at fault.
            ReportTemplateFailed: the template is at fault.
            ReportTooLong: the document is too long.
            ClientGone: the client left.
            ServiceError: a failure of the database.
        """
        report = self.find(code)
        read = await self._read(report, values, actor)

        async def render() -> bytes:
            html = await self._document(report, read, actor)
            return await self._in_thread(lambda: html.encode("utf-8", "replace"))

        return await self._recorded(render(), report, read, AuditFormat.HTML, actor, disconnected)

    async def print(
        self, code: str, values: Mapping[str, object], actor: Actor, disconnected: Disconnected
    ) -> bytes:
        """Print the same document as PDF.

        Args:
            code: the report.
            values: sent values by parameter name.
            actor: the user.
            disconnected: returns when the client has disconnected; printing then ends.

        Raises:
            PdfNotConfigured: printing is disabled; no data was read.
            ServiceError: as for `render`, and errors of `PdfPrinter.print`.
        """
        report, printer = self.find(code), self._printer
        read = await self._read(report, values, actor)

        async def render_and_print() -> bytes:
            if printer is None:
                raise PdfNotConfigured
            html = await self._document(report, read, actor)
            return await printer.print(html, user=actor.web_user or "")

        return await self._recorded(render_and_print(), report, read, AuditFormat.PDF, actor, disconnected)

    async def export(
        self,
        code: str,
        values: Mapping[str, object],
        options: ExportOptions,
        table: str | None,
        *,
        actor: Actor,
        disconnected: Disconnected,
        check: Check,
    ) -> OpenExport:
        """Export tables of the report to a file. The report is audited before the file's last byte is sent.

        Args:
            code: the report.
            values: sent values by parameter name.
            options: the kind of file.
            table: the requested table; None for all that fit into the file.
            actor: the user.
            disconnected: returns when the client has disconnected; the work is then cancelled.
            check: raises when the user has lost the right; the work is then cancelled.

        Raises:
            InvalidQuery: the report has no such table, or one must be chosen.
            ExportTooLarge: more rows than an export may have, or a truncated query.
            ServiceError: as for `render` and `Exporter.open`.
        """
        report = self.find(code)
        tables = chosen_tables(report.tables, options, table)
        read = await self._read(report, values, actor)
        event = _event(report, read, AuditFormat(options.format.value), actor)
        user = actor.web_user or ""

        async def produce(sink: TableSink) -> None:
            try:
                async with asyncio.timeout(self._timeout_s):
                    names = await gather(report, read, self._queries, user=user, whole=True)
            except TimeoutError as error:
                raise self._too_long(report) from error
            await self._in_thread(lambda: self._fill(tables_of(report, tables, names), sink))

        async def on_end(rows: int, reason: str | None) -> None:
            result = AuditResult.OK if reason is None else AuditResult.ERROR
            detail = evolve(event.detail, rows=rows)
            await self._recorder.record(evolve(event, result=result, reason=reason, detail=detail))

        part = f" - {tables[0].title}" if len(tables) < len(report.tables) else ""
        job = ExportJob(
            kind="report",
            user=user,
            title=f"{report.title}{part}",
            facts=tuple(_facts(report, read)),
            options=options,
            gone=disconnected,
            check=check,
            on_end=on_end,
        )
        return await self._exporter.open(job, produce)

    def drain(self) -> None:
        """Send away all documents that wait to be printed: the service stops."""
        if self._printer is not None:
            self._printer.drain()

    async def _read(
        self, report: HtmlReport, raw_values: Mapping[str, object], actor: Actor
    ) -> dict[str, Value]:
        """Convert the sent values to typed ones; choices are the current ones.

        Raises:
            InvalidBody: values are missing, of the wrong type, beyond their bounds, or none of the choices.
            ReportDataFailed: the query for choices returned other columns.
            ServiceError: a failure of the database.
        """
        with _own_fault(report):
            parameters = await self._forms.reading(report.parameters, raw_values, actor)
        return read_values(parameters, raw_values)

    async def _document(self, report: HtmlReport, values: Mapping[str, Value], actor: Actor) -> str:
        try:
            async with asyncio.timeout(self._timeout_s):
                names = await gather(report, values, self._queries, user=actor.web_user or "")
                return await self._filled_in(report, {"informe": self._issue(report, actor), **names})
        except TimeoutError as error:
            raise self._too_long(report) from error

    def _too_long(self, report: HtmlReport) -> ReportTimeout:
        _log.error("report_took_too_long", report=report.code, limit_s=self._timeout_s)
        return ReportTimeout()

    def _fill(self, tables: Sequence[TableRows], sink: TableSink) -> None:
        most = self._exporter.max_rows
        if sum(len(each.rows) for each in tables) > most:
            raise ExportTooLarge(f"El informe tiene más de {most} filas, que es lo que se puede exportar.")
        for each in tables:
            sink.begin([column.title for column in each.table.columns], title=each.table.title)
            for start in range(0, len(each.rows), _ROWS_AT_A_TIME):
                sink.add(each.rows[start : start + _ROWS_AT_A_TIME])

    def _issue(self, report: HtmlReport, actor: Actor) -> Issue:
        now = self._clock.now().astimezone(self._timezone)
        return Issue(
            titulo=report.title, emitido_el=f"{now:%d-%m-%Y %H:%M}", emitido_por=actor.web_user or ""
        )

    async def _filled_in(self, report: HtmlReport, names: Mapping[str, object]) -> str:
        is_abandoned = Event()

        def fill_in() -> str:
            return guarded(self._registry.template_of(report).render(names, is_abandoned.is_set))

        try:
            return await self._in_thread(fill_in)
        except asyncio.CancelledError:
            is_abandoned.set()
            raise
        except DocumentTooLongError as error:
            raise ReportTooLong from error
        except TemplateError as error:  # only with `reload`, which reads templates for each rendering
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
        disconnected: Disconnected,
    ) -> T:
        event = _event(report, values, form, actor)
        async with failure_recorded(self._recorder, event):
            result = await cancel_on_disconnect(work, disconnected)
        await self._recorder.record(event)
        return result

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)


def _event(report: HtmlReport, values: Mapping[str, Value], form: AuditFormat, actor: Actor) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.HTML_REPORT,
        result=AuditResult.OK,
        actor=actor,
        resource=report.code,
        fields=tuple(values),
        detail=AuditDetail(format=form),
    )


def _facts(report: HtmlReport, values: Mapping[str, Value]) -> Iterator[tuple[str, object]]:
    for parameter in report.parameters:
        value = None if parameter.input.kind == "hidden" else values.get(parameter.name)
        if isinstance(value, Interval):
            yield f"{parameter.shown_label}, desde", value.start
            yield f"{parameter.shown_label}, hasta", value.end
        elif isinstance(value, tuple):
            yield parameter.shown_label, ", ".join(map(str, value))
        elif value is not None:
            yield parameter.shown_label, value
