"""Logging in and out, cookies, sessions."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import time
from collections.abc import Callable, Coroutine
from contextlib import AbstractAsyncContextManager
from typing import Any

import aiohttp
import pytest

from erpsim.company.switches import Switches, WrongLogin
from erpsim.faults import company_unavailable
from erpsim.simulator import run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Exchange = Callable[..., Coroutine[Any, Any, bytes]]


def post(path: str, body: dict[str, Any], *, host: str = "erp:50000", extra: str = "") -> bytes:
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\nConnection: close\r\n{extra}\r\n"
    )
    return head.encode() + content


def login(path: str = "/b1s/v1/Login", *, extra: str = "", **fields: Any) -> bytes:
    body = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"} | fields
    return post(path, body, extra=extra)


def split(answer: bytes) -> tuple[list[str], bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    return head.decode().split("\r\n"), body


def problem(body: bytes) -> tuple[Any, Any]:
    error = json.loads(body)["error"]
    return error["code"], error["message"]


async def test_a_login_answers_200_with_both_cookies_exactly_as_seen_on_the_wire(exchange: Exchange) -> None:
    async with run_sim() as sim:
        lines, body = split(await exchange(sim, login()))
        session_id = json.loads(body)["SessionId"]
        assert lines[0] == "HTTP/1.1 200 OK"
        assert f"Set-Cookie: B1SESSION={session_id};HttpOnly;" in lines
        assert "Set-Cookie: ROUTEID=.node1; path=/b1s" in lines
        assert "Content-Type: application/json;odata=minimalmetadata;charset=utf-8" in lines
        assert "DataServiceVersion: 3.0" in lines
        assert any(re.fullmatch(r"Server: Apache/2\.4\.\d+ \(Unix\)", line) for line in lines)
        assert body.decode() == (
            "{\n"
            '   "odata.metadata" : "http://erp:50000/b1s/v1/$metadata#B1Sessions/@Element",\n'
            f'   "SessionId" : "{session_id}",\n'
            '   "Version" : "1000340",\n'
            '   "SessionTimeout" : 30\n'
            "}\n"
        )


async def test_a_v2_login_has_its_own_context_and_version_header(exchange: Exchange) -> None:
    async with run_sim() as sim:
        lines, body = split(await exchange(sim, login("/b1s/v2/Login")))
        assert "OData-Version: 4.0" in lines
        assert "Content-Type: application/json;odata.metadata=minimal;charset=utf-8" in lines
        assert json.loads(body)["@odata.context"] == "http://erp:50000/b1s/v2/$metadata#B1Sessions/$entity"


async def test_newer_builds_mark_the_cookies_as_secure(exchange: Exchange) -> None:
    async with run_sim(switches=Switches(secure_cookies=True)) as sim:
        lines, _ = split(await exchange(sim, login()))
        cookies = [line for line in lines if line.startswith("Set-Cookie")]
        assert all("Secure; SameSite=None" in cookie for cookie in cookies)


async def test_a_path_aware_cookie_jar_separates_v1_and_v2() -> None:
    """The session cookie has no path, so a jar takes the folder of the login for it."""
    async with run_sim() as sim, aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as jar:
        body = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"}
        await jar.post(f"{sim.url}/Login", json=body)
        assert (await jar.get(f"{sim.url}/Items?$top=1")).status == 200
        assert (await jar.get(f"{sim.url_v2}/Items?$top=1")).status == 401


@pytest.mark.parametrize(
    ("path", "code", "message"),
    [
        ("/b1s/v1/Login", 100000027, {"lang": "en-us", "value": "Login failed"}),
        ("/b1s/v2/Login", "100000027", "Login failed"),
    ],
)
async def test_a_wrong_password_is_401_and_sets_a_route(
    exchange: Exchange, path: str, code: object, message: object
) -> None:
    async with run_sim() as sim:
        lines, body = split(await exchange(sim, login(path, Password="no")))
        assert lines[0] == "HTTP/1.1 401 Unauthorized"
        assert problem(body) == (code, message)
        assert [line for line in lines if line.startswith("Set-Cookie")] == [
            "Set-Cookie: ROUTEID=.node1; path=/b1s"
        ]


async def test_older_builds_have_another_message_for_a_wrong_password(exchange: Exchange) -> None:
    async with run_sim(switches=Switches(wrong_login=WrongLogin.SLD)) as sim:
        lines, body = split(await exchange(sim, login(UserName="nobody")))
        assert lines[0].endswith("401 Unauthorized")
        assert problem(body) == (-304, {"lang": "en-us", "value": "Fail to get DB Credentials from SLD"})


async def test_a_wrong_login_takes_longer_than_a_correct_one(exchange: Exchange) -> None:
    async with run_sim(switches=Switches(wrong_login_delay_s=60)) as sim:
        wrong = asyncio.create_task(exchange(sim, login(Password="no")))
        while sim.calls.in_flight == 0:  # noqa: ASYNC110 - nobody tells us that it arrived
            await asyncio.sleep(0.01)
        assert (await exchange(sim, login())).startswith(b"HTTP/1.1 200 OK")
        assert not wrong.done()
        wrong.cancel()


async def test_the_delay_of_a_wrong_login_ends_in_its_refusal(exchange: Exchange) -> None:
    async with run_sim(switches=Switches(wrong_login_delay_s=0.2)) as sim:
        started = time.monotonic()
        assert (await exchange(sim, login(Password="no"))).startswith(b"HTTP/1.1 401 ")
        assert time.monotonic() - started >= 0.2


async def test_an_unknown_company_is_500_with_305(exchange: Exchange) -> None:
    async with run_sim() as sim:
        lines, body = split(await exchange(sim, login(CompanyDB="OTHER")))
        assert lines[0].startswith("HTTP/1.1 500 ")
        assert problem(body) == (305, {"lang": "en-us", "value": "Switch company error: -5027"})


async def test_an_unavailable_company_answers_500_with_305(exchange: Exchange) -> None:
    async with run_sim(faults=[company_unavailable(times=2)]) as sim:
        for _ in range(2):
            lines, body = split(await exchange(sim, login()))
            assert lines[0].startswith("HTTP/1.1 500 ")
            assert problem(body) == (305, {"lang": "en-us", "value": "Switch company error: -1102"})
        lines, _ = split(await exchange(sim, login()))
        assert lines[0] == "HTTP/1.1 200 OK"


async def test_a_switch_makes_the_company_unavailable(exchange: Exchange) -> None:
    async with run_sim(switches=Switches(company_error=-8004)) as sim:
        lines, body = split(await exchange(sim, login()))
        assert lines[0].startswith("HTTP/1.1 500 ")
        assert problem(body)[0] == 305


async def test_an_expect_header_gets_an_empty_500_and_a_closed_connection(exchange: Exchange) -> None:
    async with run_sim() as sim:
        lines, body = split(await exchange(sim, login(extra="Expect: 100-continue\r\n")))
        assert lines[0] == "HTTP/1.1 500 Internal Server Error"
        assert {"Content-Length: 0", "Connection: close", "Set-Cookie: ROUTEID=.node1; path=/b1s"} <= set(
            lines
        )
        assert body == b""
        assert len(sim.sessions) == 0


async def test_an_expect_header_works_if_switched_on(exchange: Exchange) -> None:
    async with run_sim(switches=Switches(expect_fails=False)) as sim:
        answer = await exchange(sim, login(extra="Expect: 100-continue\r\n"))
        assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "path",
    ["/b1s/v1/login", "/b1s/v1/Items", "/b1s/v1/Nonsense", "/b1s/v1/$metadata", "/b1s/v1/$batch", "/b1s/v1"],
)
async def test_without_a_session_every_address_answers_401(exchange: Exchange, path: str) -> None:
    async with run_sim() as sim:
        lines, body = split(await exchange(sim, post(path, {})))
        assert lines[0] == "HTTP/1.1 401 Unauthorized"
        assert problem(body) == (
            301,
            {"lang": "en-us", "value": "Invalid session or session already timeout."},
        )
        assert f"WWW-Authenticate: Basic realm={path}{'/' if path == '/b1s/v1' else ''}" in lines


async def test_a_call_may_carry_basic_credentials(exchange: Exchange) -> None:
    def call(text: str) -> bytes:
        basic = base64.b64encode(text.encode()).decode()
        head = f"GET /b1s/v1/Items/$count HTTP/1.1\r\nHost: x\r\nAuthorization: Basic {basic}\r\n"
        return f"{head}Connection: close\r\n\r\n".encode()

    user = json.dumps({"UserName": "manager", "CompanyDB": "SBO_DEMO"})
    async with run_sim() as sim:
        for text, status in ((f"{user}:erpsim", 200), (f"{user}:no", 401), ("manager:erpsim", 401)):
            lines, _ = split(await exchange(sim, call(text)))
            assert lines[0].split()[1] == str(status)
        assert len(sim.sessions) == 0


async def test_before_10_00_210_v2_refuses_in_the_shape_of_v1(exchange: Exchange) -> None:
    async with run_sim(switches=Switches(version="1000200")) as sim:
        _, body = split(await exchange(sim, post("/b1s/v2/login", {})))
        assert json.loads(body)["error"]["code"] == 301


async def test_v2_writes_the_code_as_a_string_with_details_and_no_annotated_type(exchange: Exchange) -> None:
    async with run_sim() as sim:
        lines, body = split(await exchange(sim, post("/b1s/v2/login", {})))
        assert "Content-Type: application/json;charset=utf-8" in lines
        assert json.loads(body) == {
            "error": {
                "code": "301",
                "details": [{"code": "", "message": ""}],
                "message": "Invalid session or session already timeout.",
            }
        }


async def test_a_header_allows_metadata_without_a_session() -> None:
    async with run_sim() as sim, aiohttp.ClientSession() as client:
        answer = await client.get(f"{sim.url}/$metadata", headers={"B1S-MetadataWithoutSession": "true"})
        assert answer.status == 200
        assert "EntityContainer" in await answer.text()


async def test_an_idle_session_expires_and_use_extends_it(sign_in: SignIn, clock: Any) -> None:
    async with run_sim(clock=clock, switches=Switches(idle_timeout_s=60)) as sim, sign_in(sim) as client:
        for _ in range(3):
            clock.move(59)
            assert (await client.get("Items?$top=1")).status == 200
        clock.move(61)
        assert (await client.get("Items?$top=1")).status == 401
        assert len(sim.sessions) == 0


async def test_a_logout_ends_the_session_with_204(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.post("Logout")
        assert answer.status == 204
        assert await answer.read() == b""
        assert (await client.get("Items?$top=1")).status == 401


async def test_one_session_cookie_works_for_both_versions(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        answer = await client.get(f"{sim.url_v2}/Items?$top=1")
        assert answer.status == 200
        assert "@odata.context" in await answer.json(content_type=None)


async def test_spanish_sessions_get_spanish_texts_with_equal_codes(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim, language=25) as client:
        answer = await client.get("Items('NOPE')")
        assert answer.status == 404
        assert problem(await answer.read()) == (
            -2028,
            {"lang": "en-us", "value": "No existen registros coincidentes (ODBC -2028)"},
        )


async def timed_reads(client: aiohttp.ClientSession, number: int) -> float:
    started = time.monotonic()
    answers = await asyncio.gather(*(client.get("Items?$top=1") for _ in range(number)))
    assert [answer.status for answer in answers] == [200] * number
    return time.monotonic() - started


async def test_parallel_calls_of_one_session_are_serialized_with_a_penalty(sign_in: SignIn) -> None:
    async with run_sim(switches=Switches(parallel_penalty_s=0.2)) as sim, sign_in(sim) as client:
        assert await timed_reads(client, 4) >= 0.6
        assert sim.calls.max_in_flight_of_a_session == 4


async def test_parallel_calls_of_several_sessions_do_not_pay(sign_in: SignIn) -> None:
    async with (
        run_sim(switches=Switches(parallel_penalty_s=60)) as sim,
        sign_in(sim) as one,
        sign_in(sim) as two,
    ):
        async with asyncio.timeout(30):
            await asyncio.gather(one.get("Items?$top=1"), two.get("Items?$top=1"))
        assert sim.calls.max_in_flight_of_a_session == 1


async def test_calls_queued_on_an_ended_session_get_401(sign_in: SignIn) -> None:
    async with run_sim(switches=Switches(parallel_penalty_s=0.1)) as sim, sign_in(sim) as client:
        answers = await asyncio.gather(client.post("Logout"), client.get("Items?$top=1"))
        assert sorted(answer.status for answer in answers) == [204, 401]


async def test_cookies_may_come_in_several_headers(exchange: Exchange, sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        session, route = client.headers["Cookie"].split("; ")
        head = "GET /b1s/v1/Items?$top=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        answer = await exchange(sim, f"{head}Cookie: {route}\r\nCookie: {session}\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
        assert b"Set-Cookie" not in answer


async def test_recorded_calls_contain_no_password_and_no_cookie(exchange: Exchange, sign_in: SignIn) -> None:
    async with run_sim() as sim:
        await exchange(sim, login())
        await exchange(sim, login("/b1s/v1/login"))
        async with sign_in(sim) as client:
            await client.get("Items?$top=1")
            session_cookie = client.headers["Cookie"].split(";")[0].split("=")[1]
        shown = repr(list(sim.calls))
        assert 'erpsim"' not in shown
        assert session_cookie not in shown
        assert sim.calls[-1].session == 2
        assert sim.calls[-1].user == "manager"
