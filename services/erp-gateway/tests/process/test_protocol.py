"""HTTP/1.1 alone on every port of the gateway, request targets in every form, clients that leave."""

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from erpsim.faults import Delay, Fault
from servicekit.testing.ports import free_port

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

    from erpsim.simulator import Simulator

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
UPGRADES = (
    b"Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
    b"Connection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
)
LEFT_S = 20.0
"""Ten times what a reading request goes on after its client has gone."""


async def exchange(port: int, sent: bytes) -> tuple[bytes, bytes]:
    """Send bytes on a connection of their own; return head and body of all that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(sent)
        async with asyncio.timeout(60):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        return head, body
    finally:
        writer.close()


@pytest.mark.asyncio
async def test_no_port_changes_the_protocol(start_server: "StartServer", sim: "Simulator") -> None:
    metrics = free_port()
    async with start_server(sim.url, METRICS_PORT=str(metrics)) as server:
        for port, path in ((server.port, b"/api/health"), (metrics, b"/metrics")):
            for upgrade in UPGRADES:
                head, body = await exchange(
                    port, b"GET " + path + b" HTTP/1.1\r\nHost: x\r\n" + upgrade + b"\r\n\r\n"
                )
                assert head.startswith(b"HTTP/1.1 200"), head
                assert b"\r\nserver:" not in head.lower()
                assert body
            head, body = await exchange(port, PREFACE)
            assert head.startswith(b"HTTP/1.1 505"), head
            assert json.loads(body)["code"] == "http_version_unsupported"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("line", "status", "code"),
    [
        (b"GET http://elsewhere.example:443/api/health", 200, None),
        (b"GET https://elsewhere.example/api/sl/Items/A%2F1?$top=1", 401, "session_required"),
        (b"GET http://elsewhere.example", 404, "not_found"),
        (b"GET http://elsewhere.example/api/auth/me?x=1", 401, "session_required"),
        (b"OPTIONS *", 400, "bad_request"),
        (b"CONNECT elsewhere.example:443", 400, "bad_request"),
        (b"GET ftp://elsewhere.example/api/health", 400, "bad_request"),
    ],
)
async def test_a_target_in_absolute_form_counts_as_its_path_and_query(
    start_server: "StartServer", sim: "Simulator", line: bytes, status: int, code: str | None
) -> None:
    async with start_server(sim.url) as server:
        sent = line + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        head, body = await exchange(server.port, sent)
        assert head.startswith(b"HTTP/1.1 %d" % status), body
        assert json.loads(body).get("code") == code


@pytest.mark.asyncio
async def test_a_read_that_its_client_no_longer_waits_for_ends_although_the_erp_still_works_on_it(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=Delay(seconds=3 * LEFT_S), path="Items"))
        token = client.headers["Authorization"].encode()
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(b"GET /api/sl/Items?$top=1 HTTP/1.1\r\nHost: x\r\nAuthorization: " + token + b"\r\n\r\n")
        async with asyncio.timeout(LEFT_S):
            while not sim.calls.of("GET", "Items"):  # noqa: ASYNC110 - the simulator signals nothing
                await asyncio.sleep(0.01)
        writer.close()
        async with asyncio.timeout(LEFT_S):
            while not (lines := [line for line in server.lines if "client_gone" in line]):  # noqa: ASYNC110 - nor does the log
                await asyncio.sleep(0.01)
        (line,) = lines
        assert line["status"] == 499
        assert sim.calls.of("GET", "Items")[-1].ended_at is None
        server.process.kill()
        await server.ended()


@pytest.mark.asyncio
async def test_a_write_whose_client_leaves_while_the_erp_works_is_finished_and_recorded(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=Delay(seconds=2), method="PATCH", path="Orders(1)"))
        token = client.headers["Authorization"].encode()
        _, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(
            b"PATCH /api/sl/Orders/1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Content-Length: 22\r\nAuthorization: " + token + b'\r\n\r\n{"Comments": "lejano"}'
        )
        async with asyncio.timeout(LEFT_S):
            while not sim.calls.of("PATCH", "Orders(1)"):  # noqa: ASYNC110 - the simulator signals nothing
                await asyncio.sleep(0.01)
        writer.close()
        async with asyncio.timeout(LEFT_S):
            while not (records := [each for each in server.events("AUDIT") if each["action"] == "sl_update"]):  # noqa: ASYNC110 - nor does the log
                await asyncio.sleep(0.01)
        assert [(each["result"], each["fields"]) for each in records] == [("ok", ["Comments"])]
        assert (await client.get("/api/sl/Orders/1")).json()["Comments"] == "lejano"
        assert len(sim.calls.of("PATCH", "Orders(1)")) == 1
