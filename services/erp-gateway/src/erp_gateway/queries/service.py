"""Use cases of registered queries: permission, response or file, and the audit of every run."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final, Protocol

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
from erp_gateway.queries.client import QueryResult
from erp_gateway.queries.errors import QueryOptionsFailed
from erp_gateway.queries.pages import Page
from erp_gateway.queries.query_cache import QueryCache
from erp_gateway.queries.registry import DeclaredQuery
from erp_gateway.queries.values import Value, read_form_values
from erp_gateway.values.audit_event import (
    Actor,
    AuditAction,
    AuditDetail,
    AuditEvent,
    AuditFormat,
    AuditResult,
    SentFields,
)
from erp_gateway.values.audit_recorder import Recorder, failure_recorded
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.values.measures import Decimals
from erp_gateway.values.parameters.declare import ReportParameter
from erp_gateway.values.parameters.forms import OptionsFailedError, ParameterForms
from erp_gateway.web.disconnects import Check, Disconnected, cancel_on_disconnect
from servicekit.cache import CachedAnswer

_log = structlog.get_logger(__name__)


class QueryClient(Protocol):
    """Runs the queries of one place: the ERP's database, or the Service Layer."""

    @property
    def queries(self) -> Sequence[DeclaredQuery]:
        """All registered queries, by name."""
        ...

    def find(self, name: str) -> DeclaredQuery:
        """Return the query of this exact name.

        Raises:
            QueryNotFound: there is none.
        """
        ...

    def row_cap(self, query: DeclaredQuery) -> int:
        """Return the maximum number of rows of a query's response."""
        ...

    async def run(
        self, name: str, params: Mapping[str, object], *, user: str | None, page: Page | None = None
    ) -> QueryResult:
        """Run a query, as `DatabaseClient.run`."""
        ...

    async def count(self, name: str, params: Mapping[str, object], *, user: str | None) -> int | None:
        """Count the rows of a query; None if that is not possible."""
        ...

    async def stream(
        self, name: str, params: Mapping[str, object], sink: TableSink, *, user: str | None, max_rows: int
    ) -> bool:
        """Run a query and pass its rows to a sink, as `DatabaseClient.stream`."""
        ...


@contextmanager
def _own_fault(query: DeclaredQuery) -> Iterator[None]:
    try:
        yield
    except OptionsFailedError as error:
        _log.error("query_options_failed", query=query.name, reason=str(error))
        raise QueryOptionsFailed from error


EVERYTHING: Final = Page()
"""No page is requested: as many rows as a response may have."""

Allows = Callable[[str], bool]
"""Returns whether the user may use a menu route."""


@frozen(kw_only=True)
class Run:
    """Request to run a query.

    Attributes:
        name: name of a checked query.
        params: unconverted values by name.
        page: requested rows.
        bypass_cache: whether the client rejects cached responses.
    """

    name: str
    params: Mapping[str, object]
    page: Page = EVERYTHING
    bypass_cache: bool = False


class QueryService:
    """Checks permissions, runs queries and audits every run.

    Args:
        client: runs the queries.
        cache: caches responses of queries that allow it.
        recorder: audits every run with the names of its parameters, never with values.
        exporter: creates files.
        decimals: returns the number of decimals of amounts in a CSV.
        today: returns the day in the installation's time zone.
    """

    def __init__(
        self,
        client: QueryClient,
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

    @property
    def queries(self) -> Sequence[DeclaredQuery]:
        """All registered queries, by name."""
        return self._client.queries

    def row_cap(self, query: DeclaredQuery) -> int:
        """Return the maximum number of rows of a query's response."""
        return self._client.row_cap(query)

    def permitted(self, allows: Allows) -> list[DeclaredQuery]:
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

    def listed(self, query: DeclaredQuery) -> tuple[ReportParameter, ...]:
        """Return a query's parameters with relative days resolved. Does not use the database."""
        return self._forms.listed(query.report_parameters)

    async def form(
        self, name: str, allows: Allows, actor: Actor
    ) -> tuple[DeclaredQuery, tuple[ReportParameter, ...]]:
        """Return a query with its complete form, including choices.

        Raises:
            QueryOptionsFailed: the query for choices returned other columns.
            ServiceError: as `check`, and failures of the database.
        """
        self.check(name, allows)
        query = self._client.find(name)
        with _own_fault(query):
            return query, await self._forms.form(query.report_parameters, actor)

    async def run(self, run: Run, *, actor: Actor, disconnected: Disconnected) -> CachedAnswer[QueryAnswer]:
        """Run a query, or return a cached response. Every outcome is audited, including our own failures.

        Raises:
            ServiceError: as `_read` and `DatabaseClient.run`.
        """
        event = _event(self._client.find(run.name), run.params, actor)
        async with failure_recorded(self._recorder, event):
            cached = await cancel_on_disconnect(self._read_or_cached(run, actor), disconnected)
        detail = AuditDetail(rows=cached.answer.rows, truncated=cached.answer.truncated)
        await self._recorder.record(attrs.evolve(event, detail=detail))
        return cached

    async def count(
        self, name: str, params: Mapping[str, object], *, actor: Actor, disconnected: Disconnected
    ) -> int | None:
        """Count the rows of a checked query; None if they can't be counted. It is audited like a run.

        Raises:
            ServiceError: as `_read` and `DatabaseClient.run`.
        """
        query = self._client.find(name)
        event = _event(query, params, actor)

        async def read() -> int | None:
            values = await self._read(query, params, actor)
            return await self._client.count(name, values, user=actor.web_user or "")

        async with failure_recorded(self._recorder, event):
            total = await cancel_on_disconnect(read(), disconnected)
        detail = AuditDetail(rows=0 if total is None else 1)
        await self._recorder.record(attrs.evolve(event, detail=detail))
        return total

    async def _read_or_cached(self, run: Run, actor: Actor) -> CachedAnswer[QueryAnswer]:
        query = self._client.find(run.name)
        values = await self._read(query, run.params, actor)

        async def read() -> QueryAnswer:
            # A shared response must not wait in the lane of its first user.
            user = None if query.cache_s else actor.web_user or ""
            result = await self._client.run(run.name, values, user=user, page=run.page)
            return await answer_of(result, paged=query.is_paged)

        if not query.cache_s:
            return CachedAnswer(await read())
        question = (query.name, tuple(sorted(values.items())), run.page.limit, run.page.offset)
        return await self._cache.ask(question, read, keep_s=query.cache_s, bypass_cache=run.bypass_cache)

    async def _read(
        self, query: DeclaredQuery, params: Mapping[str, object], actor: Actor
    ) -> dict[str, Value]:
        """Convert the sent values to typed ones; choices are the current ones.

        Raises:
            InvalidBody: a value is missing, unknown, of the wrong type, beyond its bounds, or no choice.
            QueryOptionsFailed: the query for choices returned other columns.
            ServiceError: a failure of the database.
        """
        with _own_fault(query):
            parameters = await self._forms.reading(query.report_parameters, params, actor)
        return read_form_values(query.parameters, parameters, params)

    async def export(
        self,
        name: str,
        params: Mapping[str, object],
        options: ExportOptions,
        *,
        actor: Actor,
        disconnected: Disconnected,
        check: Check,
    ) -> OpenExport:
        """Export a checked query to a file. The run is audited before the file's last byte is sent.

        An error of `check` ends it when the user has lost the right.

        Raises:
            ExportTooLarge: more rows than an export, or this query, may have.
            ServiceError: as `_read`, `DatabaseClient.stream` and `Exporter.open`.
        """
        query = self._client.find(name)
        most = self._exporter.max_rows
        if query.max_rows is not None and not query.is_paged:
            # Clients can read all rows of a paged query anyway, page by page.
            most = min(query.max_rows, most)
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

        async def on_end(rows: int, reason: str | None) -> None:
            result = AuditResult.OK if reason is None else AuditResult.ERROR
            detail = AuditDetail(rows=rows, format=AuditFormat(options.format.value))
            await self._recorder.record(attrs.evolve(event, result=result, reason=reason, detail=detail))

        job = ExportJob(
            kind="query",
            user=actor.web_user or "",
            title=query.title,
            facts=_facts(query, values),
            options=options,
            gone=disconnected,
            check=check,
            on_end=on_end,
        )
        return await self._exporter.open(job, produce)


def _event(query: DeclaredQuery, params: Mapping[str, object], actor: Actor) -> AuditEvent:
    """Build the audit event. Names outside the query's parameters come from the client and are only
    counted.
    """
    declared = {parameter.name for parameter in query.parameters}
    declared_names = tuple(name for name in params if name in declared)
    return AuditEvent(
        action=AuditAction.DB_QUERY,
        result=AuditResult.OK,
        actor=actor,
        resource=query.name,
        fields=SentFields.of(declared_names, omitted=len(params) - len(declared_names)),
    )


def _facts(query: DeclaredQuery, values: Mapping[str, Value]) -> tuple[tuple[str, object], ...]:
    return tuple(
        (f"Parámetro {parameter.label or parameter.name}", values[parameter.name])
        for parameter in query.parameters
        if parameter.input.kind != "hidden"
    )
