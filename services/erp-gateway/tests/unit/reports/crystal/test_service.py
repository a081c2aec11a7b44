"""A report that is checked while another user registers it again; changes whose caller leaves."""

import asyncio
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, cast
from zoneinfo import ZoneInfo

import pytest
from store_beside import beside

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.reports.crystal.errors import ReportObsolete
from erp_gateway.reports.crystal.registry import ReportDefinition, as_registered
from erp_gateway.reports.crystal.service import GOOD_FOR_S, ReportService
from erp_gateway.reports.crystal.store import ReportStore
from erp_gateway.reports.crystal.wire import DesignedParameter
from erp_gateway.store.database import Database
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor, AuditAction
from erp_gateway.values.parameters.declare import ReportParameter
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from erpclient import Caller, ErpClient

ADMINISTRATOR, USER = cast("Caller", "administrator"), cast("Caller", "user")
ANA = Actor(web_user="ana", ip="127.0.0.1", request_id="x")


class Designer:
    """A report gateway with one report, which answers a user late."""

    def __init__(self) -> None:
        self.names = ["A", "B"]
        self.value_type = "xsd:string"
        self.asked = asyncio.Event()
        self.answers = asyncio.Event()
        self.calls = 0

    async def load_parameters(self, _code: str, caller: Any) -> tuple[DesignedParameter, ...]:
        self.calls += 1
        found = tuple(DesignedParameter(name=name, type=self.value_type) for name in self.names)
        if caller == USER:
            self.asked.set()
            await self.answers.wait()
        return found

    async def export_pdf(self, _code: str, _body: bytes, _caller: Any) -> bytes:
        return b"%PDF-1.7 %%EOF"


def definition(*names: str) -> ReportDefinition:
    parameters = tuple(ReportParameter(name=name, type="xsd:string") for name in names)
    return ReportDefinition(title="R", parameters=parameters)


def report_service(
    designer: Designer, database: Database, recorder: AuditRecorder, clock: ManualClock
) -> ReportService:
    return ReportService(
        cast("ReportGatewayClient", designer),
        cast("ErpClient", None),
        ReportStore(database),
        recorder,
        clock,
        schema="S",
        timezone=ZoneInfo("UTC"),
        budget=SpoolBudget(0),
    )


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [("A", "B"), ("A",)])
async def test_a_failed_check_that_began_earlier_does_not_undo_a_registration(
    database: Database, recorder: AuditRecorder, clock: ManualClock, after: tuple[str, ...]
) -> None:
    designer = Designer()
    service = report_service(designer, database, recorder, clock)
    await service.register("R", definition("A", "B"), ADMINISTRATOR, ANA)
    clock.advance(100)
    designer.names = ["A"]
    export = asyncio.create_task(service.export(await service.find_enabled("R"), {}, USER, ANA))
    await designer.asked.wait()
    designer.names = list(after)
    await service.register("R", definition(*after), ADMINISTRATOR, ANA)
    designer.answers.set()
    with pytest.raises(ReportObsolete):
        await export
    calls = designer.calls
    await service.export(await service.find_enabled("R"), {}, USER, ANA)
    assert designer.calls == calls, "the registration counts as a check"


@pytest.mark.asyncio
async def test_a_check_that_began_earlier_does_not_prolong_a_registration(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    designer = Designer()
    service = report_service(designer, database, recorder, clock)
    await service.register("R", definition("A"), ADMINISTRATOR, ANA)
    clock.advance(100)
    export = asyncio.create_task(service.export(await service.find_enabled("R"), {}, USER, ANA))
    await designer.asked.wait()
    await service.register("R", definition("A", "B"), ADMINISTRATOR, ANA)
    clock.advance(GOOD_FOR_S)
    designer.answers.set()
    await export
    designer.names = ["A"]
    with pytest.raises(ReportObsolete):
        await service.export(await service.find_enabled("R"), {}, USER, ANA)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("name", "value_type", "value", "key"),
    [
        ("DocKey@", "xsd:decimal", 118, "118"),
        ("DocKey@", "xsd:string", "0118", "118"),
        ("Schema@", "xsd:string", "0118", None),
    ],
)
async def test_an_export_is_recorded_under_the_document_that_it_prints(
    database: Database,
    recorder: AuditRecorder,
    audit_store: AuditStore,
    clock: ManualClock,
    name: str,
    value_type: str,
    value: object,
    key: str | None,
) -> None:
    designer = Designer()
    designer.names = [name]
    service = report_service(designer, database, recorder, clock)
    document = ReportParameter(name=name, type=value_type, is_doc_entry=True)
    report = as_registered("R", ReportDefinition(title="R", parameters=(document,)))
    designer.value_type = value_type
    await service.export(report, {name: value}, ADMINISTRATOR, ANA)
    assert [entry.key async for entry in audit_store.walk(AuditFilter())] == [key]


@pytest.mark.asyncio
async def test_a_change_is_audited_after_its_caller_disconnected(
    database: Database,
    store_place: StorePlace,
    recorder: AuditRecorder,
    audit_store: AuditStore,
    clock: ManualClock,
) -> None:
    service = report_service(Designer(), database, recorder, clock)

    async def left(change: Coroutine[Any, Any, object]) -> None:
        with beside(store_place).hold():
            task = asyncio.create_task(change)
            for _ in range(20):  # until its turn has come
                await asyncio.sleep(0)
            assert not database._waiting
            task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()

    await left(service.register("R", definition("A", "B"), ADMINISTRATOR, ANA))
    assert [report.code for report in await service.list_registered()] == ["R"]
    await left(service.unregister("R", ANA))
    assert await service.list_registered() == ()
    recorded = {entry.action async for entry in audit_store.walk(AuditFilter())}
    assert recorded == {AuditAction.REPORT_REGISTER, AuditAction.REPORT_UNREGISTER}
