"""What is recorded of a run that did not end as anybody expected."""

import asyncio
from datetime import date
from zoneinfo import ZoneInfo

import pytest

from erp_gateway.audit_event import Actor, AuditEvent, AuditResult
from erp_gateway.erpdb.cache import QueryCache
from erp_gateway.erpdb.engines.engine import Reading, Work
from erp_gateway.erpdb.registry import Query, QueryRegistry
from erp_gateway.erpdb.runner import DatabaseReader, RegisteredQueryRunner
from erp_gateway.erpdb.service import QueryForms, QueryService, Run
from erp_gateway.exports.exporter import Exporter
from erp_gateway.settings.modules import Exports
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


@pytest.mark.asyncio
async def test_a_fault_of_ours_is_recorded_too() -> None:
    registry = QueryRegistry([Query(name="q", title="Consulta", sql={"sqlite": "SELECT 1"})])
    reader = DatabaseReader(BrokenEngine(), places=1, timeout_s=1, max_rows=1)
    records = Records()
    exporter = Exporter(Exports(), SystemClock(), ZoneInfo("UTC"))
    runner = RegisteredQueryRunner(registry, "sqlite", reader)
    forms = QueryForms(runner, records, lambda: date(2026, 3, 2))
    service = QueryService(runner, QueryCache(SystemClock()), forms, records, exporter)
    with pytest.raises(TypeError):
        await service.run(Run(name="q", params={}), actor=Actor(web_user="ana"), gone=asyncio.Event().wait)
    await reader.aclose()
    assert [(event.result, event.reason) for event in records.events] == [
        (AuditResult.ERROR, "internal_error")
    ]
