"""An ERP that does not reply: a failure seen by one user protects all."""

import asyncio
import time
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

import pytest
import structlog
from prometheus_client import generate_latest

from erpsim.faults import Answer, BadGateway, Delay, Drop, Fault
from erpsim.simulator import run_sim

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import OpenService, Service

    from erpsim.faults.calls import Call
    from erpsim.simulator import Simulator
    from servicekit.clock import ManualClock

pytestmark = pytest.mark.check

QUICK = {"SL_TIMEOUT": "1.5", "ERP_PROBE_TIMEOUT": "1.5"}
HANGS = (Delay(seconds=60), Answer(status=200, body="{}"))
"""Before the sessions, so that none stays locked when it is over."""
PAGES = (BadGateway(),)
PROMISED_S = 0.05
AT_ONCE_S = 10 * PROMISED_S
HEALTH = "/api/health/erp"
WORDS = "No se pudo conectar con el Service Layer (ETIMEDOUT)"
LIST = "/api/catalogos/almacenes?actualizar=true"


def fall_ill(sim: "Simulator", actions: tuple[Any, ...]) -> None:
    for action in actions:
        sim.faults.add(Fault(action=action, times=None))


def lists(sim: "Simulator") -> "list[Call]":
    return [call for call in sim.calls.of("GET", "Warehouses") if "$top=1" not in call.query.split("&")]


def unwell(service: "Service") -> bool:
    return b"erp_unwell 1.0" in generate_latest(service.components.metrics_registry)


async def until_unwell(service: "Service") -> None:
    async with asyncio.timeout(20):
        while not unwell(service):  # noqa: ASYNC110 - a metric signals nothing
            await asyncio.sleep(0.02)


def assert_refused(answer: "httpx2.Response") -> None:
    assert (answer.status_code, answer.json()["code"]) == (503, "erp_unavailable")
    assert answer.json()["message"].startswith(WORDS)
    assert answer.headers["Retry-After"] == "5"


@pytest.mark.asyncio
async def test_after_one_user_finds_the_erp_down_all_are_refused_until_a_probe_succeeds(
    open_service: "OpenService", sim: "Simulator"
) -> None:
    with structlog.testing.capture_logs() as logs:
        async with (
            open_service(sim, **QUICK) as service,
            service.signed_in() as ana,
            service.signed_in("bodega", ip="10.0.0.8") as eva,
            service.client_at("10.0.0.9") as newcomer,
        ):
            fall_ill(sim, HANGS)
            for _ in range(3):
                assert (await ana.get(LIST)).status_code == 504
            await until_unwell(service)
            call_count = len(sim.calls.of("POST", "Login")) + len(lists(sim))
            began = time.monotonic()
            assert_refused(await eva.get(LIST))
            assert_refused(await ana.post("/api/metadata/rebuild"))
            assert_refused(await service.log_in(newcomer))
            assert time.monotonic() - began < 3 * AT_ONCE_S
            assert len(sim.calls.of("POST", "Login")) + len(lists(sim)) == call_count
            assert (await eva.get("/api/auth/me")).status_code == 200  # no session ends
            health = await eva.get(HEALTH)
            assert_refused(health)
            assert (health.json()["reason"], health.json()["ping"]) == ("unwell", "not_asked")
            sim.faults.clear()
            async with asyncio.timeout(50):
                while unwell(service):  # noqa: ASYNC110 - a metric signals nothing
                    await asyncio.sleep(0.1)
            assert (await eva.get(LIST)).status_code == 200
            assert (await service.log_in(newcomer)).status_code == 200
            assert (await eva.get(HEALTH)).json() == {"estado": "ok", "ping": "pong"}
    turns = [line["event"] for line in logs if line["event"] in ("erp_unwell", "erp_well_again")]
    assert turns == ["erp_unwell", "erp_well_again"]


@pytest.mark.asyncio
async def test_erp_health_needs_a_session_and_rarely_calls_the_balancer(
    service: "Service", sim: "Simulator", clock: "ManualClock"
) -> None:
    async with service.signed_in() as ana, service.client_at() as stranger:
        assert (await stranger.get(HEALTH)).status_code == 401
        answers = await asyncio.gather(*(ana.get(HEALTH) for _ in range(20)))
        assert {answer.status_code for answer in answers} == {200}
        assert len(sim.calls.of("GET", "ping/")) == 1
        sim.faults.add(
            Fault(action=Answer(status=503, body='{"message":"Service Unavailable"}'), path="ping*")
        )
        clock.advance(5)
        down = await ana.get(HEALTH)
    assert (down.status_code, down.json()["code"]) == (503, "erp_unavailable")
    assert (down.json()["reason"], down.json()["ping"]) == ("unreachable", "failed")
    assert down.json()["message"] == "No se pudo conectar con el Service Layer."


@pytest.mark.asyncio
async def test_an_erp_that_stops_replying_during_the_balancer_check_is_unwell(
    open_service: "OpenService", sim: "Simulator"
) -> None:
    async with open_service(sim) as service, service.signed_in() as ana, service.signed_in() as eva:
        sim.faults.add(Fault(action=Delay(seconds=2), path="ping*"))
        sim.faults.add(Fault(action=Answer(status=200, body='{"message":"pong"}'), path="ping*"))
        asking = asyncio.create_task(eva.get(HEALTH))
        await service.arrived("GET", "ping/")
        fall_ill(sim, PAGES)
        for _ in range(3):
            assert (await ana.get(LIST)).status_code == 502
        await until_unwell(service)
        assert (await asking).json()["reason"] == "unwell"


@pytest.mark.asyncio
async def test_erp_health_of_an_unreachable_erp_has_the_network_code(
    open_service: "OpenService", clock: "ManualClock"
) -> None:
    async with AsyncExitStack() as company:
        sim = await company.enter_async_context(run_sim())
        async with open_service(sim) as service, service.signed_in() as ana:
            sim.faults.add(Fault(action=Drop(), path="ping*"))
            lost = await ana.get(HEALTH)
            clock.advance(5)
            await company.aclose()
            unreachable = await ana.get(HEALTH)
    for answer, network_code in ((lost, "ECONNRESET"), (unreachable, "ECONNREFUSED")):
        assert (answer.status_code, answer.json()["reason"]) == (503, "unreachable")
        assert answer.json()["message"] == f"No se pudo conectar con el Service Layer ({network_code})"
