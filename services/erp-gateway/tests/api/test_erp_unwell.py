"""An ERP that gives no answers: nobody waits for one timeout after another, and a probe finds its return."""

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from prometheus_client import generate_latest

from erpsim.faults import Answer, BadGateway, Delay, ExpireSession, Fault

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

pytestmark = pytest.mark.check

QUICK = {"ERP_SL_TIMEOUT": "1.5", "ERP_SL_LOGIN_TIMEOUT": "1.5", "ERP_PROBE_TIMEOUT": "1.5"}
HANGS = (Delay(seconds=60), Answer(status=200, body="{}"))
"""Before the session, so that it is not locked when it is over."""
PAGES = (BadGateway(),)
PROMISED_S = 0.05
AT_ONCE_S = 10 * PROMISED_S


def fall_ill(sim: "Simulator", actions: tuple[Any, ...], path: str = "*") -> None:
    for action in actions:
        sim.faults.add(Fault(action=action, path=path, times=None))


async def read(gateway: "Gateway", who: dict[str, str], path: str = "Items?$top=1") -> "httpx2.Response":
    return await gateway.http.get(f"/api/sl/{path}", headers=who)


async def until_unwell(gateway: "Gateway") -> None:
    async with asyncio.timeout(20):
        while (await gateway.http.get("/api/health/erp")).json().get("reason") != "unwell":  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def fall_silent(gateway: "Gateway", who: dict[str, str], status: int) -> None:
    for _ in range(3):
        assert (await read(gateway, who)).status_code == status
    await until_unwell(gateway)


@pytest.mark.asyncio
@pytest.mark.parametrize(("trouble", "status"), [(HANGS, 504), (PAGES, 502)], ids=["hangs", "pages"])
async def test_reads_and_writes_are_refused_at_once_until_a_probe_succeeds(
    open_gateway: "OpenGateway", sim: "Simulator", clock: "ManualClock", trouble: tuple[Any, ...], status: int
) -> None:
    with structlog.testing.capture_logs() as logs:
        async with open_gateway(sim, **QUICK) as gateway:
            ana = await gateway.signed_in()
            fall_ill(sim, trouble)
            await fall_silent(gateway, ana, status)
            assert b"erp_unwell 1.0" in generate_latest(gateway.components.metrics_registry)
            before = len(sim.calls.of("POST", "Orders")) + len(sim.calls.of("GET", "Items"))
            began = time.monotonic()
            answers = [
                await read(gateway, ana),
                await gateway.http.post("/api/sl/Orders", json={"CardCode": "C00001"}, headers=ana),
                await gateway.http.patch("/api/sl/Items/A00001", json={"ItemName": "x"}, headers=ana),
                await gateway.log_in("luis", "luis-demo"),
            ]
            assert time.monotonic() - began < len(answers) * AT_ONCE_S
            assert len(sim.calls.of("POST", "Orders")) + len(sim.calls.of("GET", "Items")) == before
            for answer in answers:
                assert (answer.status_code, answer.json()["code"]) == (503, "erp_unavailable")
                assert answer.headers["Retry-After"] == "5"
            sim.faults.clear()
            async with asyncio.timeout(50):
                while (await read(gateway, ana)).status_code != 200:  # noqa: ASYNC110 - nobody tells
                    await asyncio.sleep(0.1)
            assert b"erp_unwell 0.0" in generate_latest(gateway.components.metrics_registry)
            clock.advance(5)  # the last ping is not fresh any more
            assert (await gateway.http.get("/api/health/erp")).status_code == 200
    turns = [line["event"] for line in logs if line["event"] in ("erp_unwell", "erp_well_again")]
    assert turns == ["erp_unwell", "erp_well_again"]


@pytest.mark.asyncio
async def test_who_waits_for_a_turn_does_not_wait_for_one_timeout_after_another(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, **QUICK) as gateway:
        ana = await gateway.signed_in()
        fall_ill(sim, HANGS)
        answers = await asyncio.gather(*(read(gateway, ana, f"Items?$skip={n}") for n in range(20)))
        codes = sorted(answer.json()["code"] for answer in answers)
        assert codes == ["erp_unavailable"] * 17 + ["upstream_timeout"] * 3
        assert len(sim.calls.of("GET", "Items")) == 3


@pytest.mark.asyncio
async def test_one_persons_three_slow_reports_close_nothing(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, **QUICK) as gateway:
        ana, luis = await gateway.signed_in(), await gateway.signed_in("luis")
        fall_ill(sim, HANGS, "JournalEntries*")
        for _ in range(2):
            for _ in range(3):
                assert (await read(gateway, ana, "JournalEntries")).status_code == 504
            assert (await read(gateway, luis)).status_code == 200
        assert (await gateway.http.get("/api/health/erp")).json()["status"] == "ok"
        assert len(sim.calls.of("GET", "Warehouses")) <= 2


@pytest.mark.asyncio
async def test_logins_of_the_service_that_hang_count_as_well(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, **QUICK) as gateway:
        ana = await gateway.signed_in()
        fall_ill(sim, HANGS, "Login")
        sim.faults.add(Fault(action=ExpireSession(), path="Items", times=1))
        for _ in range(3):
            assert (await read(gateway, ana)).status_code == 504
            await asyncio.sleep(1.05)  # a login that failed is tried again after a second
        await until_unwell(gateway)
        refused = await read(gateway, ana)
        assert (refused.status_code, refused.json()["code"]) == (503, "erp_unavailable")


@pytest.mark.asyncio
async def test_health_tells_it_at_once_although_the_balancer_hangs_too(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        fall_ill(sim, PAGES)
        await fall_silent(gateway, ana, 502)
        fall_ill(sim, HANGS, "ping*")
        began = time.monotonic()
        answer = await gateway.http.get("/api/health/erp")
        assert time.monotonic() - began < AT_ONCE_S
        assert (answer.status_code, answer.json()["code"]) == (503, "erp_unavailable")
        assert {name: answer.json()[name] for name in ("reason", "ping", "session")} == {
            "reason": "unwell",
            "ping": "not_asked",
            "session": "active",
        }


@pytest.mark.asyncio
async def test_leaving_while_it_is_unwell_ends_at_once_with_no_task_left(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    before = asyncio.all_tasks()
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in()
        fall_ill(sim, PAGES)
        await fall_silent(gateway, ana, 502)
        began = time.monotonic()
    assert time.monotonic() - began < 5
    assert sim.calls.of("POST", "Logout") == []
    ours = {task.get_name() for task in asyncio.all_tasks() - before}
    assert not ours & {"erp-probe", "erp-login"}
