"""The health routes: the process answers for itself, and for the ERP at most once in five seconds."""

import asyncio
from typing import TYPE_CHECKING

import pytest

from erpsim.faults import Answer, Fault
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

DEAD = "http://127.0.0.1:9/b1s/v1"


@pytest.mark.asyncio
async def test_the_process_is_healthy_without_asking_the_erp(gateway: "Gateway", sim: "Simulator") -> None:
    answer = await gateway.http.get("/api/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "version": "0.0.1"})
    assert sim.calls.total == 0


@pytest.mark.asyncio
async def test_the_erp_is_asked_at_most_once_in_five_seconds(
    gateway: "Gateway", sim: "Simulator", clock: ManualClock
) -> None:
    answers = await asyncio.gather(*(gateway.http.get("/api/health/erp") for _ in range(30)))
    assert {answer.status_code for answer in answers} == {200}
    assert answers[0].json() == {"status": "ok", "ping": "pong", "session": "none"}
    assert sim.calls.total == 1
    clock.advance(5)
    await gateway.http.get("/api/health/erp")
    assert sim.calls.total == 2


@pytest.mark.asyncio
async def test_the_state_of_the_session_is_told(gateway: "Gateway", clock: ManualClock) -> None:
    await gateway.signed_in()
    assert (await gateway.http.get("/api/health/erp")).json()["session"] == "active"


@pytest.mark.asyncio
async def test_a_balancer_without_nodes_is_down(gateway: "Gateway", sim: "Simulator") -> None:
    sim.faults.add(Fault(action=Answer(status=503, body='{"message":"Service Unavailable"}'), path="ping*"))
    answer = await gateway.http.get("/api/health/erp")
    assert (answer.status_code, answer.json()["code"], answer.json()["ping"]) == (
        503,
        "erp_unavailable",
        "failed",
    )
    assert answer.headers["Retry-After"] == "5"


@pytest.mark.asyncio
async def test_without_the_erp_the_process_is_healthy_and_says_502(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, url=DEAD) as gateway:
        assert (await gateway.http.get("/api/health")).status_code == 200
        down = await gateway.http.get("/api/health/erp")
        assert (down.status_code, down.json()["ping"], down.json()["session"]) == (503, "unreachable", "none")
        login = await gateway.log_in("ana", "ana-demo")
        assert (login.status_code, login.json()["code"]) == (502, "upstream_unreachable")


@pytest.mark.asyncio
async def test_a_refused_service_account_makes_the_erp_unusable(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_PASSWORD="wrong") as gateway:
        assert (await gateway.log_in("ana", "ana-demo")).json()["code"] == "upstream_login_failed"
        answer = await gateway.http.get("/api/health/erp")
        assert (answer.status_code, answer.json()["session"]) == (503, "failing")
