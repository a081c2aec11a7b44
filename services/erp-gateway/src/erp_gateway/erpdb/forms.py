"""What a query asks of a person, as of today, and reading what the person answered."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date

import structlog

from erp_gateway.audit_event import Actor, Recorder
from erp_gateway.erpdb.errors import QueryOptionsFailed
from erp_gateway.erpdb.registry import Query
from erp_gateway.erpdb.runner import QueryRunner
from erp_gateway.erpdb.values import Value, read_answers
from erp_gateway.report_parameters import OptionsFailedError, ParameterForms, ReportParameter

_log = structlog.get_logger(__name__)


class QueryForms:
    """The forms of queries.

    Args:
        runner: runs the queries that give choices.
        recorder: where each of these runs is recorded that a form asks for.
        today: tells the day in the installation's time zone.
    """

    def __init__(self, runner: QueryRunner, recorder: Recorder, today: Callable[[], date]) -> None:
        self._forms = ParameterForms(lambda query, user: runner.run(query, {}, user=user), recorder, today)

    def listed(self, query: Query) -> tuple[ReportParameter, ...]:
        """Return the parameters with plain days; nothing is asked of the database."""
        return self._forms.listed(_asked(query))

    async def form(self, query: Query, actor: Actor) -> tuple[ReportParameter, ...]:
        """Return the parameters with plain days and choices.

        Raises:
            QueryOptionsFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """
        with _own_fault(query):
            return await self._forms.form(_asked(query), actor)

    async def read(self, query: Query, params: Mapping[str, object], actor: Actor) -> dict[str, Value]:
        """Turn what a person sent into a typed value for each parameter; choices are those of this moment.

        Raises:
            InvalidBody: a value is missing, unknown, of the wrong type, beyond its bounds, or no choice.
            QueryOptionsFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """
        with _own_fault(query):
            asked = await self._forms.reading(_asked(query), params, actor)
        return read_answers(query.parameters, asked, params)


def _asked(query: Query) -> tuple[ReportParameter, ...]:
    return tuple(parameter.asked for parameter in query.parameters)


@contextmanager
def _own_fault(query: Query) -> Iterator[None]:
    try:
        yield
    except OptionsFailedError as error:
        _log.error("query_options_failed", query=query.name, reason=str(error))
        raise QueryOptionsFailed from error
