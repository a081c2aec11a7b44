"""Making a report: its form, values read, data gathered, template filled in, perhaps printed, recorded."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from threading import Event
from typing import Any, Final, NoReturn, TypeVar
from zoneinfo import ZoneInfo

import structlog
from attrs import define, evolve, field

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.files.exports.errors import ExportTooLarge
from erp_gateway.files.exports.exporter import Exporter, ExportJob, OpenExport
from erp_gateway.files.exports.options import ExportOptions
from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.client import DatabaseClient, QueryResult
from erp_gateway.queries.errors import DOES_NOT_FIT, NumberDoesNotFit, QueryNotFound
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
from erp_gateway.reports.html.printing.browser import BrowserEngine, find_browser
from erp_gateway.reports.html.printing.printer import (
    PdfEngine,
    PdfPrinter,
    WeasyPrintEngine,
    clean_left_jobs,
    guarded,
    is_weasyprint_installed,
)
from erp_gateway.reports.html.registry import (
    HtmlReport,
    HtmlReportRegistry,
    ReportTable,
    TableFailedError,
    TableRows,
    chosen_tables,
    rows_of,
)
from erp_gateway.settings.modules import HtmlPdf
from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditFormat,
    AuditResult,
    failure_recorded,
)
from erp_gateway.values.parameters.declare import Interval, Value
from erp_gateway.values.parameters.forms import OptionsFailedError, ParameterForms
from erp_gateway.values.parameters.reading import read_values
from erp_gateway.web.disconnects import Check, Disconnected, cancel_on_disconnect
from servicekit.child_process import orphans_adopted
from servicekit.clock import Clock
from servicekit.config.problems import Problem
from servicekit.erp.observed_queue import QueueObserver
from servicekit.errors import FieldProblem, InvalidBody, ServiceError

_log = structlog.get_logger(__name__)


async def gather(
    report: HtmlReport,
    values: Mapping[str, Value],
    queries: DatabaseClient,
    *,
    user: str,
    whole: bool = False,
) -> Mapping[str, object]:
    """Return the names that the report's template may use.

    What goes wrong in its data function is the report's fault, not the person's.

    Args:
        report: whose data function is called.
        values: what the person asked for, read.
        queries: the ERP's database.
        user: in whose turn it is asked.
        whole: whether a query that was cut is refused instead of passed on.

    Raises:
        ExportTooLarge: a query was cut, and `whole` asks for all.
        ReportDataFailed: the function asked for a query that there is none of, passed parameters that the
            query does not take, crashed, or returned something else; the log says which.
        InvalidBody: a number that the person sent does not fit where the query compares it.
        ServiceError: what the database answered, and what the function says itself.
    """

    async def run_query(name: str, params: Mapping[str, object]) -> QueryResult:
        try:
            result = await queries.run(name, params, user=user)
        except QueryNotFound:
            _fail(report, reason="unknown query", query=name, parameters=sorted(map(str, params)))
        except NumberDoesNotFit as error:
            sent_as = _sent_as(params[error.parameter], values)
            if sent_as is not None:
                raise InvalidBody(errors=[FieldProblem(f"values.{sent_as}", DOES_NOT_FIT)]) from error
            _fail(report, reason="a number does not fit", query=name, parameters=[error.parameter])
        except InvalidBody as error:
            named = [problem.path.removeprefix("params.") for problem in error.errors]
            _fail(report, reason="missing, unknown or badly typed parameters", query=name, parameters=named)
        if whole and result.truncated:
            raise ExportTooLarge(
                f"El informe lee más de las {len(result.rows)} filas que admite. Acote lo que pide."
            )
        return result

    try:
        names: object = await report.data(run_query, values)
    except ServiceError:
        raise
    except Exception as error:
        _log.exception("report_data_failed", report=report.code, reason="crashed")
        raise ReportDataFailed from error
    if not isinstance(names, Mapping):
        _fail(report, reason=f"returned {type(names).__name__}, no mapping")
    return names


def tables_of(
    report: HtmlReport, tables: Iterable[ReportTable], names: Mapping[str, object]
) -> list[TableRows]:
    """Return the rows of some of the report's tables; in a thread, since there may be many.

    Args:
        report: whose data function made the names.
        tables: which.
        names: what it returned.

    Raises:
        ReportDataFailed: they are not as the report declares; the log says how.
    """
    try:
        return [rows_of(table, names) for table in tables]
    except TableFailedError as error:
        _fail(report, reason=str(error))


def _fail(report: HtmlReport, **facts: object) -> NoReturn:
    """Log whose fault it is, by names and never by values."""
    _log.error("report_data_failed", report=report.code, **facts)
    raise ReportDataFailed


def _sent_as(passed: object, values: Mapping[str, Value]) -> str | None:
    """Return the report's parameter whose value was passed on as it is; None when the report made it."""
    return next((name for name, value in values.items() if passed in _parts(value)), None)


def _parts(value: Value) -> tuple[object, ...]:
    if isinstance(value, Interval):
        return (value.start, value.end)
    return value if isinstance(value, tuple) else (value,)


T = TypeVar("T")


@contextmanager
def _own_fault(report: HtmlReport) -> Iterator[None]:
    try:
        yield
    except OptionsFailedError as error:
        _log.error("report_data_failed", report=report.code, reason=str(error))
        raise ReportDataFailed from error


_ROWS_AT_A_TIME: Final = 500
"""Encoding holds Python's lock, so that it must come up for air."""


@define(eq=False, repr=False)
class HtmlReportService:
    """Renders and prints registered reports.

    Args:
        registry: the reports.
        queries: the ERP's database.
        printer: what prints; None where nothing does.
        recorder: where each report is recorded, names of parameters only.
        executor: threads for templates.
        exporter: makes files.
        forms: what reports ask of people.
        timeout_s: how long data and template of one report may take together.
        clock: tells when a report is made.
        timezone: of that time, as people read it.
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
        """All reports, in the order in which they were declared; relative days are those of today."""
        return tuple(
            evolve(report, parameters=self._forms.listed(report.parameters)) for report in self._registry
        )

    async def form(self, code: str, actor: Actor) -> HtmlReport:
        """Return one report with all that its form needs: plain days and choices.

        Raises:
            HtmlReportNotFound: there is no such report.
            ReportDataFailed: a query gave something else than choices.
            ServiceError: what the database answered.
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
        self, code: str, values: Mapping[str, object], actor: Actor, gone: Disconnected
    ) -> bytes:
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
        read = await self._read(report, values, actor)

        async def render() -> bytes:
            html = await self._document(report, read, actor)
            return await self._in_thread(lambda: html.encode("utf-8", "replace"))

        return await self._recorded(render(), report, read, AuditFormat.HTML, actor, gone)

    async def print(self, code: str, values: Mapping[str, object], actor: Actor, gone: Disconnected) -> bytes:
        """Return the report as PDF: the same document, printed.

        Args:
            code: the report.
            values: what a person sent, by parameter name.
            actor: who asks.
            gone: returns when the client has gone away; printing then ends.

        Raises:
            PdfNotConfigured: nothing prints here; no data was asked for.
            ServiceError: as for `render`, and what `PdfPrinter.print` raises.
        """
        report, printer = self.find(code), self._printer
        read = await self._read(report, values, actor)

        async def render_and_print() -> bytes:
            if printer is None:
                raise PdfNotConfigured
            html = await self._document(report, read, actor)
            return await printer.print(html, user=actor.web_user or "")

        return await self._recorded(render_and_print(), report, read, AuditFormat.PDF, actor, gone)

    async def export(
        self,
        code: str,
        values: Mapping[str, object],
        options: ExportOptions,
        table: str | None,
        *,
        actor: Actor,
        gone: Disconnected,
        check: Check,
    ) -> OpenExport:
        """Return tables of the report as a file; it is recorded before the file's last byte is sent.

        Args:
            code: the report.
            values: what a person sent, by parameter name.
            options: the kind of file.
            table: the one that is asked for; None for all that the file has room for.
            actor: who asks.
            gone: returns when the client has gone away; the work is then given up.
            check: raises once the person may not have it any more; the same.

        Raises:
            InvalidQuery: the report has no such table, or one must be chosen.
            ExportTooLarge: there are more rows than an export may have, or a query was cut.
            ServiceError: as for `render`, and as `Exporter.open` has it.
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

        async def ended(rows: int, reason: str | None) -> None:
            result = AuditResult.OK if reason is None else AuditResult.ERROR
            detail = evolve(event.detail, rows=rows)
            await self._recorder.record(evolve(event, result=result, reason=reason, detail=detail))

        part = f" - {tables[0].title}" if len(tables) < len(report.tables) else ""
        job = ExportJob(
            kind="report",
            user=user,
            title=f"{report.title}{part}",
            facts=tuple(_facts(report, read)),
            asked=options,
            gone=gone,
            check=check,
            ended=ended,
        )
        return await self._exporter.open(job, produce)

    def drain(self) -> None:
        """Send away all documents that wait to be printed: the service stops."""
        if self._printer is not None:
            self._printer.drain()

    async def _read(self, report: HtmlReport, sent: Mapping[str, object], actor: Actor) -> dict[str, Value]:
        """Turn what a person sent into typed values; choices are those of this moment.

        Raises:
            InvalidBody: values are missing, of the wrong type, beyond their bounds, or none of the choices.
            ReportDataFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """
        with _own_fault(report):
            parameters = await self._forms.reading(report.parameters, sent, actor)
        return read_values(parameters, sent)

    async def _document(self, report: HtmlReport, values: Mapping[str, Value], actor: Actor) -> str:
        """Gather the data and fill the template in, within the limit."""
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
        """Hand all rows to the sink, once it is known that they are not too many."""
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
        gone: Disconnected,
    ) -> T:
        """Await the work and record how it ended, before that is answered."""
        event = _event(report, values, form, actor)
        async with failure_recorded(self._recorder, event):
            made = await cancel_on_disconnect(work, gone)
        await self._recorder.record(event)
        return made

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
    """Yield what was asked for, as it stands on the last sheet of an XLSX; hidden values do not."""
    for parameter in report.parameters:
        value = None if parameter.input.kind == "hidden" else values.get(parameter.name)
        if isinstance(value, Interval):
            yield f"{parameter.shown_label}, desde", value.start
            yield f"{parameter.shown_label}, hasta", value.end
        elif isinstance(value, tuple):
            yield parameter.shown_label, ", ".join(map(str, value))
        elif value is not None:
            yield parameter.shown_label, value


_THREADS: Final = 4
"""Templates are worked on in so many, the printer's files in as many others: neither waits for the other.

Both may take longer than the event loop can wait.
"""


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
