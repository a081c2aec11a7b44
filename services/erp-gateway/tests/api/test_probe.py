"""`/api/system/probe`: what of a request reached the service, told to administrators."""

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import httpx2
    from tests.api.conftest import Gateway, OpenGateway

    from erpsim.simulator import Simulator

pytestmark = pytest.mark.asyncio

FORGED = {
    "X-Forwarded-For": "192.0.2.66",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "erp.example.com",
    "X-Forwarded-Prefix": "/x",
    "X-Real-IP": "",
}


def seen(answer: "httpx2.Response") -> dict[str, Any]:
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def test_the_target_is_told_as_it_came(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    assert seen(await gateway.http.get("/api/system/probe", headers=ana)) == {
        "target": "/api/system/probe",
        "client": "10.0.0.7",
        "peer": "10.0.0.7",
        "scheme": "http",
        "host": "gateway",
        "prefix": "",
        "forwarded": [],
        "bodyBytes": 0,
    }
    for key in ("A%2F1", "A%252F1", "D%27Angelo", "O''Brien", "A%00B", "%C3%B1%20%2B+", "%zz"):
        path = f"/api/system/probe/{key}"
        assert seen(await gateway.http.get(path, headers=ana))["target"] == path
    path = "/api/system/probe?espera=0"
    assert seen(await gateway.http.get(path, headers=ana))["target"] == path


async def test_what_forwarded_headers_say_counts_from_trusted_proxies_alone(
    open_gateway: "OpenGateway", sim: "Simulator"
) -> None:
    async with open_gateway(sim, TRUSTED_PROXIES="10.0.0.9/32") as gateway:
        headers = {**await gateway.signed_in(), **FORGED}
        untrusted = seen(await gateway.http.get("/api/system/probe", headers=headers))
        async with gateway.client_at("10.0.0.9") as proxy:
            trusted = seen(await proxy.get("/api/system/probe", headers=headers))
    names = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-prefix", "x-forwarded-proto"]
    assert untrusted["forwarded"] == trusted["forwarded"] == names
    told = ("client", "peer", "scheme", "host", "prefix")
    assert [untrusted[name] for name in told] == ["10.0.0.7", "10.0.0.7", "http", "gateway", ""]
    assert [trusted[name] for name in told] == ["192.0.2.66", "10.0.0.9", "https", "erp.example.com", "/x"]


async def test_a_body_is_counted_and_not_looked_at(gateway: "Gateway") -> None:
    headers = {**await gateway.signed_in(), "Content-Type": "application/json"}
    for body in (b"", b"{", b"x" * 100_000):
        answer = await gateway.http.post("/api/system/probe", content=body, headers=headers)
        assert seen(answer)["bodyBytes"] == len(body)


async def test_events_are_told_one_after_another_then_what_was_seen(gateway: "Gateway") -> None:
    headers = {**await gateway.signed_in(), "Accept": "text/event-stream"}
    answer = await gateway.http.get("/api/system/probe", headers=headers)
    assert answer.headers["X-Accel-Buffering"] == "no"
    events = [part.split("\n") for part in answer.text.strip().split("\n\n")]
    assert [name for name, _ in events] == ["event: progreso"] * 4 + ["event: resultado"]
    told = [json.loads(data.removeprefix("data: ")) for _, data in events]
    assert [each["number"] for each in told[:-1]] == [1, 2, 3, 4]
    assert told[-1]["target"] == "/api/system/probe"


async def test_it_keeps_silent_for_as_long_as_it_is_told(gateway: "Gateway") -> None:
    ana = await gateway.signed_in()
    started = asyncio.get_running_loop().time()
    seen(await gateway.http.get("/api/system/probe?espera=1", headers=ana))
    assert asyncio.get_running_loop().time() - started >= 1


@pytest.mark.parametrize("wait", ["301", "-1", "1.5", "x", "9999", "", "%C2%B2"])
async def test_a_wait_that_is_none_is_refused(gateway: "Gateway", wait: str) -> None:
    answer = await gateway.http.get(f"/api/system/probe?espera={wait}", headers=await gateway.signed_in())
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_query")
    assert answer.json()["errors"] == [{"path": "espera", "message": "Debe ser un entero de 0 a 300."}]
