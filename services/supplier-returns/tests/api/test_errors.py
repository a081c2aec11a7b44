"""Every error has the same body format, and no secret is leaked."""

import json
from io import StringIO
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from erpsim.faults import Answer, BadGateway, Delay, Fault, Refuse
from erpsim.simulator import Simulator
from servicekit.logs import LogSettings, configure_logging

if TYPE_CHECKING:
    from tests.api.conftest import OpenService, Service

SENTINEL = "canary-7f3a-password"
MEMBERS = {"type", "title", "status", "detail", "message", "code", "requestId"}


@pytest.fixture
def log() -> StringIO:
    """All log lines at the lowest level. Request this fixture before the application is opened."""
    stream = StringIO()
    configure_logging(LogSettings(level="DEBUG"), stream=stream)
    return stream


def events(log: StringIO, name: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [line for line in lines if line["event"] == name]


def check(answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    assert answer.status_code == status, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = answer.json()
    assert set(body) >= MEMBERS
    assert (body["type"], body["status"], body["code"]) == ("about:blank", status, code)
    assert body["message"] == body["detail"]
    assert body["requestId"] == answer.headers["X-Request-ID"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Server" not in answer.headers
    if status in (429, 503):
        assert int(answer.headers["Retry-After"]) > 0
    return body


@pytest.mark.asyncio
async def test_every_error_has_the_same_body_format(service: "Service", manager: httpx2.AsyncClient) -> None:
    json_type = {"Content-Type": "application/json"}
    check(await manager.get("/nowhere"), 404, "not_found")
    check(await manager.get("/api"), 404, "not_found")
    refused = await manager.request("DELETE", "/api/health")
    check(refused, 405, "method_not_allowed")
    assert refused.headers["Allow"] == "GET, HEAD"
    for body, code in (
        (b"{", "malformed_json"),
        (b'{"simular":NaN}', "malformed_json"),
        (b'{"x":1}', "invalid_body"),
    ):
        check(await manager.post("/api/metadata/rebuild", content=body, headers=json_type), 400, code)
    large = b'{"simular": true, "x": "' + b"x" * 1024 * 1024 + b'"}'
    check(
        await manager.post("/api/metadata/rebuild", content=large, headers=json_type), 413, "body_too_large"
    )
    check(await manager.get("/api/catalogos?x=1"), 400, "invalid_query")
    check(await manager.post("/api/auth/logout", headers={"Origin": "null"}), 403, "origin_forbidden")
    check(await manager.post("/api/auth/logout", content=b"x"), 415, "unsupported_media_type")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("action", "status", "code"),
    [
        (Refuse(status=403, code=-5006, text="no"), 403, "erp_forbidden"),
        (Answer(status=503), 503, "upstream_busy"),
    ],
    ids=["refused", "busy"],
)
async def test_erp_errors_have_the_same_body_format(
    service: "Service", manager: httpx2.AsyncClient, action: Any, status: int, code: str
) -> None:
    service.sim.faults.add(Fault(action=action, path="Warehouses*", times=2))
    body = check(await manager.get("/api/catalogos/almacenes"), status, code)
    if isinstance(action, Refuse):
        assert body["upstream"] == {"code": action.code, "message": "no"}
    service.sim.faults.clear()
    assert (await manager.get("/api/catalogos/almacenes")).status_code == 200


@pytest.mark.asyncio
async def test_a_slow_erp_is_a_timeout(open_service: "OpenService", sim: Simulator) -> None:
    async with open_service(sim, SL_TIMEOUT="2") as service, service.signed_in() as client:
        sim.faults.add(Fault(action=Delay(seconds=3.0), path="Warehouses*"))
        check(await client.get("/api/catalogos/almacenes"), 504, "upstream_timeout")


@pytest.mark.asyncio
async def test_upstream_calls_are_in_the_log_line_and_carry_the_request_id(
    log: StringIO, open_service: "OpenService", sim: Simulator
) -> None:
    async with open_service(sim) as service, service.signed_in() as client:
        answer = await client.get("/api/catalogos/almacenes", headers={"X-Request-ID": "req-7"})
    assert answer.headers["X-Request-ID"] == "req-7"
    assert "upstream;dur=" in answer.headers["Server-Timing"]
    assert sim.calls.of("GET", "Warehouses")[0].headers["x-request-id"] == "req-7"
    line = events(log, "request_finished")[-1]
    assert (line["user"], line["route"], line["upstream_calls"]) == (
        "manager",
        "/api/catalogos/almacenes",
        1,
    )


@pytest.mark.asyncio
async def test_a_slow_call_is_logged_as_a_warning(
    log: StringIO, open_service: "OpenService", sim: Simulator
) -> None:
    async with open_service(sim) as service, service.signed_in() as client:
        sim.faults.add(Fault(action=Delay(seconds=2.1), path="Warehouses*"))
        await client.get("/api/catalogos/almacenes")
    (slow,) = events(log, "upstream_call_slow")
    assert (slow["level"], slow["resource"]) == ("warning", "Warehouses")
    assert slow["duration_s"] > 2


@pytest.mark.asyncio
async def test_every_4xx_and_5xx_is_logged(
    log: StringIO, open_service: "OpenService", sim: Simulator
) -> None:
    async with open_service(sim) as service, service.client_at() as client:
        await client.get("/nowhere")
        await client.get("/api/auth/me")
        sim.faults.add(Fault(action=BadGateway(), path="Login"))
        await service.log_in(client)
    lines = [(line["status"], line["code"]) for line in events(log, "request_finished")]
    assert lines == [(404, "not_found"), (401, "session_required"), (502, "upstream_failed")]


@pytest.mark.asyncio
async def test_passwords_and_cookies_are_in_no_log_line_and_no_response(
    log: StringIO, open_service: "OpenService", sim: Simulator
) -> None:
    texts: list[str] = []
    async with open_service(sim) as service, service.client_at() as client:
        for body in (
            {"usuario": "bodega", "clave": SENTINEL},
            {"usuario": "bodega", "clave": SENTINEL, "otra": SENTINEL},
            {"usuario": 5, "clave": SENTINEL},
            {"clave": SENTINEL},
        ):
            texts.append((await client.post("/api/auth/login", json=body)).text)  # noqa: PERF401 - one by one
        sim.faults.add(Fault(action=BadGateway(), path="Login"))
        texts.append((await service.log_in(client, "bodega", SENTINEL)).text)
        assert (await service.log_in(client, "bodega")).status_code == 200
        token = client.cookies["dp_sid"]
        sim.faults.add(Fault(action=BadGateway(), path="Warehouses*"))
        texts.append((await client.get("/api/catalogos/almacenes")).text)
        session = service.components.sessions.authenticate([token])
        texts += [repr(session), repr(session.erp), repr(service.components.login)]
    everything = "\n".join([*texts, log.getvalue()])
    assert events(log, "request_finished")
    for secret in (SENTINEL, token, "B1SESSION"):
        assert secret not in everything
