"""What a report asks of a person, as of today, and reading what the person answered."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from zoneinfo import ZoneInfo

import structlog
from attrs import evolve

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor
from erp_gateway.erpdb.runner import QueryRunner
from erp_gateway.html_reports.errors import ReportDataFailed
from erp_gateway.html_reports.registry import HtmlReport
from erp_gateway.report_parameters import OptionsFailedError, ParameterForms, Value, read_values
from servicekit.clock import Clock

_log = structlog.get_logger(__name__)


class ReportForms:
    """The forms of reports; what goes wrong with their choices is the report's fault.

    Args:
        queries: the ERP's database.
        recorder: where each query is recorded that a form asks for.
        clock: tells the day.
        timezone: whose day.
    """

    def __init__(
        self, queries: QueryRunner, recorder: AuditRecorder, clock: Clock, timezone: ZoneInfo
    ) -> None:
        self._forms = ParameterForms(
            lambda query, user: queries.run(query, {}, user=user),
            recorder,
            lambda: clock.now().astimezone(timezone).date(),
        )

    def listed(self, report: HtmlReport) -> HtmlReport:
        """Return the report with plain days; nothing is asked of the database."""
        return evolve(report, parameters=self._forms.listed(report.parameters))

    async def form(self, report: HtmlReport, actor: Actor) -> HtmlReport:
        """Return the report with plain days and choices.

        Raises:
            ReportDataFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """
        with _own_fault(report):
            return evolve(report, parameters=await self._forms.form(report.parameters, actor))

    async def read(self, report: HtmlReport, sent: Mapping[str, object], actor: Actor) -> dict[str, Value]:
        """Turn what a person sent into typed values; choices are those of this moment.

        Raises:
            InvalidBody: values are missing, of the wrong type, beyond their bounds, or none of the choices.
            ReportDataFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """
        with _own_fault(report):
            parameters = await self._forms.reading(report.parameters, sent, actor)
        return read_values(parameters, sent)


@contextmanager
def _own_fault(report: HtmlReport) -> Iterator[None]:
    try:
        yield
    except OptionsFailedError as error:
        _log.error("report_data_failed", report=report.code, reason=str(error))
        raise ReportDataFailed from error
