"""Sessions under administration and under the ERP's eye, against the simulated ERP."""

import argparse
import asyncio
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import ANY
from zoneinfo import ZoneInfo

import pytest

from erp_gateway.audit.store import AuditFilter, AuditItem
from erp_gateway.commands.context import CommandContext
from erp_gateway.commands.throttle import lift_block, list_throttled
from erpsim.desk import Desk
from erpsim.faults import BadGateway, Delay, Drop, Fault, Refuse
from erpsim.faults.calls import Call
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

ANA, LUIS = 1, 2
INTERVAL_S = 15 * 60


async def records(gateway: "Gateway", *actions: str) -> list[AuditItem]:
    entries = [entry async for entry in gateway.components.audit_store.walk(AuditFilter())]
    return [entry for entry in entries if entry.action in actions]


def looks(gateway: "Gateway") -> list[Call]:
    """The reads of employees."""
    return gateway.sim.calls.of("GET", "EmployeesInfo")


async def use(gateway: "Gateway", headers: dict[str, str]) -> int:
    """Use a session, wait until nothing goes on behind it, and return the status."""
    response = await gateway.http.get("/api/auth/me", headers=headers)
    async with asyncio.timeout(10):
        task = gateway.components.recheck._task
        if task is not None:
            await asyncio.wait({task})
    return response.status_code


@pytest.mark.asyncio
async def test_an_administrator_lists_the_erp_employees(gateway: "Gateway") -> None:
    company = gateway.sim.world.company
    (nobody, quiet) = (dict(company.get("EmployeesInfo", (number,))) for number in (ANA, LUIS))
    with company.transaction():
        company.update("EmployeesInfo", {**quiet, "Active": "tNO"})
        company.insert("EmployeesInfo", {**nobody, "EmployeeID": 900, "U_WEB_USER": None})
        company.insert("EmployeesInfo", {**nobody, "EmployeeID": 901, "U_WEB_USER": ""})
    ana = await gateway.signed_in("ana")
    before = len(looks(gateway))
    answer = await gateway.http.get("/api/people", headers=ana)
    assert answer.status_code == 200, answer.text
    people = {each["webUser"]: each for each in answer.json()["items"]}
    assert list(people) == sorted(people)
    assert people["ana"] == {"webUser": "ana", "fullName": "Ana González", "active": True}
    assert people["luis"]["active"] is False
    assert "" not in people
    (look,) = looks(gateway)[before:]
    assert "U_WEB_PASS" not in look.query


@pytest.mark.asyncio
async def test_erp_employees_are_listed_in_pages_for_administrators_only(gateway: "Gateway") -> None:
    company = gateway.sim.world.company
    one = dict(company.get("EmployeesInfo", (ANA,)))
    with company.transaction():
        for number in range(1000, 1520):
            company.insert("EmployeesInfo", {**one, "EmployeeID": number, "U_WEB_USER": f"web{number}"})
    ana = await gateway.signed_in("ana")
    before = len(looks(gateway))
    people = (await gateway.http.get("/api/people", headers=ana)).json()["items"]
    assert {f"web{number}" for number in range(1000, 1520)} < {each["webUser"] for each in people}
    assert len(looks(gateway)) == before + 2
    luis = await gateway.signed_in("luis")
    denied = await gateway.http.get("/api/people", headers=luis)
    assert (denied.status_code, denied.json()["code"]) == (403, "permission_denied")
    gateway.sim.faults.add(
        Fault(action=Refuse(status=403, code=-6006, text="no"), method="GET", path="EmployeesInfo")
    )
    refused = await gateway.http.get("/api/people", headers=ana)
    assert (refused.status_code, refused.json()["code"]) == (502, "employee_lookup_refused")


@pytest.mark.asyncio
async def test_an_administrator_lists_the_open_sessions(gateway: "Gateway", clock: ManualClock) -> None:
    ana = await gateway.signed_in("ana")
    clock.advance(60)
    luis = await gateway.signed_in("luis")
    clock.advance(30)
    answer = await gateway.http.get("/api/sessions", headers=ana)
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "items": [
                {
                    "webUser": "ana",
                    "employeeId": 1,
                    "fullName": "Ana González",
                    "signedInAt": "2026-03-02T14:05:09.120Z",
                    "usedAt": "2026-03-02T14:06:39.120Z",
                    "expiresAt": "2026-03-02T14:36:39.120Z",
                },
                {
                    "webUser": "luis",
                    "employeeId": 2,
                    "fullName": "Luis Muñoz",
                    "signedInAt": "2026-03-02T14:06:09.120Z",
                    "usedAt": "2026-03-02T14:06:09.120Z",
                    "expiresAt": "2026-03-02T14:36:09.120Z",
                },
            ]
        },
    )
    assert (await gateway.http.get("/api/sessions", headers=luis)).status_code == 403


@pytest.mark.asyncio
async def test_an_administrator_ends_a_session(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in("ana"), await gateway.signed_in("luis")
    assert (await gateway.http.delete("/api/sessions/ana", headers=luis)).status_code == 403
    for name in ("nobody", "LUIS"):
        missing = await gateway.http.delete(f"/api/sessions/{name}", headers=ana)
        assert (missing.status_code, missing.json()["code"]) == (404, "session_not_found")
    ended = await gateway.http.delete("/api/sessions/luis", headers=ana)
    assert (ended.status_code, ended.content) == (204, b"")
    refused = await gateway.http.get("/api/auth/me", headers=luis)
    assert (refused.status_code, refused.json()["code"]) == (401, "session_expired")
    again = await gateway.http.delete("/api/sessions/luis", headers=ana)
    assert again.status_code == 404
    await gateway.signed_in("luis")
    (record,) = await records(gateway, "session_ended")
    assert (record.web_user, record.ip, record.resource, record.key) == ("ana", ANY, "sessions", "luis")
    assert (record.result, record.reason, record.request_id) == ("ok", None, ended.headers["X-Request-ID"])


@pytest.mark.asyncio
async def test_an_administrator_lifts_a_login_block(gateway: "Gateway") -> None:
    ana, luis = await gateway.signed_in("ana"), await gateway.signed_in("luis")
    for _ in range(5):
        await gateway.log_in("carmen", "wrong", ip="10.0.0.9")
    assert (await gateway.log_in("carmen", "carmen-demo")).status_code == 429
    assert (await gateway.http.delete("/api/login-blocks/carmen", headers=luis)).status_code == 403
    missing = await gateway.http.delete("/api/login-blocks/luis", headers=ana)
    assert (missing.status_code, missing.json()["code"]) == (404, "login_block_not_found")
    lifted = await gateway.http.delete("/api/login-blocks/carmen", headers=ana)
    assert (lifted.status_code, lifted.content) == (204, b"")
    assert (await gateway.log_in("carmen", "carmen-demo")).status_code == 200
    (record,) = await records(gateway, "login_block_lifted")
    assert (record.web_user, record.resource, record.key) == ("ana", "login-blocks", "carmen")
    assert (record.result, record.reason, record.request_id) == ("ok", None, lifted.headers["X-Request-ID"])


@pytest.mark.asyncio
@pytest.mark.parametrize("path", ["/api/sessions/", "/api/login-blocks/"])
async def test_an_invalid_web_user_name_is_refused(gateway: "Gateway", path: str) -> None:
    ana = await gateway.signed_in("ana")
    for name in ("%20", "x" * 255):
        answer = await gateway.http.delete(path + name, headers=ana)
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_path")


@pytest.mark.asyncio
async def test_a_session_ends_at_its_maximum_age(
    open_gateway: "OpenGateway", sim: "Simulator", clock: ManualClock
) -> None:
    async with open_gateway(sim, SESSION_MAX_HOURS="1", EMPLOYEE_RECHECK_MINUTES="0") as gateway:
        ana = await gateway.signed_in("ana")
        for _ in range(5):
            clock.advance(719)
            assert await use(gateway, ana) == 200
        clock.advance(5)
        expired = await gateway.http.get("/api/auth/me", headers=ana)
    assert (expired.status_code, expired.json()["code"]) == (401, "session_expired")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"Active": "tNO"}, "inactive"),
        ({"U_WEB_PASS": "another one"}, "password_changed"),
        ({"U_WEB_USER": "luisa"}, "unknown_user"),
    ],
)
async def test_an_employee_deactivated_in_the_erp_loses_the_session_within_an_interval(
    gateway: "Gateway", clock: ManualClock, change: dict[str, Any], reason: str
) -> None:
    luis = await gateway.signed_in("luis")
    Desk(gateway.sim.world).change("EmployeesInfo", LUIS, change)
    clock.advance(INTERVAL_S - 1)
    assert await use(gateway, luis) == 200
    assert await records(gateway, "session_ended") == []
    clock.advance(1)
    assert await use(gateway, luis) == 200  # the look comes after the request, never before
    refused = await gateway.http.get("/api/auth/me", headers=luis)
    assert (refused.status_code, refused.json()["code"]) == (401, "session_expired")
    (record,) = await records(gateway, "session_ended")
    assert (record.web_user, record.ip, record.resource, record.key) == ("recheck", None, "sessions", "luis")
    assert (record.result, record.reason) == ("ok", reason)


@pytest.mark.asyncio
async def test_a_second_active_employee_with_the_same_name_ends_the_session(
    gateway: "Gateway", clock: ManualClock
) -> None:
    luis = await gateway.signed_in("luis")
    Desk(gateway.sim.world).change("EmployeesInfo", ANA, {"U_WEB_USER": "luis"})
    clock.advance(INTERVAL_S)
    await use(gateway, luis)
    assert await use(gateway, luis) == 401
    assert [entry.reason for entry in await records(gateway, "session_ended")] == ["ambiguous_user"]


@pytest.mark.asyncio
async def test_a_session_in_use_costs_one_recheck_per_interval(
    gateway: "Gateway", clock: ManualClock
) -> None:
    ana, luis = await gateway.signed_in("ana"), await gateway.signed_in("luis")
    assert len(looks(gateway)) == 2  # the logins' own
    for expected in (4, 6):
        for _ in range(6):
            clock.advance(INTERVAL_S / 6)
            await asyncio.gather(*(use(gateway, headers) for headers in (ana, luis) * 5))
        assert len(looks(gateway)) == expected
    assert await use(gateway, ana) == await use(gateway, luis) == 200


@pytest.mark.asyncio
async def test_an_unused_session_costs_no_recheck(gateway: "Gateway", clock: ManualClock) -> None:
    await gateway.signed_in("ana")
    luis = await gateway.signed_in("luis")
    clock.advance(INTERVAL_S)
    assert await use(gateway, luis) == 200
    assert len(looks(gateway)) == 3


@pytest.mark.asyncio
async def test_without_an_interval_sessions_are_not_rechecked(
    open_gateway: "OpenGateway", sim: "Simulator", clock: ManualClock
) -> None:
    async with open_gateway(sim, EMPLOYEE_RECHECK_MINUTES="0", SESSION_TIMEOUT_MINUTES="1440") as gateway:
        ana = await gateway.signed_in("ana")
        clock.advance(86_000)
        assert await use(gateway, ana) == 200
        assert len(looks(gateway)) == 1


@pytest.mark.asyncio
async def test_a_users_call_does_not_wait_for_the_employee_recheck(
    gateway: "Gateway", clock: ManualClock
) -> None:
    ana = await gateway.signed_in("ana")
    gateway.sim.faults.add(Fault(action=Delay(seconds=1.0), path="EmployeesInfo*", times=1))
    clock.advance(INTERVAL_S)
    before = len(gateway.sim.calls)
    answer = await gateway.http.get("/api/sl/Warehouses", headers=ana)
    assert answer.status_code == 200
    task = gateway.components.recheck._task
    assert task is not None
    assert not task.done()
    await asyncio.wait({task}, timeout=10)
    assert [call.path.partition("?")[0] for call in list(gateway.sim.calls)[before:]] == [
        "Warehouses",
        "EmployeesInfo",
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "action",
    [
        pytest.param(Drop(), id="connection cut"),
        pytest.param(BadGateway(), id="gateway page"),
        pytest.param(Refuse(status=400, code=-1000, text="Property 'U_WEB_USER' is invalid"), id="refused"),
        pytest.param(Refuse(status=403, code=-5006, text="No permission"), id="forbidden"),
    ],
)
async def test_an_erp_that_refuses_the_recheck_ends_no_session(
    gateway: "Gateway", clock: ManualClock, action: Any
) -> None:
    luis = await gateway.signed_in("luis")
    Desk(gateway.sim.world).change("EmployeesInfo", LUIS, {"Active": "tNO"})
    gateway.sim.faults.add(Fault(action=action, path="EmployeesInfo*", times=2))
    clock.advance(INTERVAL_S)
    assert await use(gateway, luis) == 200
    assert await use(gateway, luis) == 200
    assert await records(gateway, "session_ended") == []
    gateway.sim.faults.clear()
    clock.advance(INTERVAL_S)
    await use(gateway, luis)
    assert await use(gateway, luis) == 401


@pytest.mark.asyncio
async def test_an_unreachable_erp_ends_no_session(gateway: "Gateway", clock: ManualClock) -> None:
    luis = await gateway.signed_in("luis")
    await gateway.sim.__aexit__(None, None, None)
    for _ in range(3):
        clock.advance(INTERVAL_S)
        assert await use(gateway, luis) == 200


@pytest.mark.asyncio
async def test_shutdown_does_not_wait_for_a_recheck(
    open_gateway: "OpenGateway", sim: "Simulator", clock: ManualClock
) -> None:
    async with open_gateway(sim) as gateway:
        ana = await gateway.signed_in("ana")
        sim.faults.add(Fault(action=Delay(seconds=2.0), path="EmployeesInfo*", times=1))
        clock.advance(INTERVAL_S)
        assert (await gateway.http.get("/api/auth/me", headers=ana)).status_code == 200
        task = gateway.components.recheck._task
    assert task is not None
    assert task.cancelled()


@pytest.mark.asyncio
async def test_a_password_changed_during_downtime_ends_the_session_at_first_use(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, SESSIONS_IN_STORE="true") as gateway:
        luis, carmen = await gateway.signed_in("luis"), await gateway.signed_in("carmen")
    Desk(sim.world).change("EmployeesInfo", LUIS, {"U_WEB_PASS": "another"})
    async with open_gateway(sim, SESSIONS_IN_STORE="true") as gateway:
        assert [await use(gateway, who) for who in (luis, carmen)] == [200, 200]
        assert [await use(gateway, who) for who in (luis, carmen)] == [401, 200]
        (record,) = await records(gateway, "session_ended")
        assert (record.key, record.reason) == ("luis", "password_changed")
    async with open_gateway(sim, SESSIONS_IN_STORE="true") as gateway:
        assert [await use(gateway, who) for who in (luis, carmen)] == [401, 200]


@pytest.mark.asyncio
async def test_after_a_restart_a_session_has_the_current_permissions(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, SESSIONS_IN_STORE="true") as gateway:
        luis = await gateway.signed_in("luis")
    async with open_gateway(sim, SESSIONS_IN_STORE="true", ADMIN_WEB_USERS="ana,luis") as gateway:
        me = await gateway.http.get("/api/auth/me", headers=luis)
        assert (me.json()["isAdmin"], me.json()["allowedPaths"]) == (True, ["*"])


@pytest.mark.parametrize("in_store", ["true", "false"])
@pytest.mark.asyncio
async def test_a_block_is_lifted_from_the_command_line_while_the_service_runs(
    open_gateway: "OpenGateway", sim: "Simulator", store_path: Path, clock: ManualClock, in_store: str
) -> None:
    out = io.StringIO()
    context = CommandContext(
        store=store_path, timezone=ZoneInfo("UTC"), clock=clock, out=out, err=io.StringIO()
    )
    words = argparse.Namespace(name="Ana", json=False)
    async with open_gateway(sim, SESSIONS_IN_STORE=in_store) as gateway:
        for number in range(5):
            await gateway.log_in("ana", "wrong", ip=f"10.1.0.{number}")
        assert (await gateway.log_in("ana", "ana-demo")).status_code == 429
        await list_throttled(words, context)
        assert "user\tana\t5\tblocked until" in out.getvalue()
        await lift_block(words, context)
        async with asyncio.timeout(30):
            while (await gateway.log_in("ana", "ana-demo")).status_code == 429:  # noqa: ASYNC110 - no signal tells
                await asyncio.sleep(0.05)
        assert (await gateway.log_in("ana", "ana-demo")).status_code == 200
        (record,) = await records(gateway, "login_block_lifted")
        assert (record.web_user, record.key) == ("cli", "Ana")
