"""Targets in absolute form mean what they mean without their authority, whatever that names."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

import pytest

from erpsim.process.ports import Listening
from erpsim.service_layer.web_server.request_target import split_target
from erpsim.simulator import Simulator, run_sim

Exchange = Callable[..., Awaitable[bytes]]
LOGIN = b'{"CompanyDB":"SBO_DEMO","UserName":"manager","Password":"erpsim"}'


@pytest.mark.parametrize(
    ("target", "split"),
    [
        ("/b1s/v1/Items?$top=1", ("/b1s/v1/Items", "$top=1")),
        ("http://sap:50000/b1s/v1/Items('A%2F1')?$top=1", ("/b1s/v1/Items('A%2F1')", "$top=1")),
        ("HTTPS://user@[::1]:443/ping/", ("/ping/", "")),
        ("http://sap.example", ("/", "")),
        ("http://sap.example?a=http://x/y", ("/", "a=http://x/y")),
        ("/b1s/v1/Items?next=http://x/y", ("/b1s/v1/Items", "next=http://x/y")),
        ("ftp://sap.example/b1s/v1/Items", ("ftp://sap.example/b1s/v1/Items", "")),
        ("*", ("*", "")),
    ],
)
def test_path_and_query_follow_the_authority(target: str, split: tuple[str, str]) -> None:
    assert split_target(target) == split


@pytest.mark.asyncio
async def test_the_service_layer_accepts_an_absolute_target(exchange: Exchange) -> None:
    async with run_sim(seed="empty") as sim:
        answer = await log_in(exchange, sim, b"POST https://elsewhere.example/b1s/v1/Login HTTP/1.1")
        assert answer.startswith(b"HTTP/1.1 200"), answer
        assert (sim.calls[-1].root, sim.calls[-1].path) == ("/b1s/v1", "Login")
        context: str = json.loads(answer.partition(b"\r\n\r\n")[2])["odata.metadata"]
        assert context.startswith("http://named-by-host/b1s/v1/"), "the address comes from Host alone"


@pytest.mark.asyncio
async def test_the_report_gateway_accepts_an_absolute_target(exchange: Exchange) -> None:
    async with run_sim(seed="empty", listening=Listening(report_gateway_port=0)) as sim:
        gateway = sim.report_gateway
        assert gateway is not None
        port = int(gateway.url.rpartition(":")[2])
        answer = await log_in(exchange, sim, b"POST http://elsewhere.example/login HTTP/1.1", port=port)
        assert answer.startswith(b"HTTP/1.1 200"), answer
        assert gateway.calls[-1].path == "login"


async def log_in(exchange: Exchange, sim: Simulator, first_line: bytes, **more: int) -> bytes:
    """Send a login whose first line is given; return the whole answer."""
    head = first_line + b"\r\nHost: named-by-host\r\nContent-Type: application/json\r\nConnection: close"
    return await exchange(sim, head + b"\r\nContent-Length: %d\r\n\r\n" % len(LOGIN) + LOGIN, **more)
