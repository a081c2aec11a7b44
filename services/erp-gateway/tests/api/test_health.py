"""The health routes: the process answers for itself, and for the ERP at most once in five seconds."""

import asyncio
import time
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from erpsim.faults import Answer, ExpireSession, Fault, Refuse
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

FIRST_PAUSE_S = 5.0
DEAD = "http://127.0.0.1:9/b1s/v1"


@pytest.mark.asyncio
async def test_the_process_is_healthy_without_asking_the_erp(gateway: "Gateway", sim: "Simulator") -> None:
    answer = await gateway.http.get("/api/health")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "version": version("erp-gateway")})
    assert sim.calls.total == 0


@pytest.mark.asyncio
async def test_the_erp_is_pinged_at_most_once_in_five_seconds(
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
async def test_the_health_response_contains_the_session_state(gateway: "Gateway", clock: ManualClock) -> None:
    await gateway.signed_in()
    assert (await gateway.http.get("/api/health/erp")).json()["session"] == "active"


@pytest.mark.asyncio
async def test_a_balancer_without_nodes_is_down(gateway: "Gateway", sim: "Simulator") -> None:
    sim.faults.add(Fault(action=Answer(status=503, body='{"message":"Service Unavailable"}'), path="ping*"))
    answer = await gateway.http.get("/api/health/erp")
    assert (answer.status_code, answer.json()["code"]) == (503, "erp_unavailable")
    assert (answer.json()["reason"], answer.json()["ping"]) == ("unreachable", "failed")
    assert answer.headers["Retry-After"] == "5"


@pytest.mark.asyncio
async def test_without_the_erp_the_process_is_healthy_and_sign_in_answers_502(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, url=DEAD) as gateway:
        assert (await gateway.http.get("/api/health")).status_code == 200
        down = await gateway.http.get("/api/health/erp")
        assert (down.status_code, down.json()["ping"], down.json()["session"]) == (503, "unreachable", "none")
        assert down.json()["reason"] == "unreachable"
        login = await gateway.log_in("ana", "ana-demo")
        assert (login.status_code, login.json()["code"]) == (502, "upstream_unreachable")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("code", "text", "reason"),
    [
        (100000055, "User account is locked", "user_locked"),
        (-304, "Fail to Get the Bound Database Instance from SLD", "company_directory"),
        (305, "Switch company error: -132", "company_unknown"),
        (305, "Switch company error: -8010", "no_licence"),
    ],
)
async def test_a_failed_erp_login_reports_its_cause(
    open_gateway: "OpenGateway", sim: "Simulator", code: int, text: str, reason: str
) -> None:
    sim.faults.add(Fault(action=Refuse(status=401, code=code, text=text), path="Login", times=None))
    with capture_logs() as logs:
        async with open_gateway(sim) as gateway:
            assert (await gateway.log_in("ana", "ana-demo")).status_code == 502
            answer = await gateway.http.get("/api/health/erp")
    assert (answer.status_code, answer.json()["reason"]) == (503, reason)
    assert [entry["cause"] for entry in logs if entry["event"].startswith("erp_login")] == [reason]


@pytest.mark.asyncio
@pytest.mark.parametrize("company", ["OTHER", "sbo_demo"])
async def test_a_missing_company_is_reported_as_unknown(
    open_gateway: "OpenGateway", sim: "Simulator", company: str
) -> None:
    async with open_gateway(sim, ERP_SL_COMPANY_DB=company) as gateway:
        assert (await gateway.log_in("ana", "ana-demo")).json()["code"] == "upstream_login_failed"
        answer = await gateway.http.get("/api/health/erp")
    assert (answer.status_code, answer.json()["reason"]) == (503, "company_unknown")
    assert "ERP_SL_COMPANY_DB" in answer.json()["message"]


@pytest.mark.check
@pytest.mark.asyncio
async def test_a_refused_service_account_is_reported_at_once_and_between_attempts(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    refused = Refuse(status=401, code=100000027, text="Login failed")
    async with open_gateway(sim) as gateway:
        assert (await gateway.http.get("/api/health/erp")).status_code == 200
        sim.faults.add(Fault(action=refused, path="Login"))
        assert (await gateway.log_in("ana", "ana-demo")).json()["code"] == "upstream_login_failed"
        began, answers = time.monotonic(), []
        while time.monotonic() - began < FIRST_PAUSE_S + 0.3:  # beyond the pause, before anybody asks again
            answers.append(await gateway.http.get("/api/health/erp"))
            await asyncio.sleep(0.1)
        assert {(answer.status_code, answer.json()["reason"]) for answer in answers} == {
            (503, "login_refused")
        }
        assert (answers[0].json()["session"], answers[-1].json()["session"]) == ("failing", "none")
        assert (await gateway.log_in("ana", "ana-demo")).status_code == 200
        assert (await gateway.http.get("/api/health/erp")).status_code == 200


@pytest.mark.asyncio
async def test_a_service_account_refused_after_login_is_reported(
    gateway: "Gateway", sim: "Simulator"
) -> None:
    """It may log in and then do nothing: an ERP user whose licence was taken away."""
    await gateway.signed_in()
    sim.faults.add(Fault(action=ExpireSession(), method="GET", times=None))
    assert (await gateway.log_in("ana", "ana-demo")).json()["code"] == "upstream_login_failed"
    answer = await gateway.http.get("/api/health/erp")
    assert (answer.status_code, answer.json()["reason"]) == (503, "login_refused")
    assert answer.json()["session"] == "active"
