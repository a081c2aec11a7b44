"""Clients that disconnect during a paste free their resources in the real process."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from service_process import Server, arrived, started

from erpsim.faults import Delay, Fault
from erpsim.simulator import Simulator, run_sim
from supplier_returns.pasting.reading import MAX_PASTE_BYTES
from supplier_returns.planning.computing import BODY_BYTES

pytestmark = pytest.mark.asyncio

PASTE = "/api/planificaciones/pegar"
HEADERS = {"content-type": "application/json"}
SOON_S = 20.0
"""Sooner than anything that they would be waited for."""


@asynccontextmanager
async def pasting(folder: Path) -> AsyncIterator[tuple[Simulator, Server, httpx2.AsyncClient]]:
    async with run_sim(seed="returns") as sim, started(sim.url, folder) as (server, client):
        body = {"usuario": "manager", "clave": "erpsim"}
        assert (await client.post("/api/auth/login", json=body)).status_code == 200
        assert (await client.post("/api/metadata/rebuild")).status_code == 200
        yield sim, server, client


async def send_half(client: httpx2.AsyncClient, body: bytes, *, whole: bool = False) -> asyncio.StreamWriter:
    """Send a paste, or its first half, on a new connection."""
    _, writer = await asyncio.open_connection("127.0.0.1", client.base_url.port)
    head = {
        "Host": "returns",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Cookie": f"dp_sid={client.cookies['dp_sid']}",
    }
    lines = [f"POST {PASTE} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
    writer.write("\r\n".join(lines).encode())
    writer.write(body if whole else body[: len(body) // 2])
    await writer.drain()
    return writer


async def disconnected(server: Server, count: int) -> list[dict[str, Any]]:
    """Wait for the log lines of this many pastes whose client disconnected."""
    async with asyncio.timeout(SOON_S):
        while True:
            lines = [line for line in server.lines if line.get("route") == PASTE and line["status"] == 499]
            if len(lines) == count:
                return lines
            await asyncio.sleep(0.05)


def body_of(rows: int) -> bytes:
    return json.dumps({"whsCode": "01", "texto": "A\t1\n" * rows}).encode()


async def test_a_client_that_disconnects_while_sending_frees_its_slot(tmp_path: Path) -> None:
    body = body_of(30_000).ljust(MAX_PASTE_BYTES)
    async with pasting(tmp_path) as (_, server, client):
        slow = [await send_half(client, body) for _ in range(BODY_BYTES // MAX_PASTE_BYTES // 2)]
        await asyncio.sleep(1)  # the service gives no sign that it reads them
        next_one = asyncio.create_task(client.post(PASTE, content=body, headers=HEADERS))
        done, _ = await asyncio.wait([next_one], timeout=2)
        assert not done, "it waits for one of them"
        for writer in slow:
            writer.close()
        assert len(await disconnected(server, len(slow))) == len(slow)
        assert (await next_one).status_code == 200


async def test_a_disconnected_client_gets_no_plan(tmp_path: Path) -> None:
    async with pasting(tmp_path) as (sim, server, client):
        sim.faults.add(Fault(action=Delay(seconds=2 * SOON_S), path="SQLQueries*"))
        sim.calls.clear()
        writer = await send_half(client, body_of(1), whole=True)
        await arrived(sim, "GET", "SQLQueries")
        writer.close()
        (line,) = await disconnected(server, 1)
        assert line["client_gone"] is True
