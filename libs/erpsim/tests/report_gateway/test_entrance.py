"""Login, sessions and rights of the report gateway."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta

import aiohttp
import pytest

from erpsim.company.switches import LostSession, Switches
from erpsim.faults import ExpireSession, Fault
from erpsim.process.ports import Listening, PortTakenError
from erpsim.report_gateway import ReportGateway, run_report_gateway

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
LOGIN = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"}
LIST = "rs/v1/LoadAuthorizedCRList"
FAILED = {
    "code": -1,
    "message": {"lang": "en-us", "value": "Failed to login for current user, please double check and retry"},
}


async def post(gateway: ReportGateway, path: str, **arguments: object) -> tuple[int, bytes, list[str]]:
    """Send one call without any cookie; return status, body and cookies of the answer."""
    async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as client:
        answer = await client.post(f"{gateway.url}/{path}", **arguments)  # type: ignore[arg-type] # as given
        return answer.status, await answer.read(), answer.headers.getall("Set-Cookie", [])


async def test_a_login_answers_two_secure_cookies_without_a_path() -> None:
    async with run_report_gateway(seed="empty") as gateway, aiohttp.ClientSession() as client:
        answer = await client.post(f"{gateway.url}/login", json=LOGIN)
        assert answer.status == 200
        assert await answer.read() == b'{"Version":"0.0.1","SessionTimeout":30}'
        assert answer.headers["CompanyID"]
        first, second = answer.headers.getall("Set-Cookie")
        value = first.removeprefix("Session=")
        assert value.endswith("; Secure; HttpOnly")
        assert second == f"Cookie={value}"
        # The trap: a jar does not send Secure cookies over plain http.
        assert (await client.get(f"{gateway.url}/{LIST}")).status == 401


async def test_over_https_a_cookie_jar_keeps_the_session() -> None:
    async with run_report_gateway(seed="empty", listening=Listening(tls=True)) as gateway:
        trusting = ssl.create_default_context()
        trusting.check_hostname = False
        trusting.verify_mode = ssl.CERT_NONE
        jar = aiohttp.CookieJar(unsafe=True)  # the server has a number, no name
        connector = aiohttp.TCPConnector(ssl=trusting)
        async with aiohttp.ClientSession(cookie_jar=jar, connector=connector) as client:
            assert gateway.url.startswith("https://")
            await client.post(f"{gateway.url}/login", json=LOGIN)
            assert (await client.get(f"{gateway.url}/{LIST}")).status == 200


@pytest.mark.parametrize(
    "wrong", [{"Password": "no"}, {"UserName": "nobody"}, {"CompanyDB": "OTHER"}, {"Password": None}]
)
async def test_a_wrong_login_is_a_200_with_code_minus_1_and_no_cookie(wrong: dict[str, str]) -> None:
    async with run_report_gateway(seed="empty") as gateway, aiohttp.ClientSession() as client:
        answer = await client.post(f"{gateway.url}/login", json=LOGIN | wrong)
        assert (answer.status, await answer.json()) == (200, FAILED)
        assert "Set-Cookie" not in answer.headers
        assert len(gateway.sessions) == 0


async def test_a_configured_db_instance_is_required_and_checked() -> None:
    switches = Switches(report_db_instance="NDB@hana:30013")
    async with run_report_gateway(seed="empty", switches=switches) as gateway:
        _, body, cookies = await post(gateway, "login", json=LOGIN)
        assert (b"DB Instance is required." in body, cookies) == (True, [])
        _, body, cookies = await post(gateway, "login", json=LOGIN | {"DBInstance": "X@hana:30013"})
        assert (b"Failed to login" in body, cookies) == (True, [])
        _, _, cookies = await post(gateway, "login", json=LOGIN | {"DBInstance": "NDB@hana:30013"})
        assert len(cookies) == 2


async def test_an_instance_is_ignored_if_none_is_required() -> None:
    async with run_report_gateway(seed="empty") as gateway:
        assert len((await post(gateway, "login", json=LOGIN | {"DBInstance": "X@h:30013"}))[2]) == 2


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"AccessToken": "x", "CompanyDB": "SBO_DEMO"}'])
async def test_logins_that_no_source_describes_are_refused_loudly(body: bytes) -> None:
    async with run_report_gateway(seed="empty") as gateway:
        status, answer, _ = await post(gateway, "login", data=body)
        assert status == 501
        assert b"erpsim does not simulate" in answer


@pytest.mark.parametrize(
    ("kind", "status"),
    [(LostSession.UNAUTHORIZED, 401), (LostSession.FORBIDDEN, 403), (LostSession.REDIRECT, 302)],
)
async def test_without_a_session_the_response_is_only_a_status(kind: LostSession, status: int) -> None:
    switches = Switches(report_lost_session=kind)
    async with (
        run_report_gateway(seed="empty", switches=switches) as gateway,
        aiohttp.ClientSession() as client,
    ):
        answer = await client.get(f"{gateway.url}/{LIST}", allow_redirects=False)
        assert (answer.status, await answer.read()) == (status, b"")
        assert "WWW-Authenticate" not in answer.headers
        assert ("Location" in answer.headers) is (status == 302)


@pytest.mark.parametrize(
    ("kind", "content_type", "begin"),
    [
        (LostSession.PAGE, "text/html", b"<!DOCTYPE html>"),
        (LostSession.CODE, "application/json", b'{"code":301,'),
    ],
)
async def test_a_lost_session_can_hide_behind_a_200(
    kind: LostSession, content_type: str, begin: bytes
) -> None:
    switches = Switches(report_lost_session=kind)
    async with (
        run_report_gateway(seed="empty", switches=switches) as gateway,
        aiohttp.ClientSession() as client,
    ):
        answer = await client.get(f"{gateway.url}/{LIST}")
        assert (answer.status, answer.content_type) == (200, content_type)
        assert (await answer.read()).startswith(begin)


async def test_following_the_redirect_ends_at_a_page_with_status_200() -> None:
    switches = Switches(report_lost_session=LostSession.REDIRECT)
    async with (
        run_report_gateway(seed="empty", switches=switches) as gateway,
        aiohttp.ClientSession() as client,
    ):
        answer = await client.get(f"{gateway.url}/{LIST}")
        assert (answer.status, answer.content_type) == (200, "text/html")


async def test_both_cookies_are_needed(sign_in: SignIn) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
        both = client.headers["Cookie"]
        for one in both.split("; "):
            assert (await client.get(LIST, headers={"Cookie": one})).status == 401
        assert (await client.get(LIST)).status == 200


@pytest.mark.parametrize(("fails", "statuses"), [(True, (400, 415)), (False, (200, 200))])
async def test_a_logout_ends_the_session_with_any_response(
    fails: bool, statuses: tuple[int, int], sign_in: SignIn
) -> None:
    switches = Switches(report_logout_fails=fails)
    async with run_report_gateway(seed="empty", switches=switches) as gateway:
        for body, status in zip((b"{}", b""), statuses, strict=True):
            async with sign_in(gateway) as client:
                assert (await client.post("logout", data=body)).status == status
                assert (await client.get(LIST)).status == 401
        assert len(gateway.sessions) == 0


async def test_a_failing_logout_returns_the_error_of_its_framework() -> None:
    async with run_report_gateway(seed="empty") as gateway, aiohttp.ClientSession() as client:
        answer = await client.post(f"{gateway.url}/logout", json={})
        value = await answer.json()
        assert (value["status"], value["error"]) == (400, "Bad Request")
        assert value["path"] == "/auth/oidc.logout"


async def test_an_idle_session_expires_after_an_hour(sign_in: SignIn) -> None:
    class Moved:
        at = datetime(2026, 5, 4, 12, tzinfo=UTC)

        def now(self) -> datetime:
            return self.at

    clock = Moved()
    async with run_report_gateway(seed="empty", clock=clock) as gateway, sign_in(gateway) as client:
        clock.at += timedelta(minutes=32)
        assert (await client.get(LIST)).status == 200
        clock.at += timedelta(minutes=61)
        assert (await client.get(LIST)).status == 401


@pytest.mark.parametrize(("everyone", "left"), [(False, 1), (True, 0)])
async def test_a_session_can_be_made_to_end(everyone: bool, left: int, sign_in: SignIn) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client, sign_in(gateway):
        gateway.faults.add(Fault(action=ExpireSession(everyone=everyone), path="rs/v1/*"))
        assert (await client.get(LIST)).status == 401
        assert len(gateway.sessions) == left
        assert (await client.get(LIST)).status == 401


async def test_ending_no_session_is_still_a_401() -> None:
    fault = Fault(action=ExpireSession(), path="rs/v1/*")
    async with run_report_gateway(seed="empty", faults=[fault]) as gateway, aiohttp.ClientSession() as client:
        assert (await client.get(f"{gateway.url}/{LIST}")).status == 401


async def test_a_normal_user_logs_in_but_needs_the_right_to_print(sign_in: SignIn) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway, user="bodega") as client:
        assert (await client.get(LIST)).status == 403
        assert not gateway.calls[-1].worked
        gateway.world.switches = Switches(report_users=frozenset({"bodega"}))
        assert (await client.get(LIST)).status == 200


async def test_addresses_are_case_sensitive_and_methods_are_checked(sign_in: SignIn) -> None:
    async with run_report_gateway(seed="empty") as gateway, sign_in(gateway) as client:
        for method, path, status in (
            ("POST", "Login", 404),
            ("POST", "Logout", 404),
            ("POST", "rs/v1/logout", 404),
            ("POST", LIST, 404),
            ("GET", "login", 405),
            ("GET", "logout", 405),
            ("GET", "", 404),
        ):
            answer = await client.request(method, path)
            assert (answer.status, (await answer.json())["status"]) == (status, status)


async def test_a_taken_port_is_named() -> None:
    async with run_report_gateway(seed="empty") as gateway:
        port = int(gateway.url.rsplit(":", 1)[1])
        with pytest.raises(PortTakenError, match=f"port {port} on 127.0.0.1"):
            async with run_report_gateway(seed="empty", listening=Listening(port=port)):
                raise AssertionError("it opened")
