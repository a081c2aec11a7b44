"""What a seed decides, and what a wire does to a request and to its answer."""

import asyncio
from collections import Counter

import pytest
from soak.proxy import FaultProxy, Outage, Trouble, proxying
from soak.weather import OF_SERVICES, plan_weather
from typing_extensions import override

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n"
DONE_BEFORE = {Trouble.LATENCY, Trouble.DRIP}
"""What costs time alone."""

NOT_HANDED_ON = {
    Trouble.RESET_BEFORE,
    Trouble.STALE,
    Trouble.PAGE_BEFORE,
    Trouble.RESET_DURING_REQUEST,
    Trouble.BLACKHOLE_BEFORE,
}
pytestmark = pytest.mark.asyncio


class Server:
    """Counts whole requests."""

    def __init__(self) -> None:
        self.worked = 0

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(4)
                self.worked += 1
                writer.write(HEAD + b"0123456789")
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.transport.abort()


async def ask(port: int, patience_s: float = 1.0) -> bytes:
    """Return what comes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody")
    came = b""
    try:
        async with asyncio.timeout(patience_s):
            while not came.endswith(b"9") and (piece := await reader.read(100)):
                came += piece
    except (TimeoutError, ConnectionError):
        pass
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)
    return came


@pytest.mark.parametrize("trouble", list(Trouble), ids=lambda each: each.name)
async def test_a_fault_matches_its_name(trouble: Trouble) -> None:
    class Always(FaultProxy):
        @override
        def _decide(self) -> Trouble | None:
            return trouble

    server = Server()
    async with await asyncio.start_server(server.take, "127.0.0.1", 0) as listening:
        wire = Always("wire", [listening.sockets[0].getsockname()[1]], seed=1, rate=1)
        await wire.start()
        came = await ask(wire.port, 60 if trouble in DONE_BEFORE else 1)
        await asyncio.sleep(0.05)
        await wire.stop()
    assert server.worked == (trouble not in NOT_HANDED_ON)
    assert came.endswith(b"0123456789") == (trouble in DONE_BEFORE)
    if trouble in {Trouble.PAGE_BEFORE, Trouble.PAGE_AFTER}:
        assert came.startswith(b"HTTP/1.1 502 ")


async def test_one_in_so_many_requests_meets_trouble_and_the_seed_says_which() -> None:
    met = []
    for seed in (4, 4, 5):
        wire = FaultProxy("wire", [1], seed=seed, rate=0.1)
        met.append([wire._decide() for _ in range(1000)])
    assert met[0] == met[1] != met[2]
    assert 60 < sum(each is not None for each in met[0]) < 140
    assert set(met[0]) == {None, *Trouble}


async def test_an_outage_refuses_or_is_silent_and_ends_at_the_same_port() -> None:
    server = Server()
    async with (
        await asyncio.start_server(server.take, "127.0.0.1", 0) as listening,
        proxying("wire", listening.sockets[0].getsockname()[1], seed=1, rate=0) as wire,
    ):
        await wire.begin(Outage.REFUSING)
        with pytest.raises(ConnectionRefusedError):
            await ask(wire.port)
        await wire.end()
        await wire.begin(Outage.SILENT)
        assert await ask(wire.port) == b""
        await wire.end()
        assert (await ask(wire.port)).endswith(b"0123456789")
    assert server.worked == 1


async def test_a_seed_determines_the_events_and_services_survive_the_second_half() -> None:
    events = plan_weather(7, 3600)
    assert events == plan_weather(7, 3600) != plan_weather(8, 3600)
    late = Counter(event.kind in OF_SERVICES for event in events if event.at_s > 1800)
    assert late[True] == 0 < late[False]
    assert sum(event.kind in OF_SERVICES for event in events) > 20
