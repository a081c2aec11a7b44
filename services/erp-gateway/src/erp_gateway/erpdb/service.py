"""What one person may ask of the database: their queries, with a record of every run."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Protocol

import attrs

from erp_gateway.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.erpdb.registry import Query
from erp_gateway.erpdb.runner import Gone, QueryResult, QueryRunner
from erp_gateway.refusals import PermissionDenied
from servicekit.errors import as_service_error

Allows = Callable[[str], bool]
"""Tells whether the person may use a menu route."""


class Recorder(Protocol):
    """Where runs are recorded; `audit.recorder.AuditRecorder` does it and never raises."""

    async def record(self, event: AuditEvent) -> object:
        """Commit the event before returning."""
        ...


class QueryService:
    """Permission, run, record.

    Args:
        runner: runs the queries.
        recorder: where every run is recorded, with the names of its parameters and never a value.
    """

    def __init__(self, runner: QueryRunner, recorder: Recorder) -> None:
        self._runner = runner
        self._recorder = recorder

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

    async def run(
        self, name: str, params: Mapping[str, object], *, actor: Actor, gone: Gone | None = None
    ) -> QueryResult:
        """Run a query that was checked; it is recorded however it ends, a fault of ours included.

        Raises:
            ServiceError: as `QueryRunner.run` has it.
        """
        event = AuditEvent(
            action=AuditAction.DB_QUERY,
            result=AuditResult.OK,
            actor=actor,
            resource=name,
            fields=tuple(params),
        )
        try:
            result = await self._runner.run(name, params, gone=gone)
        except Exception as error:
            reason = as_service_error(error).code
            await self._recorder.record(attrs.evolve(event, result=AuditResult.ERROR, reason=reason))
            raise
        except asyncio.CancelledError:
            await self._recorder.record(attrs.evolve(event, result=AuditResult.ERROR, reason="interrupted"))
            raise
        detail = AuditDetail(rows=len(result.rows), truncated=result.truncated)
        await self._recorder.record(attrs.evolve(event, detail=detail))
        return result
