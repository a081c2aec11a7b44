"""Every way to fail has the one body and the common headers; one request for each status."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
import pytest_asyncio
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.app import list_endpoints
from erp_gateway.web.access import Access, Guard
from erpsim.faults import Delay, Fault, Refuse
from servicekit.endpoint import AppSettings, Endpoint, create_app

if TYPE_CHECKING:
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

STALE = 'W/"0000000000000000000000000000000000000000"'
BODY_MEMBERS = {"type", "title", "status", "detail", "message", "code", "requestId"}
MORE_MEMBERS = {"errors", "upstream", "option", "position", "expected", "found"}

REQUESTS: list[tuple[str, str, dict[str, Any], int, str]] = [
    ("GET", "/api/sl/Items?$apply=x", {}, 400, "odata_unknown_option"),
    ("GET", "/api/sl/Items?$select=Nonsense", {}, 400, "upstream_rejected"),
    ("GET", "/api/sl/Items/%FF", {}, 400, "invalid_path"),
    ("GET", "/api/audit?pageSize=many", {}, 400, "invalid_query"),
    ("POST", "/api/sl/Orders", {"content": b"{"}, 400, "malformed_json"),
    ("PUT", "/api/permissions/luis", {"json": {"paths": ["//"]}}, 400, "invalid_body"),
    ("GET", "/api/auth/me", {"headers": {"Authorization": "Bearer no"}}, 401, "session_required"),
    ("GET", "/api/nothing", {}, 404, "not_found"),
    ("GET", "/api/sl/EmployeesInfo", {}, 404, "resource_not_registered"),
    ("GET", "/api/sl/Orders/999999", {}, 404, "record_not_found"),
    ("DELETE", "/api/sl/Orders/1", {}, 405, "method_not_allowed"),
    ("DELETE", "/api/permissions/ana", {}, 409, "last_administrator"),
    ("PATCH", "/api/sl/Orders/1", {"json": {}, "headers": {"If-Match": STALE}}, 412, "stale_etag"),
    ("POST", "/api/sl/Orders", {"content": b"x" * 1_100_000}, 413, "body_too_large"),
    (
        "POST",
        "/api/sl/Orders",
        {"content": b"{}", "headers": {"Content-Type": "text/csv"}},
        415,
        "unsupported_media_type",
    ),
    ("GET", "/api/gateway/registry", {}, 503, "not_configured"),
]


def check_body(answer: httpx2.Response, status: int, code: str) -> None:
    body = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code), answer.text
    assert body.keys() >= BODY_MEMBERS
    assert body.keys() <= BODY_MEMBERS | MORE_MEMBERS
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert body["message"] == body["detail"] != ""
    assert body["requestId"] == answer.headers["X-Request-ID"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"]
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "server" not in answer.headers
    for secret in ("127.0.0.1", "Traceback", "erpsim", "SELECT ", ".py"):
        assert secret not in answer.text


@pytest_asyncio.fixture
async def ana(gateway: "Gateway") -> AsyncIterator[httpx2.AsyncClient]:
    client = gateway.client_at("10.0.0.7")
    client.headers.update(await gateway.signed_in())
    async with client:
        yield client


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "sent", "status", "code"), REQUESTS, ids=lambda value: str(value)[:40]
)
async def test_each_refusal_has_the_standard_error_body(
    ana: httpx2.AsyncClient, method: str, path: str, sent: dict[str, Any], status: int, code: str
) -> None:
    headers = {"Content-Type": "application/json"} if "content" in sent else {}
    answer = await ana.request(method, path, **{**sent, "headers": headers | sent.get("headers", {})})
    check_body(answer, status, code)
    assert (status == 405) == ("Allow" in answer.headers)
    assert (status == 401) == ("WWW-Authenticate" in answer.headers)
    assert (status in (429, 503)) == ("Retry-After" in answer.headers)


@pytest.mark.asyncio
async def test_an_erp_failure_has_the_standard_error_body(ana: httpx2.AsyncClient, sim: "Simulator") -> None:
    sim.faults.add(Fault(action=Refuse(status=503, code=-1, text="x"), path="Items"))
    answer = await ana.get("/api/sl/Items")
    check_body(answer, 503, "upstream_busy")
    assert "Retry-After" in answer.headers


@pytest.mark.check
@pytest.mark.asyncio
async def test_denied_throttled_and_timed_out_requests_have_the_standard_error_body(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, ERP_SL_TIMEOUT="6") as gateway:
        luis = await gateway.signed_in("luis")
        check_body(await gateway.http.get("/api/audit", headers=luis), 403, "permission_denied")
        sim.faults.add(Fault(action=Delay(seconds=7), path="Items"))
        check_body(await gateway.http.get("/api/sl/Items", headers=luis), 504, "upstream_timeout")
        answers = [await gateway.log_in("diego", "wrong") for _ in range(6)]
        check_body(answers[0], 401, "invalid_credentials")
        check_body(answers[-1], 429, "too_many_attempts")
        assert int(answers[-1].headers["Retry-After"]) > 0


@pytest.mark.asyncio
async def test_an_internal_error_response_reveals_no_details(gateway: "Gateway") -> None:
    async def crash(_: Request) -> Response:
        password = "canary-in-a-local"
        raise RuntimeError(f"no {len(password)} at /secret/path.py")

    parts = gateway.components
    endpoint = Endpoint("GET", "/api/crash", crash, access=Access.PUBLIC, summary="x", responses={})
    app = create_app(
        [*list_endpoints(parts), endpoint],
        guard=Guard(parts.sessions, parts.permissions, parts.recorder, parts.recheck.schedule),
        settings=AppSettings(),
    )
    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(app=app), base_url="http://gateway"
    ) as client:
        answer = await client.get("/api/crash")
    check_body(answer, 500, "internal_error")
    assert "secret" not in answer.text


@pytest.mark.asyncio
async def test_the_request_id_and_trace_context_are_sent_upstream(
    ana: httpx2.AsyncClient, sim: "Simulator"
) -> None:
    parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    answer = await ana.get(
        "/api/sl/Items?$top=1", headers={"traceparent": parent, "X-Request-ID": "one.two-3"}
    )
    assert answer.status_code == 200
    assert sim.calls[-1].headers["traceparent"] == parent
    assert sim.calls[-1].headers["x-request-id"] == "one.two-3"
    odd = await ana.get("/api/sl/Items?$top=2", headers={"traceparent": "nonsense", "X-Request-ID": "a b"})
    assert odd.headers["X-Request-ID"] != "a b"
    assert sim.calls[-1].headers["x-request-id"] == odd.headers["X-Request-ID"]
    assert "traceparent" not in sim.calls[-1].headers
