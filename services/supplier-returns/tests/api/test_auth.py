"""Signing in and out as an ERP user: the cookie, the ERP session, and the end of both."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING

import httpx2
import pytest
from structlog.testing import capture_logs

from erpsim.company.switches import Switches
from erpsim.faults import Delay, ExpireSession, Fault, Refuse
from erpsim.simulator import Simulator, run_sim
from servicekit.clock import ManualClock

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

FIXED_TEXT = "Debe iniciar sesión"


def logins(sim: Simulator) -> int:
    return len(sim.calls.of("POST", "Login"))


@pytest.mark.asyncio
async def test_the_login_page_data_is_public(service: "Service") -> None:
    async with service.client_at() as client:
        health = await client.get("/api/health")
        info = await client.get("/api/auth/info")
    assert (health.json(), info.json()) == (
        {"estado": "ok", "version": version("supplier-returns")},
        {"empresa": "SBO_DEMO", "cookieSegura": False, "version": version("supplier-returns")},
    )
    assert len(service.sim.calls) == 0


@pytest.mark.asyncio
async def test_a_login_sets_the_session_cookie(service: "Service") -> None:
    async with service.client_at() as client:
        answer = await service.log_in(client, "bodega")
        assert answer.status_code == 200
        name = answer.json()["usuario"]["nombre"]
        expected = {
            "usuario": {"codigo": "bodega", "nombre": name, "superusuario": False},
            "empresa": "SBO_DEMO",
            "zonaHoraria": "America/Santiago",
            "expira": "2026-03-02T14:35:09.000Z",
        }
        assert answer.json() == expected
        assert name
        cookie = answer.headers["Set-Cookie"]
        assert re.fullmatch(r"dp_sid=[A-Za-z0-9_-]{43}; HttpOnly; Path=/; SameSite=lax", cookie)
        me = await client.get("/api/auth/me")
    assert me.json() == expected
    assert me.headers["Cache-Control"] == "no-store"


@pytest.mark.asyncio
async def test_cookie_path_and_secure_follow_the_proxy_and_the_setting(
    open_service: "OpenService", sim: Simulator
) -> None:
    forwarded = {"X-Forwarded-Prefix": "/devoluciones", "X-Forwarded-Proto": "https"}
    async with (
        open_service(sim, COOKIE_SECURE="true", TRUSTED_PROXIES="10.0.0.1") as service,
        service.client_at("10.0.0.1") as proxy,
        service.client_at("10.0.0.2") as stranger,
    ):
        for client, path in ((proxy, "/devoluciones"), (stranger, "/")):
            client.headers.update(forwarded)
            answer = await service.log_in(client)
            assert f"; Path={path}; SameSite=lax; Secure" in answer.headers["Set-Cookie"]
            out = await client.post("/api/auth/logout")
            assert f"Path={path};" in out.headers["Set-Cookie"]
            assert "Max-Age=0" in out.headers["Set-Cookie"]


@pytest.mark.asyncio
@pytest.mark.parametrize("cookie", [None, "", "x", "a" * 43, "ñ" * 43, "a" * 44])
async def test_without_a_session_the_error_has_the_fixed_text(service: "Service", cookie: str | None) -> None:
    async with service.client_at() as client:
        headers = {} if cookie is None else {b"Cookie": f"other=1; dp_sid={cookie}".encode()}
        answer = await client.get("/api/auth/me", headers=headers)
    assert answer.status_code == 401
    assert answer.json()["message"] == answer.json()["detail"] == FIXED_TEXT
    assert answer.json()["code"] == ("session_expired" if cookie == "a" * 43 else "session_required")


@pytest.mark.asyncio
async def test_of_several_cookies_the_first_valid_one_is_used(service: "Service") -> None:
    async with service.signed_in("bodega") as client:
        value = client.cookies["dp_sid"]
    async with service.client_at() as client:
        answer = await client.get("/api/auth/me", headers={"Cookie": f"dp_sid={'a' * 43}; dp_sid={value}"})
    assert answer.json()["usuario"]["codigo"] == "bodega"


@pytest.mark.asyncio
async def test_refused_credentials_are_tried_once(service: "Service") -> None:
    async with service.client_at() as client:
        answer = await service.log_in(client, "bodega", "wrong")
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    assert "Set-Cookie" not in answer.headers
    assert logins(service.sim) == 1


@pytest.mark.asyncio
async def test_three_failures_block_a_name_and_each_further_one_doubles_the_block(
    service: "Service", clock: ManualClock
) -> None:
    async with service.client_at() as client:
        for _ in range(3):
            assert (await service.log_in(client, "bodega", "wrong")).status_code == 401
        for wait in ("900", "1800", "3600"):
            reached = logins(service.sim)
            blocked = await service.log_in(client, " BO\u200bDEGA ")
            assert (blocked.status_code, blocked.json()["code"]) == (429, "too_many_attempts")
            assert blocked.headers["Retry-After"] == wait
            assert logins(service.sim) == reached
            clock.advance(int(wait))
            assert (await service.log_in(client, "bodega", "wrong")).status_code == 401
        assert (await service.log_in(client, "manager")).status_code == 200
        clock.advance(7200)
        assert (await service.log_in(client, "bodega")).status_code == 200
        for _ in range(2):
            assert (await service.log_in(client, "bodega", "wrong")).status_code == 401
        assert (await service.log_in(client, "bodega")).status_code == 200, "the success reset the count"


@pytest.mark.asyncio
async def test_ten_guesses_at_once_reach_the_erp_three_times(service: "Service") -> None:
    names = [
        "bodega",
        "BODEGA",
        " bodega",
        "bodega ",
        "bode\u00adga",
        "\uff42odega",
        "Bodega",
        "bodega\u200b",
    ]
    service.sim.faults.add(Fault(action=Delay(seconds=0.1), path="Login", times=3))
    clients = [service.client_at(f"10.0.{number}.7") for number in range(10)]
    answers = await asyncio.gather(
        *(
            service.log_in(client, names[number % len(names)], "wrong")
            for number, client in enumerate(clients)
        )
    )
    assert sorted(answer.status_code for answer in answers) == [401] * 3 + [429] * 7
    assert logins(service.sim) == 3


@pytest.mark.asyncio
async def test_guesses_of_strangers_do_not_lock_the_erp_user(
    open_service: "OpenService", clock: ManualClock
) -> None:
    switches = Switches(logins_before_lock=5)
    async with (
        run_sim(switches=switches) as sim,
        open_service(sim) as service,
        service.client_at() as client,
    ):
        for _ in range(8):
            await service.log_in(client, "bodega", "wrong")
        clock.advance(900)
        assert (await service.log_in(client, "bodega")).status_code == 200
        assert logins(sim) == 4


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["manager", "MANAGER", " manager ", "man\u200bager", "\uff4danager"])
async def test_a_denied_user_gets_the_response_of_a_wrong_password_without_an_erp_call(
    open_service: "OpenService", sim: Simulator, name: str
) -> None:
    async with (
        open_service(sim, SIGN_IN_DENIED_USERS="otro,Manager ") as service,
        service.client_at() as client,
    ):
        wrong = await service.log_in(client, "bodega", "wrong")
        with capture_logs() as logs:
            answers = [await service.log_in(client, name) for _ in range(4)]
        assert logins(sim) == 1
        assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
        bodies = [{**answer.json(), "requestId": ""} for answer in (wrong, answers[0])]
        assert bodies[0] == bodies[1]
        assert set(answers[0].headers) == set(wrong.headers)
        reasons = [line["reason"] for line in audit_lines(logs)]
        assert reasons == ["denied_user"] * 3 + ["throttled"]
        assert (await service.log_in(client, "bodega")).status_code == 200


@pytest.mark.asyncio
async def test_a_denied_user_is_refused_as_slowly_as_the_erp_refuses(
    open_service: "OpenService", clock: ManualClock
) -> None:
    switches = Switches(wrong_login_delay_s=0.05)
    async with (
        run_sim(switches=switches) as sim,
        open_service(sim, SIGN_IN_DENIED_USERS="manager") as service,
        service.client_at() as client,
    ):
        wrong = asyncio.create_task(service.log_in(client, "bodega", "wrong"))
        await service.arrived("POST", "Login")
        clock.advance(0.4)
        await wrong
        began = asyncio.get_running_loop().time()
        assert (await service.log_in(client, "manager")).status_code == 401
        assert asyncio.get_running_loop().time() - began >= 0.4


def audit_lines(logs: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    return [
        {name: value for name, value in line.items() if name not in ("event", "log_level")}
        for line in logs
        if line["event"] == "AUDIT"
    ]


@pytest.mark.asyncio
async def test_a_locked_user_is_logged_and_an_unreachable_directory_is_not_a_failure(
    service: "Service",
) -> None:
    locked = Refuse(status=401, code=100000055, text="User account is locked")
    directory = Refuse(status=401, code=-304, text="Fail to Get the Bound Database Instance from SLD")
    service.sim.faults.add(Fault(action=locked, path="Login"))
    with capture_logs() as logs:
        async with service.client_at() as client:
            answer = await service.log_in(client, "bodega")
            assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
            service.sim.faults.add(Fault(action=directory, path="Login", times=6))
            for _ in range(6):  # more than the limit for blocking a user
                answer = await service.log_in(client, "bodega")
                assert (answer.status_code, answer.json()["code"]) == (502, "upstream_failed")
            assert (await service.log_in(client, "bodega")).status_code == 200
    assert [line["reason"] for line in audit_lines(logs) if "reason" in line] == ["user_locked"]


@pytest.mark.asyncio
async def test_sign_ins_and_sign_outs_have_the_audit_lines_of_the_gateway(service: "Service") -> None:
    with capture_logs() as logs:
        async with service.client_at("10.0.0.9") as client:
            await service.log_in(client, "bodega", "planted-password")
            await service.log_in(client, "bodega")
            await client.post("/api/auth/logout")
            await client.post("/api/auth/logout")
    identity = {"user": "bodega", "ip": "10.0.0.9"}
    assert audit_lines(logs) == [
        {"action": "login_failed", "result": "denied", "reason": "invalid_credentials", **identity},
        {"action": "login", "result": "ok", **identity},
        {"action": "logout", "result": "ok", **identity},
    ]
    assert "planted-password" not in repr(logs)


@pytest.mark.asyncio
async def test_a_block_is_logged_once_and_without_a_name_for_an_address(service: "Service") -> None:
    with capture_logs() as logs:
        async with service.client_at("10.0.0.9") as client:
            for number in range(26):
                await service.log_in(client, "bodega" if number < 8 else f"nobody{number}", "wrong")
    lines = [line for line in audit_lines(logs) if line["reason"] == "throttled"]
    blocked = {"action": "login_failed", "result": "denied", "reason": "throttled", "ip": "10.0.0.9"}
    assert lines == [blocked | {"user": "bodega"}, blocked]
    assert len(audit_lines(logs)) == 20 + 2


@pytest.mark.asyncio
async def test_an_unreachable_erp_is_not_a_failed_attempt(
    open_service: "OpenService", sim: Simulator
) -> None:
    url = "http://127.0.0.1:1/b1s/v1"
    async with open_service(sim, url=url) as service, service.client_at() as client:
        for _ in range(7):
            with capture_logs() as logs:
                answer = await service.log_in(client)
            assert audit_lines(logs) == []
            assert answer.status_code == 502
            assert answer.json()["message"] == "No se pudo conectar con el Service Layer (ECONNREFUSED)"
            assert answer.json()["code"] == "upstream_unreachable"


@pytest.mark.asyncio
async def test_a_company_that_cannot_be_opened_is_not_a_failed_attempt(service: "Service") -> None:
    service.sim.faults.add(
        Fault(action=Refuse(status=500, code=305, text="Switch company error: -1102"), path="Login", times=6)
    )
    async with service.client_at() as client:
        for _ in range(6):
            answer = await service.log_in(client)
            assert (answer.status_code, answer.json()["code"]) == (502, "upstream_failed")
        assert (await service.log_in(client)).status_code == 200


@pytest.mark.asyncio
async def test_the_user_code_replaces_a_missing_name(service: "Service") -> None:
    service.sim.faults.add(Fault(action=Refuse(status=403, code=-5006, text="No permission"), path="Users*"))
    async with service.client_at() as client:
        answer = await service.log_in(client, "bodega")
    assert answer.json()["usuario"] == {"codigo": "bodega", "nombre": "bodega", "superusuario": None}


@pytest.mark.asyncio
async def test_the_session_shows_superusers_of_the_erp(service: "Service") -> None:
    async with service.client_at() as client:
        answer = await service.log_in(client, "manager")
    assert answer.json()["usuario"]["superusuario"] is True


@pytest.mark.asyncio
async def test_logout_ends_the_web_session_and_its_erp_session(service: "Service") -> None:
    async with service.signed_in("bodega") as client, service.signed_in("manager") as other:
        answer = await client.post("/api/auth/logout")
        assert (answer.status_code, answer.content) == (204, b"")
        assert "dp_sid" not in client.cookies
        await service.arrived("POST", "Logout")
        (call,) = service.sim.calls.of("POST", "Logout")
        assert call.user == "bodega"
        assert (await client.get("/api/auth/me")).status_code == 401
        assert (await other.get("/api/auth/me")).status_code == 200


@pytest.mark.asyncio
async def test_logout_without_a_session_succeeds(service: "Service") -> None:
    async with service.client_at() as client:
        assert (await client.post("/api/auth/logout")).status_code == 204
        stale = {"Cookie": f"dp_sid={'a' * 43}"}
        assert (await client.post("/api/auth/logout", headers=stale)).status_code == 204
    assert len(service.sim.calls) == 0


@pytest.mark.asyncio
async def test_a_new_login_in_the_same_browser_ends_its_earlier_session(service: "Service") -> None:
    async with service.signed_in("bodega") as client:
        earlier = client.cookies["dp_sid"]
        await service.log_in(client, "manager")
        await service.arrived("POST", "Logout")
        assert (await client.get("/api/auth/me")).json()["usuario"]["codigo"] == "manager"
        answer = await client.get("/api/auth/me", headers={"Cookie": f"dp_sid={earlier}"})
    assert service.sim.calls.of("POST", "Logout")[0].user == "bodega"
    assert (answer.status_code, answer.json()["code"]) == (401, "session_expired")


@pytest.mark.asyncio
async def test_each_request_extends_a_session_whose_timeout_also_ends_it_in_the_erp(
    service: "Service", clock: ManualClock
) -> None:
    async with service.signed_in() as client:
        for _ in range(3):
            clock.advance(29 * 60)
            assert (await client.get("/api/auth/me")).status_code == 200
        clock.advance(30 * 60)
        answer = await client.get("/api/auth/me")
        assert (answer.status_code, answer.json()["message"]) == (401, FIXED_TEXT)
        await service.arrived("POST", "Logout")


@pytest.mark.asyncio
async def test_a_session_ended_by_the_erp_ends_here_too(
    service: "Service", manager: httpx2.AsyncClient
) -> None:
    service.sim.faults.add(Fault(action=ExpireSession(), path="Warehouses*"))
    answer = await manager.get("/api/catalogos/almacenes")
    assert (answer.status_code, answer.json()["message"]) == (401, FIXED_TEXT)
    assert answer.json()["code"] == "session_expired"
    before = len(service.sim.calls)
    again = await manager.get("/api/auth/me")
    assert (again.status_code, len(service.sim.calls)) == (401, before)
    assert logins(service.sim) == 1


@pytest.mark.asyncio
async def test_a_restart_ends_every_session(open_service: "OpenService", sim: Simulator) -> None:
    async with open_service(sim) as first, first.signed_in() as client:
        cookie = client.cookies["dp_sid"]
    assert len(sim.calls.of("POST", "Logout")) == 1
    async with open_service(sim) as second, second.client_at() as client:
        answer = await client.get("/api/auth/me", headers={"Cookie": f"dp_sid={cookie}"})
    assert (answer.status_code, answer.json()["message"]) == (401, FIXED_TEXT)


@pytest.mark.asyncio
async def test_at_the_limit_only_a_session_of_the_same_user_is_replaced(
    open_service: "OpenService", sim: Simulator
) -> None:
    async with (
        open_service(sim, MAX_SESSIONS="2") as service,
        service.signed_in("bodega") as first,
        service.signed_in("bodega") as second,
    ):
        async with service.client_at() as other:
            refused = await service.log_in(other, "manager")
            assert (refused.status_code, refused.json()["code"]) == (503, "too_many_sessions")
            assert refused.headers["Retry-After"] == "60"
            assert logins(sim) == 2
            assert (await service.log_in(other, "bodega", "wrong")).status_code == 401
            for client in (first, second):
                assert (await client.get("/api/auth/me")).status_code == 200
        async with service.signed_in("bodega") as third:
            statuses = [(await each.get("/api/auth/me")).status_code for each in (first, second, third)]
    assert statuses == [401, 200, 200]


@pytest.mark.asyncio
async def test_one_user_has_at_most_five_sessions(service: "Service") -> None:
    cookies = []
    for _ in range(8):
        async with service.signed_in("bodega", ip="10.0.0.8") as client:
            cookies.append({"Cookie": f"dp_sid={client.cookies['dp_sid']}"})
    async with service.client_at() as client:
        statuses = [(await client.get("/api/auth/me", headers=each)).status_code for each in cookies]
    assert statuses == [401] * 3 + [200] * 5
    assert logins(service.sim) == 8
    await service.arrived("POST", "Logout", 3)
    assert {call.user for call in service.sim.calls.of("POST", "Logout")} == {"bodega"}


@pytest.mark.asyncio
async def test_the_number_of_sessions_per_user_is_configurable(
    open_service: "OpenService", sim: Simulator
) -> None:
    async with (
        open_service(sim, MAX_SESSIONS_PER_USER="1") as service,
        service.signed_in("manager") as other,
        service.signed_in("bodega") as first,
        service.signed_in("bodega") as second,
    ):
        statuses = [(await each.get("/api/auth/me")).status_code for each in (other, first, second)]
    assert statuses == [200, 401, 200]


@pytest.mark.asyncio
async def test_two_users_have_a_session_each_and_see_only_their_own(service: "Service") -> None:
    async with service.signed_in("manager") as one, service.signed_in("bodega") as two:
        for _ in range(3):
            answers = await asyncio.gather(
                *(client.get("/api/catalogos/almacenes?actualizar=true") for client in (one, two) * 3)
            )
            assert {answer.status_code for answer in answers} == {200}
        names = [(await client.get("/api/auth/me")).json()["usuario"]["codigo"] for client in (one, two)]
    assert names == ["manager", "bodega"]
    users = {call.session: call.user for call in service.sim.calls.of("GET", "Warehouses")}
    assert sorted(map(str, users.values())) == ["bodega", "manager"]
    assert max(call.in_flight for call in service.sim.calls) <= 2


@pytest.mark.asyncio
async def test_a_slow_call_of_one_user_does_not_delay_others(service: "Service") -> None:
    service.sim.faults.add(Fault(action=Delay(seconds=1.0), path="Warehouses*", times=1))
    async with service.signed_in("manager") as slow, service.signed_in("bodega") as quick:
        running = asyncio.create_task(slow.get("/api/catalogos/almacenes"))
        await service.arrived("GET", "Warehouses")
        answer = await quick.get("/api/catalogos/almacenes")
        assert not running.done()
        assert answer.status_code == 200
        assert (await running).status_code == 200


@pytest.mark.asyncio
async def test_one_session_sends_one_call_at_a_time(service: "Service", manager: httpx2.AsyncClient) -> None:
    await asyncio.gather(*(manager.get("/api/catalogos/almacenes?actualizar=true") for _ in range(5)))
    assert max(call.in_flight for call in service.sim.calls) == 1


@pytest.mark.asyncio
async def test_a_running_request_finishes_before_its_session_is_logged_out(service: "Service") -> None:
    service.sim.faults.add(Fault(action=Delay(seconds=0.3), path="Warehouses*", times=1))
    async with service.signed_in() as client:
        cookies = {"Cookie": f"dp_sid={client.cookies['dp_sid']}"}
        running = asyncio.create_task(client.get("/api/catalogos", headers=cookies))
        await service.arrived("GET", "Warehouses")
        assert (await client.post("/api/auth/logout")).status_code == 204
        assert (await running).status_code == 200
        await service.arrived("POST", "Logout")
    assert [call.path for call in service.sim.calls][-1] == "Logout"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"usuario": "a"}, "clave"),
        ({"usuario": "", "clave": "x"}, "usuario"),
        ({"usuario": "a" * 255, "clave": "x"}, "usuario"),
        ({"usuario": "a\n", "clave": "x"}, "usuario"),
        ({"usuario": "a", "clave": "x" * 1025}, "clave"),
        ({"usuario": "a", "clave": "x", "empresa": "y"}, "empresa"),
    ],
)
async def test_a_malformed_login_names_the_field(service: "Service", body: dict[str, str], path: str) -> None:
    async with service.client_at() as client:
        answer = await client.post("/api/auth/login", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_body")
    assert [error["path"] for error in answer.json()["errors"]] == [path]
    assert len(service.sim.calls) == 0


@pytest.mark.asyncio
async def test_insecure_cookies_and_untrusted_headers_give_one_warning_per_minute(
    open_service: "OpenService", sim: Simulator
) -> None:
    async def warned(ip: str, secure: str, **headers: str) -> list[tuple[object, object]]:
        with capture_logs() as logs:
            async with (
                open_service(sim, TRUSTED_PROXIES="10.0.0.1", COOKIE_SECURE=secure) as service,
                service.client_at(ip) as client,
            ):
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                for _ in range(3):
                    await client.get("/api/health", headers=named)
        return [(line["event"], line.get("setting")) for line in logs if line["log_level"] == "warning"]

    cookie, ignored = ("cookie_not_secure", "COOKIE_SECURE"), ("forwarded_headers_ignored", "TRUSTED_PROXIES")
    assert await warned("10.0.0.1", "false", X_Forwarded_Proto="https") == [cookie]
    assert await warned("10.0.0.1", "false", X_Forwarded_Proto="HTTPS") == [cookie]
    assert await warned("10.0.0.1", "true", X_Forwarded_Proto="https") == []
    assert await warned("10.0.0.1", "false", X_Forwarded_Proto="http") == []
    assert await warned("10.0.0.2", "false", X_Forwarded_Proto="https") == [ignored]
    assert await warned("10.0.0.2", "true", Forwarded="for=1.2.3.4") == [ignored]
    assert await warned("10.0.0.2", "true", X_Forwarded_For="1.2.3.4") == [ignored]
    assert await warned("10.0.0.2", "true", X_Forwarded_Host="a.example") == [ignored]
    assert await warned("10.0.0.2", "true") == []
