"""Opening and closing the object graph."""

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erpsim.faults import Delay, Fault

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

ANYTHING = AuditFilter()


@pytest.mark.asyncio
async def test_shutdown_logs_out_of_the_erp_and_releases_the_store(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    for times in (1, 2):
        async with open_gateway(sim) as gateway:
            await gateway.signed_in()
            assert len(sim.sessions) == 1
        assert len(sim.sessions) == 0
        assert len(sim.calls.of("POST", "Logout")) == times


@pytest.mark.asyncio
async def test_the_service_makes_no_erp_call_before_a_request_needs_one(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim):
        await asyncio.sleep(0.05)
    assert sim.calls.total == 0


@pytest.mark.asyncio
@pytest.mark.parametrize(("days", "left"), [("", 2), ("30", 1)])
async def test_old_audit_records_are_deleted_only_with_a_retention_setting(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock", days: str, left: int
) -> None:
    async with open_gateway(sim):
        pass  # its start leaves a record
    clock.advance(timedelta(days=31).total_seconds())
    async with open_gateway(sim) as gateway:
        young = AuditEvent(action=AuditAction.LOGIN, result=AuditResult.OK, actor=Actor(web_user="ana"))
        await gateway.components.audit_store.add(young, clock.now())
    async with open_gateway(sim, AUDIT_RETENTION_DAYS=days) as gateway:
        store = gateway.components.audit_store
        async with asyncio.timeout(30):
            while await count(store) != left:  # noqa: ASYNC110 - the periodic work has no event to wait for
                await asyncio.sleep(0.01)


@pytest.mark.asyncio
async def test_a_start_logs_the_head_of_the_audit_chain(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    with capture_logs() as logs:
        async with open_gateway(sim) as gateway, asyncio.timeout(30):
            while not [entry for entry in logs if entry["event"] == "audit_head"]:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.01)
            head = await AuditChain(gateway.components.audit_store._database).head()
    assert head is not None
    assert {"event": "audit_head", "head": head.as_text(), "log_level": "info"} in logs


async def count(store: AuditStore) -> int:
    return (await store.find(ANYTHING, page=1, page_size=10)).total


@pytest.mark.asyncio
async def test_a_write_cut_off_by_force_is_recorded_as_unknown(gateway: "Gateway", sim: "Simulator") -> None:
    ana = await gateway.signed_in()
    sim.faults.add(Fault(action=Delay(seconds=0.3), method="PATCH", path="Orders(1)"))
    writing = asyncio.create_task(gateway.http.patch("/api/sl/Orders/1", json={"Comments": "x"}, headers=ana))
    while not sim.calls.of("PATCH", "Orders(1)"):  # noqa: ASYNC110 - the simulator has no event for it
        await asyncio.sleep(0.005)
    writing.cancel()
    await asyncio.gather(writing, return_exceptions=True)
    found = await gateway.components.audit_store.find(
        AuditFilter(action=AuditAction.SL_UPDATE), page=1, page_size=10
    )
    (entry,) = found.entries
    assert (entry.result, entry.reason) == (AuditResult.UNKNOWN, "outcome_unknown")
