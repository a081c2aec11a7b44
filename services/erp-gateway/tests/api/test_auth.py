"""Login, session and logout through the whole application, against the simulated ERP."""

import asyncio
import json
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs

from erp_gateway.audit.store import AuditFilter
from erpsim.desk import Desk
from erpsim.faults import Fault, Refuse
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

WRONG = [
    "nobody",
    "ANA",
    "ana",
    "pedro",
    "rosa",
    "diego",
    "x' or 1 eq 1 or U_WEB_USER eq '",
    "ana%",
    "a/b?c#d",
]
"""Unknown, another case, wrong password, inactive, two of the same name, no password, hostile names."""


@pytest.mark.asyncio
async def test_login_me_and_logout(gateway: "Gateway") -> None:
    response = await gateway.log_in("ana", "ana-demo")
    assert response.status_code == 200
    body = response.json()
    assert sorted(body) == ["company", "expiresIn", "token", "user"]
    assert body["expiresIn"] == 1800
    assert body["company"] == {
        "database": "SBO_DEMO",
        "name": "Comercial Demo SpA",
        "timezone": "America/Santiago",
    }
    assert body["user"] == {
        "webUser": "ana",
        "employeeId": 1,
        "firstName": "Ana",
        "lastName": "González",
        "fullName": "Ana González",
        "email": "empleado1@demo.example",
        "isAdmin": True,
        "allowedPaths": ["*"],
    }
    headers = {"Authorization": f"Bearer {body['token']}"}

    me = await gateway.http.get("/api/auth/me", headers=headers)
    assert (me.status_code, me.json()) == (200, body["user"])

    out = await gateway.http.post("/api/auth/logout", headers=headers)
    assert (out.status_code, out.content) == (204, b"")
    after = await gateway.http.get("/api/auth/me", headers=headers)
    assert (after.status_code, after.json()["code"]) == (401, "session_expired")
    assert after.headers["www-authenticate"] == "Bearer"


@pytest.mark.asyncio
async def test_a_hashed_password_signs_in(gateway: "Gateway") -> None:
    response = await gateway.log_in("carmen", "carmen-demo")
    assert response.status_code == 200
    user = response.json()["user"]
    assert (user["webUser"], user["isAdmin"], user["allowedPaths"]) == ("carmen", False, [])


@pytest.mark.asyncio
async def test_both_versions_of_the_service_layer_serve(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, url=sim.url_v2) as gateway:
        response = await gateway.log_in("ana", "ana-demo")
    assert response.status_code == 200
    assert response.json()["company"]["name"] == "Comercial Demo SpA"


@pytest.mark.asyncio
async def test_every_sign_in_refusal_has_an_identical_response(gateway: "Gateway") -> None:
    answers = set()
    for number, user in enumerate(WRONG):
        response = await gateway.log_in(user, "" if user == "diego" else "wrong", ip=f"10.0.1.{number}")
        body = response.json()
        body.pop("requestId")
        answers.add((response.status_code, response.headers["content-type"], json.dumps(body)))
    assert len(answers) == 1
    (answer,) = answers
    assert answer[:2] == (401, "application/problem+json")
    assert json.loads(answer[2])["code"] == "invalid_credentials"


@pytest.mark.parametrize(
    "name",
    [
        "cli",
        "startup",
        "recheck",
        "lookup",
        "anonymous",
        "erp_gateway:exports",
        "CLI",
        "c\u200bli",
        "\uff23\uff4ci",
    ],
)
@pytest.mark.asyncio
async def test_an_employee_with_a_name_of_the_service_does_not_get_in(gateway: "Gateway", name: str) -> None:
    Desk(gateway.sim.world).change("EmployeesInfo", 1, {"U_WEB_USER": name})
    with capture_logs() as logs:
        refused = await gateway.log_in(name, "ana-demo")
    assert (refused.status_code, refused.json()["code"]) == (401, "invalid_credentials")
    entries = [entry async for entry in gateway.components.audit_store.walk(AuditFilter())]
    assert [
        (each.action, each.web_user, each.reason) for each in entries if each.action == "login_failed"
    ] == [("login_failed", name, "reserved_user")]
    assert [each["reason"] for each in logs if each.get("action") == "login_failed"] == ["reserved_user"]
    assert gateway.components.sessions.find(name) is None


@pytest.mark.asyncio
async def test_a_busy_erp_answers_503_and_counts_no_failed_attempt(gateway: "Gateway") -> None:
    for status in (429, 503):
        gateway.sim.faults.add(
            Fault(action=Refuse(status=status, code=-1, text="busy"), method="GET", path="EmployeesInfo*")
        )
        answer = await gateway.log_in("ana", "ana-demo")
        assert (answer.status_code, answer.json()["code"]) == (503, "upstream_busy")
        assert "Retry-After" in answer.headers
    assert (await gateway.log_in("ana", "ana-demo")).status_code == 200


@pytest.mark.asyncio
async def test_a_password_never_leaves_for_the_erp(gateway: "Gateway") -> None:
    await gateway.log_in("ana", "planted-password")
    await gateway.log_in("x' or 1 eq 1 or U_WEB_USER eq '", "planted-password")
    calls = [call for call in gateway.sim.calls if "EmployeesInfo" in call.path]
    assert len(calls) == 2
    assert "planted" not in repr(list(gateway.sim.calls))
    assert all("U_WEB_PASS%20" not in call.path for call in calls)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"username": "", "password": "x"}, "username"),
        ({"username": "   ", "password": "x"}, "username"),
        ({"username": "x" * 255, "password": "x"}, "username"),
        ({"username": "a\u0000b", "password": "x"}, "username"),
        ({"username": "a\nb", "password": "x"}, "username"),
        ({"username": "ana", "password": "x" * 1025}, "password"),
        ({"username": "ana", "password": None}, "password"),
        ({"username": ["ana"], "password": "x"}, "username"),
        ({"username": "ana"}, "password"),
        ({"username": "ana", "password": "x", "extra": 1}, "extra"),
    ],
)
async def test_a_malformed_sign_in_body_names_the_field(
    gateway: "Gateway", body: dict[str, object], path: str
) -> None:
    response = await gateway.http.post("/api/auth/login", json=body)
    assert (response.status_code, response.json()["code"]) == (400, "invalid_body")
    assert [problem["path"] for problem in response.json()["errors"]] == [path]
    assert not [call for call in gateway.sim.calls if "EmployeesInfo" in call.path]


@pytest.mark.asyncio
async def test_the_throttle_answers_429_without_an_erp_call(gateway: "Gateway", clock: ManualClock) -> None:
    for _ in range(5):
        assert (await gateway.log_in("ana", "wrong")).status_code == 401
    calls_before = len(gateway.sim.calls)
    blocked = await gateway.log_in("Ana", "ana-demo", ip="10.0.9.9")
    assert (blocked.status_code, blocked.json()["code"]) == (429, "too_many_attempts")
    assert blocked.headers["retry-after"] == "900"
    assert len(gateway.sim.calls) == calls_before
    clock.advance(900)
    assert (await gateway.log_in("ana", "ana-demo")).status_code == 200


@pytest.mark.asyncio
async def test_fifty_simultaneous_guesses_reach_the_erp_five_times(gateway: "Gateway") -> None:
    responses = await asyncio.gather(*(gateway.log_in("ana", f"guess{number}") for number in range(50)))
    codes = [response.status_code for response in responses]
    assert (codes.count(401), codes.count(429)) == (5, 45)
    calls = [call for call in gateway.sim.calls if "EmployeesInfo" in call.path]
    assert 1 <= len(calls) <= 5  # the same question at the same moment is asked once


@pytest.mark.asyncio
async def test_a_new_login_replaces_the_earlier_session(gateway: "Gateway") -> None:
    first = await gateway.signed_in()
    second = await gateway.signed_in()
    refused = await gateway.http.get("/api/auth/me", headers=first)
    assert (refused.status_code, refused.json()["code"]) == (401, "session_replaced")
    assert "11:05" in refused.json()["message"]  # 14:05 UTC in America/Santiago
    assert (await gateway.http.get("/api/auth/me", headers=second)).status_code == 200


@pytest.mark.asyncio
async def test_a_session_expires_after_its_timeout_without_a_request(
    open_gateway: "OpenGateway", sim: "Simulator", clock: ManualClock
) -> None:
    async with open_gateway(sim, SESSION_TIMEOUT_MINUTES="10") as gateway:
        headers = await gateway.signed_in()
        for _ in range(3):
            clock.advance(599)
            assert (await gateway.http.get("/api/auth/me", headers=headers)).status_code == 200
        clock.advance(600)
        expired = await gateway.http.get("/api/auth/me", headers=headers)
    assert (expired.status_code, expired.json()["code"]) == (401, "session_expired")


@pytest.mark.asyncio
async def test_planted_secrets_appear_in_no_log_or_response(gateway: "Gateway") -> None:
    with capture_logs() as logs:
        failed = await gateway.log_in("ana", "planted-password")
        token = (await gateway.log_in("ana", "ana-demo")).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        audit = await gateway.http.get("/api/audit", headers=headers)
        await gateway.http.get("/api/auth/me?token=" + token, headers=headers)
        await gateway.http.post("/api/auth/logout", headers=headers)
        refused = await gateway.http.get("/api/auth/me", headers=headers)
    assert audit.json()["total"] >= 2
    shown = "\n".join([repr(logs), failed.text, audit.text, refused.text, repr(gateway.components)])
    for secret in ("planted-password", "ana-demo", token, "erpsim"):
        assert secret not in shown
