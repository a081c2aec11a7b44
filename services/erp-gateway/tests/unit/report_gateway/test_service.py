"""A report's design as it is looked at while others register the report anew."""

import asyncio
from typing import TYPE_CHECKING, Any, cast
from zoneinfo import ZoneInfo

import pytest

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit_event import Actor
from erp_gateway.report_gateway.client import ReportGatewayClient
from erp_gateway.report_gateway.layouts import ErpLayouts
from erp_gateway.report_gateway.registry import ReportDefinition
from erp_gateway.report_gateway.service import ReportService
from erp_gateway.report_gateway.store import ReportStore
from erp_gateway.report_gateway.wire import DesignedParameter
from erp_gateway.report_parameters import ReportParameter
from erp_gateway.storage.database import Database
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from erpclient import Caller

ADMINISTRATOR, USER = cast("Caller", "administrator"), cast("Caller", "user")


class Designer:
    """A report gateway with one report, which answers a user late."""

    def __init__(self) -> None:
        self.names = ["A", "B"]
        self.asked = asyncio.Event()
        self.answers = asyncio.Event()

    async def load_parameters(self, _code: str, caller: Any) -> tuple[DesignedParameter, ...]:
        found = tuple(DesignedParameter(name=name, type="xsd:string") for name in self.names)
        if caller == USER:
            self.asked.set()
            await self.answers.wait()
        return found


def definition(*names: str) -> ReportDefinition:
    parameters = tuple(ReportParameter(name=name, type="xsd:string") for name in names)
    return ReportDefinition(title="R", parameters=parameters)


@pytest.mark.asyncio
@pytest.mark.parametrize("after", [("A", "B"), ("A",)])
async def test_a_look_that_began_before_does_not_mark_what_was_registered_meanwhile(
    database: Database, recorder: AuditRecorder, clock: ManualClock, after: tuple[str, ...]
) -> None:
    designer = Designer()
    service = ReportService(
        cast("ReportGatewayClient", designer),
        cast("ErpLayouts", None),
        ReportStore(database),
        recorder,
        clock,
        schema="S",
        timezone=ZoneInfo("UTC"),
    )
    actor = Actor(web_user="ana", ip="127.0.0.1", request_id="x")
    await service.register("R", definition("A", "B"), ADMINISTRATOR, actor)
    clock.advance(100)
    designer.names = ["A"]
    looking = asyncio.create_task(service.check("R", USER))
    await designer.asked.wait()
    designer.names = list(after)
    await service.register("R", definition(*after), ADMINISTRATOR, actor)
    designer.answers.set()
    assert (await looking).missing == ("B",)
    (kept,) = await service.list_registered()
    assert (kept.missing, kept.obsoleto) == ((), False)
