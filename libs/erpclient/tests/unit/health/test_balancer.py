"""Pings of the balancer: few, shared, and each with one word for what came of it."""

import asyncio

import pytest
from attrs import define, field
from manual_clock import ManualClock

from erpclient import ErpError, ErpReplyUnreadable, ErpTimeout, ErpUnreachable, Phase, Ping
from erpclient.health.balancer import Balancer, BalancerWatch

PONG = Ping(200, pong=True)


@define
class Server:
    """Answers pings as it is told, when it is told."""

    answer: Ping | ErpError = PONG
    pings: int = 0
    open: asyncio.Event = field(factory=asyncio.Event)

    async def ping(self, timeout_s: float) -> Ping:
        assert timeout_s == 5.0
        self.pings += 1
        await self.open.wait()
        if isinstance(self.answer, ErpError):
            raise self.answer
        return self.answer


def answering(answer: Ping | ErpError = PONG) -> Server:
    server = Server(answer)
    server.open.set()
    return server


@pytest.mark.asyncio
async def test_a_ping_is_reused_for_five_seconds(clock: ManualClock) -> None:
    server = answering()
    watch = BalancerWatch(server.ping, clock.monotonic)
    for _ in range(20):
        assert await watch.check() is Balancer.PONG
    clock.advance(4.99)
    await watch.check()
    assert server.pings == 1
    clock.advance(0.01)
    await watch.check()
    assert server.pings == 2


@pytest.mark.asyncio
async def test_concurrent_health_checks_share_one_ping(clock: ManualClock) -> None:
    server = Server()
    watch = BalancerWatch(server.ping, clock.monotonic)
    asking = [asyncio.create_task(watch.check()) for _ in range(50)]
    await asyncio.sleep(0)
    asking[0].cancel()
    server.open.set()
    assert set(await asyncio.gather(*asking[1:])) == {Balancer.PONG}
    assert server.pings == 1


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "word", "lives", "network_code"),
    [
        (Ping(200, pong=True), Balancer.PONG, True, None),
        (Ping(404, pong=False), Balancer.OTHER, True, None),
        (Ping(500, pong=False), Balancer.FAILED, False, None),
        (Ping(503, pong=False), Balancer.FAILED, False, None),
        (ErpTimeout(Phase.CONNECT), Balancer.TIMEOUT, False, "ETIMEDOUT"),
        (ErpUnreachable("ECONNREFUSED", Phase.CONNECT), Balancer.UNREACHABLE, False, "ECONNREFUSED"),
        (ErpUnreachable("CERT", Phase.CONNECT), Balancer.UNREACHABLE, False, "CERT"),
        (ErpReplyUnreadable("too large"), Balancer.UNREACHABLE, False, None),
    ],
    ids=str,
)
async def test_each_ping_result_has_its_state_and_network_code(
    clock: ManualClock, answer: Ping | ErpError, word: Balancer, lives: bool, network_code: str | None
) -> None:
    watch = BalancerWatch(answering(answer).ping, clock.monotonic)
    assert watch.network_code is None
    found = await watch.check()
    assert (found, found.is_alive, watch.network_code) == (word, lives, network_code)


@pytest.mark.asyncio
async def test_the_networks_code_is_that_of_the_last_ping(clock: ManualClock) -> None:
    server = answering(ErpUnreachable("ECONNREFUSED", Phase.CONNECT))
    watch = BalancerWatch(server.ping, clock.monotonic)
    await watch.check()
    server.answer = PONG
    assert (await watch.check(), watch.network_code) == (Balancer.UNREACHABLE, "ECONNREFUSED")
    clock.advance(5)
    assert (await watch.check(), watch.network_code) == (Balancer.PONG, None)


@pytest.mark.asyncio
async def test_closing_cancels_a_running_ping(clock: ManualClock) -> None:
    watch = BalancerWatch(Server().ping, clock.monotonic)
    await watch.aclose()
    asking = asyncio.create_task(watch.check())
    await asyncio.sleep(0)
    await watch.aclose()
    with pytest.raises(asyncio.CancelledError):
        await asking
