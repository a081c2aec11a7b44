"""Records of runs that ended unexpectedly."""

import asyncio
from datetime import date
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from typing_extensions import override

from erp_gateway.files.exports.exporter import Exporter
from erp_gateway.queries.client import DatabaseClient, QueryResult
from erp_gateway.queries.engines.engine import Reading, Work
from erp_gateway.queries.engines.sqlite import SqliteEngine
from erp_gateway.queries.query_cache import QueryCache
from erp_gateway.queries.registry import Query, QueryRegistry
from erp_gateway.queries.service import QueryService, Run
from erp_gateway.settings.exports import Exports
from erp_gateway.values.audit_event import Actor, AuditEvent, AuditResult
from erp_gateway.values.measures import Decimals
from servicekit.clock import SystemClock


class Records:
    """Keeps what is recorded."""

    def __init__(self) -> None:
        self.events: list[AuditEvent] = []

    async def record(self, event: AuditEvent) -> None:
        """Keep an event."""
        self.events.append(event)


class BrokenEngine:
    """An engine with a fault of its own, before anything is sent."""

    name = "sqlite"

    def reading(self, work: Work) -> Reading:
        """Fail as with a driver that changed its ways."""
        raise TypeError(work.sql)


def make_service(client: DatabaseClient, records: Records) -> QueryService:
    exporter = Exporter(Exports(), SystemClock(), ZoneInfo("UTC"))
    cache = QueryCache(SystemClock())
    return QueryService(client, cache, records, exporter, no_decimals, today=lambda: date(2026, 3, 2))


async def no_decimals() -> Decimals:
    """Know no currency."""
    return Decimals()


@pytest.mark.asyncio
async def test_a_fault_of_ours_is_recorded_too() -> None:
    registry = QueryRegistry([Query(name="q", title="Consulta", sql={"sqlite": "SELECT 1"})])
    client = DatabaseClient(BrokenEngine(), registry, timeout_s=1, max_rows=1)
    records = Records()
    service = make_service(client, records)
    with pytest.raises(TypeError):
        await service.run(
            Run(name="q", params={}), actor=Actor(web_user="ana"), disconnected=asyncio.Event().wait
        )
    await client.aclose()
    assert [(event.result, event.reason) for event in records.events] == [
        (AuditResult.ERROR, "internal_error")
    ]


class TurnsHeard(DatabaseClient):
    """Notes in whose turn each query is run."""

    heard: list[tuple[str, str | None]]

    @override
    async def run(self, name: str, *args: Any, user: str | None, **more: Any) -> QueryResult:
        """Note it, and run the query."""
        self.heard.append((name, user))
        return await super().run(name, *args, user=user, **more)


@pytest.mark.asyncio
async def test_a_shared_response_does_not_wait_behind_a_users_other_queries(tmp_path: Path) -> None:
    registry = QueryRegistry(
        [
            Query(name="kept", title="Guardada", sql={"sqlite": "SELECT 1 AS N"}, cache_s=60),
            Query(name="own", title="Propia", sql={"sqlite": "SELECT 1 AS N"}),
        ]
    )
    file = tmp_path / "company.sqlite"
    file.touch()
    client = TurnsHeard(SqliteEngine(file), registry, timeout_s=5, max_rows=1)
    client.heard = []
    service = make_service(client, Records())
    for name in ("kept", "own"):
        await service.run(
            Run(name=name, params={}), actor=Actor(web_user="ana"), disconnected=asyncio.Event().wait
        )
    await client.aclose()
    assert client.heard == [("kept", None), ("own", "ana")]
