"""What one person may ask of the database: their queries, with a record of every run."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from typing import Final, Protocol

import attrs
from attrs import frozen

from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditFormat, AuditResult
from erp_gateway.erpdb.answer import QueryAnswer, answer_of
from erp_gateway.erpdb.memory import QueryMemory, Told
from erp_gateway.erpdb.paging import Page
from erp_gateway.erpdb.registry import Query
from erp_gateway.erpdb.runner import QueryRunner
from erp_gateway.erpdb.values import read_values
from erp_gateway.exports.asked import Asked
from erp_gateway.exports.errors import ExportTooLarge
from erp_gateway.exports.exporter import Exporter, ExportJob, OpenExport
from erp_gateway.exports.sinks import TableSink
from erp_gateway.refusals import PermissionDenied
from erp_gateway.web.departures import Gone, unless_gone
from servicekit.errors import as_service_error

EVERYTHING: Final = Page()
"""No page is asked for: as many rows as an answer may have."""

Allows = Callable[[str], bool]
"""Tells whether the person may use a menu route."""


class Recorder(Protocol):
    """Where runs are recorded; `audit.recorder.AuditRecorder` does it and never raises."""

    async def record(self, event: AuditEvent) -> object:
        """Commit the event before returning."""
        ...


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
        runner: runs the queries.
        memory: keeps answers of queries that allow it.
        recorder: where every run is recorded, with the names of its parameters and never a value.
        exporter: makes files.
    """

    def __init__(
        self, runner: QueryRunner, memory: QueryMemory, recorder: Recorder, exporter: Exporter
    ) -> None:
        self._runner = runner
        self._memory = memory
        self._recorder = recorder
        self._exporter = exporter

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

    async def run(self, asked: Run, *, actor: Actor, gone: Gone) -> Told:
        """Run a query, or answer from memory; it is recorded however it ends, a fault of ours included.

        Raises:
            ServiceError: as `QueryRunner.run` has it.
        """
        event = _event(asked.name, asked.params, actor)
        try:
            told = await unless_gone(self._answer(asked), gone)
        except Exception as error:
            reason = as_service_error(error).code
            await self._recorder.record(attrs.evolve(event, result=AuditResult.ERROR, reason=reason))
            raise
        except asyncio.CancelledError:
            await self._recorder.record(attrs.evolve(event, result=AuditResult.ERROR, reason="interrupted"))
            raise
        detail = AuditDetail(rows=told.answer.rows, truncated=told.answer.truncated)
        await self._recorder.record(attrs.evolve(event, detail=detail))
        return told

    async def _answer(self, asked: Run) -> Told:
        query = self._runner.find(asked.name)

        async def read() -> QueryAnswer:
            result = await self._runner.run(asked.name, asked.params, page=asked.page)
            return await answer_of(result, paged=bool(query.total_order))

        if not query.cache_s:
            return Told(await read())
        values = read_values(query.parameters, asked.params)
        question = (query.name, tuple(sorted(values.items())), asked.page.limit, asked.page.offset)
        return await self._memory.ask(question, read, keep_s=query.cache_s, past_memory=asked.past_memory)

    async def export(
        self, name: str, params: Mapping[str, object], asked: Asked, *, actor: Actor, gone: Gone
    ) -> OpenExport:
        """Run a query that was checked into a file; it is recorded before the file's last byte is sent.

        Raises:
            ExportTooLarge: there are more rows than an export, or this query, may have.
            ServiceError: as `QueryRunner.stream` and `Exporter.open` have it.
        """
        query = self._runner.find(name)
        most = min(query.max_rows or self._exporter.max_rows, self._exporter.max_rows)
        event = _event(name, params, actor)

        async def produce(sink: TableSink) -> None:
            if await self._runner.stream(name, params, sink, max_rows=most):
                raise ExportTooLarge(
                    f"La consulta tiene más de {most} filas, que es lo que se puede exportar."
                )

        async def ended(rows: int, reason: str | None) -> None:
            result = AuditResult.OK if reason is None else AuditResult.ERROR
            detail = AuditDetail(rows=rows, format=AuditFormat(asked.format.value))
            await self._recorder.record(attrs.evolve(event, result=result, reason=reason, detail=detail))

        job = ExportJob(
            kind="query",
            user=actor.web_user or "",
            title=query.title,
            facts=tuple((f"Parámetro {parameter}", _shown(value)) for parameter, value in params.items()),
            asked=asked,
            gone=gone,
            ended=ended,
        )
        return await self._exporter.open(job, produce)


def _event(name: str, params: Mapping[str, object], actor: Actor) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.DB_QUERY,
        result=AuditResult.OK,
        actor=actor,
        resource=name,
        fields=tuple(params),
    )


def _shown(value: object) -> object:
    """Return a parameter's value for the file: anything else than the usual kinds is refused later on."""
    return value if isinstance(value, str | int | float | Decimal | date) else str(value)
