"""Pages that may write or read through a browser."""

import gzip
import re
from typing import TYPE_CHECKING

import httpx2
import pytest

from erpsim.simulator import Simulator
from supplier_returns.app import list_endpoints

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

FRONTEND = "http://localhost:4200"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("headers", "allowed"),
    [
        ({}, True),
        ({"Origin": "http://returns"}, True),
        ({"Origin": "HTTP://Returns:80"}, True),
        ({"Origin": FRONTEND}, True),
        ({"Origin": "https://returns"}, False),
        ({"Origin": "http://returns:8080"}, False),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "null"}, False),
        ({"Origin": ""}, False),
        ({"Origin": "http://returns/"}, False),
        ({"Sec-Fetch-Site": "same-origin"}, True),
        ({"Sec-Fetch-Site": "none"}, True),
        ({"Sec-Fetch-Site": "same-site"}, False),
        ({"Sec-Fetch-Site": "cross-site"}, False),
        ({"Origin": "http://returns", "Sec-Fetch-Site": "cross-site"}, True),
    ],
)
async def test_only_pages_of_the_same_origin_and_programs_may_write(
    open_service: "OpenService", sim: Simulator, headers: dict[str, str], *, allowed: bool
) -> None:
    async with open_service(sim, WEB_ORIGIN=FRONTEND) as service, service.signed_in() as client:
        for method, path in (("POST", "/api/metadata/rebuild"), ("POST", "/api/auth/logout")):
            body = {"simular": True} if path.endswith("rebuild") else None
            answer = await client.request(method, path, json=body, headers=headers)
            if allowed:
                assert answer.status_code in (200, 204)
            else:
                assert (answer.status_code, answer.json()["code"]) == (403, "origin_forbidden")


@pytest.mark.asyncio
async def test_two_origin_headers_are_refused(service: "Service") -> None:
    async with service.client_at() as client:
        headers = [("Origin", "http://returns"), ("Origin", "http://returns")]
        answer = await client.post("/api/auth/logout", headers=headers)
    assert answer.status_code == 403


@pytest.mark.asyncio
async def test_behind_a_trusted_proxy_the_own_origin_is_that_of_the_browser(
    open_service: "OpenService", sim: Simulator
) -> None:
    forwarded = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "erp.example.cl:8443"}
    async with (
        open_service(sim, TRUSTED_PROXIES="10.0.0.1") as service,
        service.client_at("10.0.0.1") as proxy,
        service.client_at("10.0.0.2") as stranger,
    ):
        for client, status in ((proxy, 204), (stranger, 403)):
            headers = {**forwarded, "Origin": "https://erp.example.cl:8443"}
            assert (await client.post("/api/auth/logout", headers=headers)).status_code == status


@pytest.mark.asyncio
async def test_reads_are_allowed_from_any_origin(service: "Service", manager: httpx2.AsyncClient) -> None:
    answer = await manager.get("/api/auth/me", headers={"Origin": "http://evil.example"})
    assert answer.status_code == 200
    assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.asyncio
async def test_a_body_must_be_json_and_an_empty_body_needs_no_type(service: "Service") -> None:
    async with service.signed_in() as client:
        for path in ("/api/auth/login", "/api/auth/logout", "/api/metadata/rebuild"):
            answer = await client.post(path, content=b"{}", headers={"Content-Type": "text/plain"})
            assert (answer.status_code, answer.json()["code"]) == (415, "unsupported_media_type"), path
        assert (await client.post("/api/metadata/rebuild")).status_code == 200
        assert (await client.post("/api/auth/logout")).status_code == 204


@pytest.mark.asyncio
async def test_only_the_configured_origin_may_read_with_the_cookie(
    open_service: "OpenService", sim: Simulator
) -> None:
    async with open_service(sim, WEB_ORIGIN=FRONTEND + "/") as service, service.client_at() as client:
        for origin, allowed in ((FRONTEND, True), ("http://localhost:4201", False), (None, False)):
            headers = {} if origin is None else {"Origin": origin}
            for path in ("/api/health", "/api/auth/me", "/nowhere"):
                answer = await client.get(path, headers=headers)
                assert answer.headers["Vary"] == "Origin"
                assert answer.headers.get("Access-Control-Allow-Origin") == (origin if allowed else None)
                assert ("Access-Control-Allow-Credentials" in answer.headers) is allowed


@pytest.mark.asyncio
async def test_only_a_preflight_of_the_configured_origin_is_answered(
    open_service: "OpenService", sim: Simulator
) -> None:
    ask = {"Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "content-type"}
    async with open_service(sim, WEB_ORIGIN=FRONTEND) as service, service.client_at() as client:
        path = "/api/metadata/rebuild"
        good = await client.options(path, headers={**ask, "Origin": FRONTEND})
        assert good.status_code == 204
        assert good.headers["Access-Control-Allow-Methods"] == "GET, POST, PATCH"
        assert good.headers["Access-Control-Allow-Origin"] == FRONTEND
        assert good.headers["X-Content-Type-Options"] == "nosniff"
        bad = await client.options(path, headers={**ask, "Origin": "http://evil.example"})
        assert (bad.status_code, bad.headers["Allow"]) == (405, "POST")
        plain = await client.options(path, headers={"Origin": FRONTEND})
        assert plain.status_code == 405


@pytest.mark.asyncio
async def test_without_a_configured_origin_there_is_no_cors(service: "Service") -> None:
    async with service.client_at() as client:
        answer = await client.get("/api/health", headers={"Origin": FRONTEND})
    assert not [name for name in answer.headers if name.startswith("access-control") or name == "vary"]


@pytest.mark.asyncio
async def test_every_writing_route_refuses_pages_of_other_sites(service: "Service") -> None:
    async with service.signed_in() as client:
        before = len(service.sim.calls)
        unsafe = [each for each in list_endpoints(service.components) if each.method not in ("GET", "HEAD")]
        for each in unsafe:
            path = each.path.replace("{", "").replace("}", "")
            answer = await client.request(each.method, path, headers={"Origin": "https://evil.example"})
            assert (answer.status_code, answer.json()["code"]) == (403, "origin_forbidden"), path
        assert len(unsafe) > 10
        assert len(service.sim.calls) == before


@pytest.mark.asyncio
async def test_every_route_refuses_bodies_other_than_json(service: "Service") -> None:
    async with service.signed_in() as client:
        before = len(service.sim.calls)
        for each in list_endpoints(service.components):
            if each.request is None:
                continue
            path = re.sub(r"\{[^}]+\}", "1", each.path)
            for kind in (
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
            ):
                answer = await client.request(
                    each.method, path, content=b'{"a": 1}', headers={"Content-Type": kind}
                )
                assert answer.status_code == 415, (path, kind, answer.text)
            for coding in ("gzip", "Identity, BR"):
                encoded = {"Content-Type": "application/json", "Content-Encoding": coding}
                answer = await client.request(
                    each.method, path, content=gzip.compress(b"{}"), headers=encoded
                )
                assert answer.status_code == 415, (path, coding, answer.text)
                assert "Content-Encoding" in answer.json()["message"]
        assert len(service.sim.calls) == before
