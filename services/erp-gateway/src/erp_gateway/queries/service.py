"""Use cases of registered queries: who may run one, its answer or file, and the record of every run."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Final

import attrs
import structlog
from attrs import frozen

from erp_gateway.files.exports.column_sinks import AmountSink, TitledSink
from erp_gateway.files.exports.errors import ExportTooLarge
from erp_gateway.files.exports.export_job import ExportJob
from erp_gateway.files.exports.exporter import Exporter
from erp_gateway.files.exports.open_export import OpenExport
from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.answers import QueryAnswer, answer_of
from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.errors import QueryOptionsFailed
from erp_gateway.queries.pages import Page
from erp_gateway.queries.query_cache import QueryCache
from erp_gateway.queries.registry import Query
from erp_gateway.queries.values import Value, read_answers
from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditFormat,
    AuditResult,
    Recorder,
    SentFields,
    failure_recorded,
)
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.values.measures import Decimals
from erp_gateway.values.parameters.declare import ReportParameter
from erp_gateway.values.parameters.forms import OptionsFailedError, ParameterForms
from erp_gateway.web.disconnects import Check, Disconnected, cancel_on_disconnect
from servicekit.cache import CachedAnswer

_log = structlog.get_logger(__name__)


@contextmanager
def _own_fault(query: Query) -> Iterator[None]:
    try:
        yield
    except OptionsFailedError as error:
        _log.error("query_options_failed", query=query.name, reason=str(error))
        raise QueryOptionsFailed from error


EVERYTHING: Final = Page()
"""No page is asked for: as many rows as an answer may have."""

Allows = Callable[[str], bool]
"""Tells whether the person may use a menu route."""


@frozen(kw_only=True)
class Run:
    """What is to be run.

    Attributes:
        name: of a query that was checked.
        params: values by name, as they came.
        page: which rows.
        past_memory: whether the client takes no answer from memory.
    """

    name: str
    params: Mapping[str, object]
    page: Page = EVERYTHING
    past_memory: bool = False


class QueryService:
    """Permission, run, record.

    Args:
        client: runs the queries.
        cache: keeps answers of queries that allow it.
        recorder: where every run is recorded, with the names of its parameters and never a value.
        exporter: makes files.
        decimals: tells how many amounts have in a CSV.
        today: tells the day in the installation's time zone.
    """

    def __init__(
        self,
        client: DatabaseClient,
        cache: QueryCache,
        recorder: Recorder,
        exporter: Exporter,
        decimals: Callable[[], Awaitable[Decimals]],
        *,
        today: Callable[[], date],
    ) -> None:
        self._client = client
        self._cache = cache
        self._recorder = recorder
        self._exporter = exporter
        self._decimals = decimals
        self._forms = ParameterForms(lambda query, user: client.run(query, {}, user=user), recorder, today)

    def row_cap(self, query: Query) -> int:
        """Return how many rows an answer of a query may have."""
        return self._client.row_cap(query)

    def permitted(self, allows: Allows) -> list[Query]:
        """Return the queries that a person may run, by name.

        Raises:
            NotConfigured: no engine is configured.
        """
        return [query for query in self._client.queries if query.menu is None or allows(query.menu)]

    def check(self, name: str, allows: Allows) -> None:
        """Check that the query exists and the person may run it, before its body is read.

        Raises:
            QueryNotFound: there is no such query.
            PermissionDenied: the query's menu route is not the person's.
            NotConfigured: no engine is configured.
        """
        query = self._client.find(name)
        if query.menu is not None and not allows(query.menu):
            raise PermissionDenied(name)

    def listed(self, query: Query) -> tuple[ReportParameter, ...]:
        """Return what a query asks for, days as of today; nothing is asked of the database."""
        return self._forms.listed(query.asked)

    async def form(
        self, name: str, allows: Allows, actor: Actor
    ) -> tuple[Query, tuple[ReportParameter, ...]]:
        """Return a query with all that its form needs, choices too.

        Raises:
            QueryOptionsFailed: a query gave something else than choices.
            ServiceError: as `check` has it, and what the database answered.
        """
        self.check(name, allows)
        query = self._client.find(name)
        with _own_fault(query):
            return query, await self._forms.form(query.asked, actor)

    async def run(self, asked: Run, *, actor: Actor, gone: Disconnected) -> CachedAnswer[QueryAnswer]:
        """Run a query, or answer from memory; it is recorded however it ends, a fault of ours included.

        Raises:
            ServiceError: as `_read` and `DatabaseClient.run` have it.
        """
        event = _event(self._client.find(asked.name), asked.params, actor)
        async with failure_recorded(self._recorder, event):
            told = await cancel_on_disconnect(self._answer(asked, actor), gone)
        detail = AuditDetail(rows=told.answer.rows, truncated=told.answer.truncated)
        await self._recorder.record(attrs.evolve(event, detail=detail))
        return told

    async def _answer(self, asked: Run, actor: Actor) -> CachedAnswer[QueryAnswer]:
        query = self._client.find(asked.name)
        values = await self._read(query, asked.params, actor)

        async def read() -> QueryAnswer:
            # An answer for all who ask must not wait behind what the first of them asked besides.
            user = None if query.cache_s else actor.web_user or ""
            result = await self._client.run(asked.name, values, user=user, page=asked.page)
            return await answer_of(result, paged=bool(query.total_order))

        if not query.cache_s:
            return CachedAnswer(await read())
        question = (query.name, tuple(sorted(values.items())), asked.page.limit, asked.page.offset)
        return await self._cache.ask(question, read, keep_s=query.cache_s, past_memory=asked.past_memory)

    async def _read(self, query: Query, params: Mapping[str, object], actor: Actor) -> dict[str, Value]:
        """Turn what a person sent into a typed value for each parameter; choices are those of this moment.

        Raises:
            InvalidBody: a value is missing, unknown, of the wrong type, beyond its bounds, or no choice.
            QueryOptionsFailed: a query gave something else than choices.
            ServiceError: what the database answered.
        """
        with _own_fault(query):
            asked = await self._forms.reading(query.asked, params, actor)
        return read_answers(query.parameters, asked, params)

    async def export(
        self,
        name: str,
        params: Mapping[str, object],
        options: ExportOptions,
        *,
        actor: Actor,
        gone: Disconnected,
        check: Check,
    ) -> OpenExport:
        """Run a query that was checked into a file; it is recorded before the file's last byte is sent.

        It ends with what `check` raises, once the person may not have it any more.

        Raises:
            ExportTooLarge: there are more rows than an export, or this query, may have.
            ServiceError: as `_read`, `DatabaseClient.stream` and `Exporter.open` have it.
        """
        query = self._client.find(name)
        most = min(query.max_rows or self._exporter.max_rows, self._exporter.max_rows)
        event = _event(query, params, actor)
        async with failure_recorded(self._recorder, event):
            values = await self._read(query, params, actor)

        async def produce(sink: TableSink) -> None:
            sink = TitledSink(sink, query.titles)
            if options.format is ExportFormat.CSV and query.measures:
                sink = AmountSink(sink, query.measures, await self._decimals())
            if await self._client.stream(name, values, sink, user=actor.web_user or "", max_rows=most):
                raise ExportTooLarge(
                    f"La consulta tiene más de {most} filas, que es lo que se puede exportar."
                )

        async def ended(rows: int, reason: str | None) -> None:
            result = AuditResult.OK if reason is None else AuditResult.ERROR
            detail = AuditDetail(rows=rows, format=AuditFormat(options.format.value))
            await self._recorder.record(attrs.evolve(event, result=result, reason=reason, detail=detail))

        job = ExportJob(
            kind="query",
            user=actor.web_user or "",
            title=query.title,
            facts=_facts(query, values),
            options=options,
            gone=gone,
            check=check,
            ended=ended,
        )
        return await self._exporter.open(job, produce)


def _event(query: Query, params: Mapping[str, object], actor: Actor) -> AuditEvent:
    """Build the record. Names that the query does not take are the client's own, and only counted."""
    declared = {parameter.name for parameter in query.parameters}
    sent = tuple(name for name in params if name in declared)
    return AuditEvent(
        action=AuditAction.DB_QUERY,
        result=AuditResult.OK,
        actor=actor,
        resource=query.name,
        fields=SentFields.of(sent, omitted=len(params) - len(sent)),
    )


def _facts(query: Query, values: Mapping[str, Value]) -> tuple[tuple[str, object], ...]:
    """Return what was asked for, as it stands on the last sheet of an XLSX; hidden values do not."""
    return tuple(
        (f"Parámetro {parameter.label or parameter.name}", values[parameter.name])
        for parameter in query.parameters
        if parameter.input.kind != "hidden"
    )
