"""What one person may ask of the database: their queries, with a record of every run."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import date
from pathlib import Path
from typing import Final, TypeAlias
from zoneinfo import ZoneInfo

import attrs
import msgspec
import structlog
from attrs import frozen

from erp_gateway.audit_event import (
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
from erp_gateway.cache import Cache, CachedAnswer
from erp_gateway.erpdb.engines.engine import Engine
from erp_gateway.erpdb.engines.hana import HanaEngine, load_driver
from erp_gateway.erpdb.engines.sqlite import SqliteEngine
from erp_gateway.erpdb.errors import QueryOptionsFailed
from erp_gateway.erpdb.registry import MAX_ROWS, Query, QueryRegistry
from erp_gateway.erpdb.runner import DatabaseReader, Page, QueryResult, QueryRunner
from erp_gateway.erpdb.user_fields import UserField, UserFieldCache, UserFieldSource
from erp_gateway.erpdb.values import Value, read_answers
from erp_gateway.errors import PermissionDenied
from erp_gateway.exports.errors import ExportTooLarge
from erp_gateway.exports.exporter import Exporter, ExportJob, OpenExport
from erp_gateway.exports.options import ExportFormat, ExportOptions
from erp_gateway.exports.sinks import AmountSink, TableSink, TitledSink
from erp_gateway.measures import Decimals
from erp_gateway.observed_queue import QueueObserver
from erp_gateway.report_parameters.declare import ReportParameter
from erp_gateway.report_parameters.forms import OptionsFailedError, ParameterForms
from erp_gateway.settings.modules import ErpDatabase as ErpDatabaseSettings
from erp_gateway.web.disconnects import Check, Disconnected, cancel_on_disconnect
from servicekit.clock import Clock
from servicekit.errors import NotConfigured

SMALL_ANSWER_ROWS: Final = 100
"""Up to so many rows are encoded faster than handed to a thread."""

_ROWS_AT_A_TIME: Final = 200
"""The encoder holds Python's lock while it works, so that it must come up for air."""

_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


@frozen
class QueryAnswer:
    """An answer as it is sent, and what the audit is to know of it."""

    body: bytes
    rows: int
    truncated: bool


async def answer_of(result: QueryResult, *, paged: bool) -> QueryAnswer:
    """Encode a result, a large one in a thread; see `encode_result`."""
    if len(result.rows) <= SMALL_ANSWER_ROWS:
        body = encode_result(result, paged=paged)
    else:
        body = await asyncio.to_thread(encode_result, result, paged=paged)
    return QueryAnswer(body, len(result.rows), result.truncated)


def encode_result(result: QueryResult, *, paged: bool = False) -> bytes:
    """Return `{"rows": [...], "truncated": ...}`. For a large result, call it in a thread.

    Args:
        result: what the query returned.
        paged: whether the query has a total order, so that `nextOffset` belongs into the answer.
    """
    starts = range(0, len(result.rows), _ROWS_AT_A_TIME)
    parts = (_ENCODER.encode(result.rows[start : start + _ROWS_AT_A_TIME])[1:-1] for start in starts)
    following = b"null" if result.next_offset is None else b"%d" % result.next_offset
    return b'{"rows":[%b],"truncated":%b%b}' % (
        b",".join(parts),
        b"true" if result.truncated else b"false",
        b',"nextOffset":%b' % following if paged else b"",
    )


ENTRY_BYTES: Final = 1024
"""What an entry counts beside its answer and its question."""

LARGEST_SHARE: Final = 4
"""An answer of more than this part of the memory is not kept."""

Question: TypeAlias = tuple[Hashable, ...]
"""Query, values of its parameters, page."""


class QueryCache(Cache[Question, QueryAnswer]):
    """Keeps answers of queries that declare `cache_s`: the same for all who may run them.

    Who may run a query is checked before anybody comes here. Answers are kept as the bytes that are sent.

    Args:
        clock: time.
        max_bytes: most that the answers take, questions and what an entry itself takes included.
    """

    def __init__(self, clock: Clock, *, max_bytes: int = 32 * 1024 * 1024) -> None:
        super().__init__(clock, size_of=_size_of, max_size=max_bytes, largest=max_bytes // LARGEST_SHARE)


def _size_of(question: Question, answer: QueryAnswer) -> int:
    return len(answer.body) + len(repr(question)) + ENTRY_BYTES


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
        database: runs the queries, and keeps answers of those that allow it.
        recorder: where every run is recorded, with the names of its parameters and never a value.
        exporter: makes files.
        decimals: tells how many amounts have in a CSV.
    """

    def __init__(
        self,
        database: "ErpDatabase",
        recorder: Recorder,
        exporter: Exporter,
        decimals: Callable[[], Awaitable[Decimals]],
    ) -> None:
        self._runner = runner = database.runner
        self._memory = database.memory
        self._recorder = recorder
        self._exporter = exporter
        self._decimals = decimals
        self._forms = ParameterForms(
            lambda query, user: runner.run(query, {}, user=user), recorder, database.today
        )

    def permitted(self, allows: Allows) -> list[Query]:
        """Return the queries that a person may run, by name.

        Raises:
            NotConfigured: no engine is configured.
        """
        return [query for query in self._runner.queries if query.menu is None or allows(query.menu)]

    def check(self, name: str, allows: Allows) -> None:
        """Check that the query exists and the person may run it, before its body is read.

        Raises:
            QueryNotFound: there is no such query.
            PermissionDenied: the query's menu route is not the person's.
            NotConfigured: no engine is configured.
        """
        query = self._runner.find(name)
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
        query = self._runner.find(name)
        with _own_fault(query):
            return query, await self._forms.form(query.asked, actor)

    async def run(self, asked: Run, *, actor: Actor, gone: Disconnected) -> CachedAnswer[QueryAnswer]:
        """Run a query, or answer from memory; it is recorded however it ends, a fault of ours included.

        Raises:
            ServiceError: as `_read` and `QueryRunner.run` have it.
        """
        event = _event(self._runner.find(asked.name), asked.params, actor)
        async with failure_recorded(self._recorder, event):
            told = await cancel_on_disconnect(self._answer(asked, actor), gone)
        detail = AuditDetail(rows=told.answer.rows, truncated=told.answer.truncated)
        await self._recorder.record(attrs.evolve(event, detail=detail))
        return told

    async def _answer(self, asked: Run, actor: Actor) -> CachedAnswer[QueryAnswer]:
        query = self._runner.find(asked.name)
        values = await self._read(query, asked.params, actor)

        async def read() -> QueryAnswer:
            # An answer for all who ask must not wait behind what the first of them asked besides.
            user = None if query.cache_s else actor.web_user or ""
            result = await self._runner.run(asked.name, values, user=user, page=asked.page)
            return await answer_of(result, paged=bool(query.total_order))

        if not query.cache_s:
            return CachedAnswer(await read())
        question = (query.name, tuple(sorted(values.items())), asked.page.limit, asked.page.offset)
        return await self._memory.ask(question, read, keep_s=query.cache_s, past_memory=asked.past_memory)

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
            ServiceError: as `_read`, `QueryRunner.stream` and `Exporter.open` have it.
        """
        query = self._runner.find(name)
        most = min(query.max_rows or self._exporter.max_rows, self._exporter.max_rows)
        event = _event(query, params, actor)
        async with failure_recorded(self._recorder, event):
            values = await self._read(query, params, actor)

        async def produce(sink: TableSink) -> None:
            sink = TitledSink(sink, query.titles)
            if options.format is ExportFormat.CSV and query.measures:
                sink = AmountSink(sink, query.measures, await self._decimals())
            if await self._runner.stream(name, values, sink, user=actor.web_user or "", max_rows=most):
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
            asked=options,
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


@frozen(kw_only=True)
class ErpDatabase:
    """The open module.

    Attributes:
        runner: runs registered queries; `html_reports` builds its data with it.
        memory: keeps answers of queries that allow it.
        max_rows: most rows of any answer.
        today: tells the day in the installation's time zone.
    """

    runner: QueryRunner
    memory: QueryCache
    max_rows: int = MAX_ROWS
    today: Callable[[], date]
    _user_fields: UserFieldCache | None = None
    _reader: DatabaseReader | None = None

    async def find_user_field(self, table: str, alias: str) -> UserField:
        """Return the definition of a user-defined field, as `UserFieldCache.find`.

        Raises:
            NotConfigured: no engine is configured.
        """
        if self._user_fields is None:
            raise NotConfigured
        return await self._user_fields.find(table, alias)

    def row_cap(self, query: Query) -> int:
        """Return how many rows a query answers at most."""
        return min(query.max_rows or self.max_rows, self.max_rows)

    def drain(self) -> None:
        """Let all queries that wait for their turn fail at once; what runs goes on."""
        if self._reader is not None:
            self._reader.drain()


@asynccontextmanager
async def open_erp_database(
    settings: ErpDatabaseSettings | None,
    registry: QueryRegistry,
    clock: Clock,
    observer: QueueObserver | None = None,
    *,
    timezone: ZoneInfo,
) -> AsyncIterator[ErpDatabase]:
    """Open the module; on leaving, cancel what still runs and wait for it.

    Nothing is sent to the database before the first query needs it.

    Args:
        settings: the engine; None for a module whose every use raises `NotConfigured`.
        registry: the queries.
        clock: time, for the cache of user-defined fields, and for days that move.
        observer: is told of every read.
        timezone: whose days.

    Raises:
        RegistryError: a query has no SQL for the configured engine.
    """

    def today() -> date:
        return clock.now().astimezone(timezone).date()

    if settings is None:
        yield ErpDatabase(runner=QueryRunner(registry), memory=QueryCache(clock), today=today)
        return
    registry.statements(settings.engine)  # faults come before anything is opened
    async with AsyncExitStack() as stack:
        reader = DatabaseReader(
            open_engine(settings),
            places=settings.max_concurrency,
            timeout_s=settings.timeout_s,
            max_rows=settings.max_rows,
            observer=observer,
        )
        stack.push_async_callback(reader.aclose)
        memory = QueryCache(clock, max_bytes=settings.cache_mb * 1024 * 1024)
        stack.push_async_callback(memory.aclose)
        user_fields = UserFieldCache(UserFieldSource(reader).read, clock)
        stack.push_async_callback(user_fields.aclose)
        yield ErpDatabase(
            runner=QueryRunner(registry, settings.engine, reader),
            user_fields=user_fields,
            memory=memory,
            max_rows=settings.max_rows,
            today=today,
            reader=reader,
        )


def open_engine(settings: ErpDatabaseSettings) -> Engine:
    """Return the configured engine. The settings have been checked: what it needs is there.

    Raises:
        ValueError: something it needs is missing all the same.
    """
    if settings.engine == "sqlite" and settings.database is not None:
        return SqliteEngine(Path(settings.database))
    return HanaEngine(settings, load_driver())
