"""What of a declaration only the moment knows: relative days, and choices that queries give."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date

from attrs import define, evolve

from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult, Recorder
from erp_gateway.report_parameters.declare import ReportParameter
from erp_gateway.report_parameters.options import OptionRows, with_options
from erp_gateway.report_parameters.reading import on_day
from servicekit.errors import as_service_error


@define(eq=False, repr=False)
class ParameterForms:
    """Fills in what reports and queries ask for, as of today.

    Args:
        run: runs a registered query that takes no parameters, in a user's turn.
        recorder: where each query is recorded that a form asks for.
        today: tells the day in the installation's time zone.
    """

    _run: Callable[[str, str], Awaitable[OptionRows]]
    _recorder: Recorder
    _today: Callable[[], date]

    def listed(self, parameters: Sequence[ReportParameter]) -> tuple[ReportParameter, ...]:
        """Return declarations with plain days; nothing is asked of the database."""
        return on_day(parameters, self._today())

    async def form(self, parameters: Sequence[ReportParameter], actor: Actor) -> tuple[ReportParameter, ...]:
        """Return declarations with plain days and choices.

        Who may run the report or query may see its choices, whatever the menu route of the query that gives
        them: they are asked for anew each time, and kept for nobody.

        Raises:
            OptionsFailedError: a query gave something else than choices.
            ServiceError: what the database answered.
        """

        async def run(query: str) -> OptionRows:
            event = AuditEvent(
                action=AuditAction.DB_QUERY, result=AuditResult.OK, actor=actor, resource=query
            )
            try:
                result = await self._run(query, actor.web_user or "")
            except Exception as error:
                reason = as_service_error(error).code
                await self._recorder.record(evolve(event, result=AuditResult.ERROR, reason=reason))
                raise
            detail = AuditDetail(rows=len(result.rows), truncated=result.truncated)
            await self._recorder.record(evolve(event, detail=detail))
            return result

        return await with_options(self.listed(parameters), run)

    async def reading(
        self, parameters: Sequence[ReportParameter], sent: Mapping[str, object], actor: Actor
    ) -> tuple[ReportParameter, ...]:
        """Return declarations to hold against what a person sent; choices are those of this moment.

        Raises:
            OptionsFailedError: a query gave something else than choices.
            ServiceError: what the database answered.
        """

        def run(query: str) -> Awaitable[OptionRows]:
            return self._run(query, actor.web_user or "")

        return await with_options(self.listed(parameters), run, sent=sent)
