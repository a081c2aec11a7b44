"""What a report asks of a person, as of today, and reading what the person answered."""

from collections.abc import Mapping
from datetime import date
from zoneinfo import ZoneInfo

import structlog
from attrs import evolve

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.erpdb.runner import QueryResult, QueryRunner
from erp_gateway.html_reports.errors import ReportDataFailed
from erp_gateway.html_reports.options import OptionsFailedError, RunOptions, with_options
from erp_gateway.html_reports.registry import HtmlReport
from erp_gateway.report_parameters import ReportParameter, Value, on_day, read_values
from servicekit.clock import Clock
from servicekit.errors import as_service_error

_log = structlog.get_logger(__name__)


class ReportForms:
    """Fills in what of a declaration only the moment knows: relative days, and choices that queries give.

    Args:
        queries: the ERP's database.
        recorder: where each query is recorded that a form asks for.
        clock: tells the day.
        timezone: whose day.
    """

    def __init__(
        self, queries: QueryRunner, recorder: AuditRecorder, clock: Clock, timezone: ZoneInfo
    ) -> None:
        self._queries = queries
        self._recorder = recorder
        self._clock = clock
        self._timezone = timezone

    def listed(self, report: HtmlReport) -> HtmlReport:
        """Return the report with plain days; nothing is asked of the database."""
        return evolve(report, parameters=on_day(report.parameters, self._today()))

    async def form(self, report: HtmlReport, actor: Actor) -> HtmlReport:
        """Return the report with plain days and choices.

        Who may run the report may see its choices, whatever the query's own menu route is: they are asked
        for anew each time, and kept for nobody.

        Raises:
            ReportDataFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """

        async def run(query: str) -> QueryResult:
            event = AuditEvent(
                action=AuditAction.DB_QUERY, result=AuditResult.OK, actor=actor, resource=query
            )
            try:
                result = await self._queries.run(query, {})
            except Exception as error:
                reason = as_service_error(error).code
                await self._recorder.record(evolve(event, result=AuditResult.ERROR, reason=reason))
                raise
            detail = AuditDetail(rows=len(result.rows), truncated=result.truncated)
            await self._recorder.record(evolve(event, detail=detail))
            return result

        return evolve(report, parameters=await self._parameters(report, run))

    async def read(self, report: HtmlReport, sent: Mapping[str, object]) -> dict[str, Value]:
        """Turn what a person sent into typed values; choices are those of this moment.

        Raises:
            InvalidBody: values are missing, of the wrong type, beyond their bounds, or none of the choices.
            ReportDataFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """
        parameters = await self._parameters(report, lambda query: self._queries.run(query, {}), sent=sent)
        return read_values(parameters, sent)

    def _today(self) -> date:
        return self._clock.now().astimezone(self._timezone).date()

    async def _parameters(
        self, report: HtmlReport, run: RunOptions, *, sent: Mapping[str, object] | None = None
    ) -> tuple[ReportParameter, ...]:
        try:
            return await with_options(on_day(report.parameters, self._today()), run, sent=sent)
        except OptionsFailedError as error:
            _log.error("report_data_failed", report=report.code, reason=str(error))
            raise ReportDataFailed from error
