"""Clients that leave: a read ends, a write goes on."""

import asyncio
from typing import TYPE_CHECKING

import pytest

from erpsim.faults import Delay, Fault

if TYPE_CHECKING:
    from tests.process.conftest import StartServer

    from erpsim.simulator import Simulator

LEFT_S = 20.0
"""Ten times what a reading request goes on after its client has gone."""


@pytest.mark.asyncio
async def test_a_read_ends_when_its_client_disconnects_during_the_erp_call(
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
async def test_a_write_finishes_and_is_recorded_after_its_client_disconnects(
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
