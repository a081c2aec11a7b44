"""Real connections and signals with requests that wait for one write."""

import asyncio
import signal
from typing import TYPE_CHECKING

import pytest

from erpsim.faults import Delay, Fault

if TYPE_CHECKING:
    from collections.abc import Callable

    import httpx2
    from tests.process.conftest import Server, StartServer

    from erpsim.simulator import Simulator

ORDER = b'{"CardCode":"C00001","DocDueDate":"2026-12-31","DocumentLines":[{"ItemCode":"A/1","Quantity":1}]}'


async def until(holds: "Callable[[], bool]") -> None:
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - what is waited for has no event
            await asyncio.sleep(0.01)


async def send_and_leave(server: "Server", client: "httpx2.AsyncClient", leave: asyncio.Event) -> None:
    """Send the order with its key on a connection of its own, and close that when told to."""
    _, writer = await asyncio.open_connection("127.0.0.1", server.port)
    head = (
        "POST /api/sl/Orders HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nIdempotency-Key: k\r\n"
        f"Authorization: {client.headers['Authorization']}\r\nContent-Length: {len(ORDER)}\r\n\r\n"
    )
    writer.write(head.encode() + ORDER)
    await writer.drain()
    await leave.wait()
    writer.close()
    await writer.wait_closed()


def ask(client: "httpx2.AsyncClient") -> "asyncio.Task[httpx2.Response]":
    headers = {"Idempotency-Key": "k", "Content-Type": "application/json"}
    return asyncio.create_task(client.post("/api/sl/Orders", content=ORDER, headers=headers))


@pytest.mark.asyncio
async def test_the_next_pending_request_writes_after_the_first_client_disconnects(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=Delay(seconds=8), method="GET", path="Items"))
        held = asyncio.create_task(client.get("/api/sl/Items"))
        await until(lambda: bool(sim.calls.of("GET", "Items")))
        leave = asyncio.Event()
        first = asyncio.create_task(send_and_leave(server, client, leave))
        async with asyncio.timeout(30):
            while (await client.get("/api/writes")).json()["total"] == 0:  # noqa: ASYNC110 - told by HTTP
                await asyncio.sleep(0.02)
        second = ask(client)
        await asyncio.sleep(0.5)
        leave.set()
        await first
        answer = await second
        await held
    assert (answer.status_code, answer.headers.get("Idempotency-Replayed")) == (201, None)
    assert len(sim.calls.of("POST", "Orders")) == 1
    results = [(line["action"], line.get("reason")) for line in server.events("AUDIT")][-2:]
    assert results == [("sl_create", "client_gone"), ("sl_create", None)]


@pytest.mark.asyncio
async def test_a_disconnect_during_the_erp_call_does_not_affect_the_repeat(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=Delay(seconds=4), method="POST", path="Orders"))
        leave = asyncio.Event()
        first = asyncio.create_task(send_and_leave(server, client, leave))
        await until(lambda: bool(sim.calls.of("POST", "Orders")))
        second = ask(client)
        await asyncio.sleep(0.2)
        leave.set()
        await first
        answer = await second
    assert (answer.status_code, answer.headers.get("Idempotency-Replayed")) == (201, "true")
    assert len(sim.calls.of("POST", "Orders")) == 1


@pytest.mark.asyncio
async def test_shutdown_completes_the_write_and_answers_all_pending_repeats(
    start_server: "StartServer", sim: "Simulator"
) -> None:
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        sim.faults.add(Fault(action=Delay(seconds=4), method="POST", path="Orders"))
        tasks = [ask(client) for _ in range(5)]
        await until(lambda: bool(sim.calls.of("POST", "Orders")))
        await asyncio.sleep(2)  # nothing tells that the others have arrived
        server.process.send_signal(signal.SIGTERM)
        answers = await asyncio.gather(*tasks)
        assert await server.ended() == 0
    assert {answer.status_code for answer in answers} == {201}
    assert len({answer.content for answer in answers}) == 1
    async with start_server(sim.url) as server, server.client() as client:
        await server.sign_in(client)
        again = await ask(client)
        assert (again.content, again.headers["Idempotency-Replayed"]) == (answers[0].content, "true")
        left = await client.get("/api/writes?resultado=unknown")
        assert left.json()["total"] == 0
    assert len(sim.calls.of("POST", "Orders")) == 1
