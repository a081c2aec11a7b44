"""Scripted trouble over real sockets: what a client meets and what was done nevertheless."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager

import aiohttp
import pytest

from erpsim.faults import (
    Answer,
    BadGateway,
    ChangeNode,
    CommitLate,
    CutAfterAnswer,
    Delay,
    Drip,
    Drop,
    ExpireSession,
    Fault,
    Garbage,
    GzipBomb,
    Hang,
    OmitRoute,
    Oversize,
    Refuse,
    Truncate,
    When,
)
from erpsim.simulator import Listening, Simulator, run_sim

pytestmark = pytest.mark.asyncio

SignIn = Callable[..., AbstractAsyncContextManager[aiohttp.ClientSession]]
Exchange = Callable[..., Awaitable[bytes]]
ITEM = '{"ItemCode": "T1", "ItemName": "x"}'


def creation(client: aiohttp.ClientSession) -> bytes:
    head = "POST /b1s/v1/Items HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    head += f"Cookie: {client.headers['Cookie']}\r\nContent-Length: {len(ITEM)}\r\n"
    return f"{head}\r\n{ITEM}".encode()


async def created(client: aiohttp.ClientSession) -> int:
    return int(await (await client.get("Items/$count?$filter=ItemCode eq 'T1'")).text())


@pytest.mark.parametrize("reset", [True, False])
@pytest.mark.parametrize(
    ("when", "items"), [(When.BEFORE_READING, 0), (When.BEFORE_WORK, 0), (When.AFTER_WORK, 1)]
)
async def test_a_dropped_connection_keeps_exactly_the_finished_work(
    exchange: Exchange, sign_in: SignIn, when: When, items: int, reset: bool
) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Drop(when=when, reset=reset), method="POST", path="Items"))
        if reset:
            with pytest.raises(ConnectionResetError):
                await exchange(sim, creation(client))
        else:
            assert await exchange(sim, creation(client)) == b""
        assert await created(client) == items
        [call] = sim.calls.of("POST", "Items")
        assert call.worked is bool(items)


async def test_an_html_502_may_come_before_or_after_the_work(exchange: Exchange, sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        for when, items in ((When.BEFORE_WORK, 0), (When.AFTER_WORK, 1)):
            sim.faults.add(Fault(action=BadGateway(when=when), path="Items", method="POST"))
            answer = await exchange(sim, creation(client))
            assert answer.startswith(b"HTTP/1.1 502 ")
            assert b"text/html" in answer
            assert b"Proxy Error" in answer
            assert await created(client) == items


async def test_a_scripted_answer_may_replace_the_real_one(exchange: Exchange, sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Answer(status=503, body="<p>", content_type="text/html"), path="ping/*"))
        async with aiohttp.ClientSession() as other:
            answer = await other.get(f"{sim.origin}/ping/node/4")
            assert (answer.status, await answer.text(), answer.content_type) == (503, "<p>", "text/html")
        sim.faults.add(Fault(action=Answer(status=200, when=When.AFTER_WORK), method="POST"))
        answer_bytes = await exchange(sim, creation(client))
        assert b"Content-Length: 0" in answer_bytes
        assert await created(client) == 1


async def test_a_refusal_has_the_format_of_its_protocol_version(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim, root="v2") as newer:
        sim.faults.add(Fault(action=Refuse(status=400, code=-1116, text="no"), path="Items", times=2))
        answer = await client.get("Items")
        assert (await answer.json(content_type=None))["error"]["code"] == -1116
        answer = await newer.get("Items")
        assert (await answer.json(content_type=None))["error"]["code"] == "-1116"
        assert (await client.get("Items")).status == 200


async def test_a_delay_blocks_only_its_own_session(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim) as other:
        sim.faults.add(Fault(action=Delay(seconds=1), path="Items"))
        slow = asyncio.create_task(client.get("Items"))
        while not sim.calls.of("GET", "Items"):  # noqa: ASYNC110 - nobody tells us that it arrived
            await asyncio.sleep(0.01)
        await other.get("Warehouses")
        assert not slow.done()
        await client.get("Warehouses")
        assert sim.calls.of("GET", "Items")[0].worked
        assert (await slow).status == 200


async def test_a_delay_applies_to_a_scripted_answer(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Delay(seconds=0.2)))
        sim.faults.add(Fault(action=BadGateway()))
        started = time.monotonic()
        assert (await client.get("Items")).status == 502
        assert time.monotonic() - started >= 0.2


async def test_a_single_nth_call_can_fail(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=BadGateway(), method="GET", path="Items*", nth=2))
        assert [(await client.get("Items?$top=1")).status for _ in range(4)] == [200, 502, 200, 200]


async def test_a_session_can_end_under_a_call(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim) as other:
        sim.faults.add(Fault(action=ExpireSession(), path="Items"))
        assert (await client.get("Items")).status == 401
        assert (await client.get("Items")).status == 401
        assert (await other.get("Items?$top=1")).status == 200


async def test_all_sessions_can_end_at_once(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client, sign_in(sim) as other:
        sim.faults.add(Fault(action=ExpireSession(everyone=True)))
        assert (await client.get("Items")).status == 401
        assert (await other.get("Items")).status == 401
        assert len(sim.sessions) == 0


async def test_the_balancer_can_change_or_omit_the_node(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=ChangeNode(node=3)))
        assert (await client.get("Items?$top=1")).headers["Set-Cookie"] == "ROUTEID=.node3; path=/b1s"
        assert "Set-Cookie" not in (await client.get("Items?$top=1")).headers
        sim.faults.add(Fault(action=OmitRoute(), path="Login"))
        body = {"CompanyDB": "SBO_DEMO", "UserName": "manager", "Password": "erpsim"}
        answer = await client.post("Login", json=body, headers={"Cookie": ""})
        [cookie] = answer.headers.getall("Set-Cookie")
        assert cookie.startswith("B1SESSION=")


async def read_all(client: aiohttp.ClientSession, address: str = "Items?$top=5") -> bytes:
    answer = await client.get(address)
    return await answer.read()


async def test_a_truncated_body_is_shorter_than_its_length(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Truncate(keep_bytes=50), times=2))
        with pytest.raises(aiohttp.ClientPayloadError):
            await read_all(client)


async def test_a_dripping_body_arrives_whole_and_slowly(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        whole = await read_all(client)
        sim.faults.add(Fault(action=Drip(chunk_bytes=len(whole) // 4 + 1, interval_s=0.1)))
        started = time.monotonic()
        assert await read_all(client) == whole
        assert time.monotonic() - started >= 0.3


async def test_a_hanging_body_ends_by_itself(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Hang(after_bytes=20, seconds=0.2)))
        started = time.monotonic()
        with pytest.raises(aiohttp.ClientPayloadError):
            await read_all(client)
        assert time.monotonic() - started >= 0.2


async def test_a_garbage_answer_claims_to_be_json(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Garbage(size_bytes=100)))
        answer = await client.get("Items")
        body = await answer.read()
        assert answer.headers["Content-Type"].startswith("application/json")
        assert len(body) == 100
        with pytest.raises(UnicodeDecodeError):
            body.decode()


async def test_a_gzip_bomb_is_small_on_the_wire(exchange: Exchange, sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=GzipBomb(unpacked_bytes=10_000_001)))
        answer = await exchange(sim, creation(client))
        head, _, body = answer.partition(b"\r\n\r\n")
        assert b"Content-Encoding: gzip" in head
        assert len(body) < 50_000
        assert len(gzip.decompress(body)) == 10_000_001


async def test_an_oversized_body_has_the_configured_size(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Oversize(size_bytes=3_000_000)))
        answer = await client.get("Items")
        assert len((await answer.json(content_type=None))["value"]) == 3_000_000 - 15


async def test_a_disconnect_during_a_long_answer_does_not_affect_other_clients(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=Oversize(size_bytes=500_000_000)))
        answer = await client.get("Items")
        await answer.content.read(1000)
        answer.close()
        for _ in range(500):
            await asyncio.sleep(0.01)
            if not sim.calls.in_flight:
                break
        assert sim.calls.in_flight == 0
        assert (await client.get("Items?$top=1")).status == 200


async def keep_alive_exchange(
    sim: Simulator, cookie: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", sim.port)
    writer.write(f"GET /b1s/v1/Items?$top=1 HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
    await reader.readexactly(length)
    assert b"close" not in head.lower()
    return reader, writer


async def test_a_connection_can_close_after_a_complete_response(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=CutAfterAnswer()))
        reader, writer = await keep_alive_exchange(sim, client.headers["Cookie"])
        assert await asyncio.wait_for(reader.read(), 30) == b""
        writer.close()
        await writer.wait_closed()


async def test_idle_connections_can_be_cut_and_busy_ones_stay(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        reader, writer = await keep_alive_exchange(sim, client.headers["Cookie"])
        sim.faults.add(Fault(action=Delay(seconds=1)))
        busy = asyncio.create_task(client.get("Items?$top=1"))
        async with asyncio.timeout(30):
            while not sim.calls.in_flight:  # noqa: ASYNC110 - the simulator signals nothing
                await asyncio.sleep(0.005)
        assert sim.cut_idle_connections() >= 1
        assert await asyncio.wait_for(reader.read(), 30) == b""
        assert (await busy).status == 200
        writer.close()
        await writer.wait_closed()


async def test_idle_connections_close_by_themselves(sign_in: SignIn) -> None:
    async with run_sim(listening=Listening(keep_alive_s=0.1)) as sim, sign_in(sim) as client:
        reader, writer = await keep_alive_exchange(sim, client.headers["Cookie"])
        assert await asyncio.wait_for(reader.read(), 30) == b""
        writer.close()
        await writer.wait_closed()


async def test_a_late_commit_happens_after_the_client_disconnects(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=CommitLate(seconds=600), method="POST", path="Items"))
        with pytest.raises(aiohttp.ClientError):
            await client.post("Items", data=ITEM)
        assert await created(client) == 0
        await asyncio.wait_for(sim.late_commits(), 60)
        assert await created(client) == 1


async def test_a_late_commit_happens_after_its_delay(sign_in: SignIn) -> None:
    async with run_sim() as sim, sign_in(sim) as client:
        sim.faults.add(Fault(action=CommitLate(seconds=0.05), method="POST", path="Items"))
        with pytest.raises(aiohttp.ClientError):
            await client.post("Items", data=ITEM)
        async with asyncio.timeout(60):
            while not await created(client):  # noqa: ASYNC110 - the work is late
                await asyncio.sleep(0.02)
