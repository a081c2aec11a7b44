"""The probe of the ERP: at most one in five seconds, shared by all who ask."""

import asyncio

import attrs
import pytest

from erp_gateway.health.probe import FRESH_FOR_S, ErpProbe
from erpclient import ErpError, ErpTimeout, ErpUnreachable, Phase, Ping, SessionState
from servicekit.clock import ManualClock

PONG = Ping(200, pong=True)


@attrs.define
class Balancer:
    """An ERP that answers pings as it is told, when it is told."""

    answer: Ping | ErpError = PONG
    session_state: SessionState = SessionState.ACTIVE
    pings: int = 0
    open: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def ping(self, *, timeout_s: float = FRESH_FOR_S) -> Ping:
        self.pings += 1
        await self.open.wait()
        if isinstance(self.answer, ErpError):
            raise self.answer
        return self.answer


def answering(answer: Ping | ErpError = PONG, session_state: SessionState = SessionState.ACTIVE) -> Balancer:
    balancer = Balancer(answer, session_state)
    balancer.open.set()
    return balancer


@pytest.mark.asyncio
async def test_an_answer_is_good_for_five_seconds(clock: ManualClock) -> None:
    balancer = answering()
    probe = ErpProbe(balancer, clock)
    for _ in range(20):
        assert (await probe.health()).usable
    clock.advance(FRESH_FOR_S - 0.01)
    await probe.health()
    assert balancer.pings == 1
    clock.advance(0.01)
    await probe.health()
    assert balancer.pings == 2


@pytest.mark.asyncio
async def test_all_who_ask_while_a_probe_runs_share_it(clock: ManualClock) -> None:
    balancer = Balancer()
    probe = ErpProbe(balancer, clock)
    asking = [asyncio.create_task(probe.health()) for _ in range(50)]
    await asyncio.sleep(0)
    asking[0].cancel()
    balancer.open.set()
    answers = await asyncio.gather(*asking[1:])
    assert balancer.pings == 1
    assert all(answer.usable for answer in answers)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "session", "usable", "word"),
    [
        (Ping(200, pong=True), SessionState.ACTIVE, True, "pong"),
        (Ping(200, pong=True), SessionState.NONE, True, "pong"),
        (Ping(200, pong=True), SessionState.LOGGING_IN, True, "pong"),
        (Ping(200, pong=True), SessionState.FAILING, False, "pong"),
        (Ping(200, pong=True), SessionState.ENDED, False, "pong"),
        (Ping(404, pong=False), SessionState.ACTIVE, True, "other"),
        (Ping(503, pong=False), SessionState.ACTIVE, False, "failed"),
        (ErpTimeout(Phase.CONNECT), SessionState.NONE, False, "timeout"),
        (ErpUnreachable("ECONNREFUSED", Phase.CONNECT), SessionState.NONE, False, "unreachable"),
    ],
)
async def test_the_erp_is_usable_when_its_server_answers_and_the_login_did_not_fail(
    clock: ManualClock, answer: Ping | ErpError, session: SessionState, usable: bool, word: str
) -> None:
    health = await ErpProbe(answering(answer=answer, session_state=session), clock).health()
    assert (health.usable, health.ping, health.session) == (usable, word, session)


@pytest.mark.asyncio
async def test_closing_gives_up_a_probe_that_runs(clock: ManualClock) -> None:
    probe = ErpProbe(Balancer(), clock)
    await probe.aclose()
    asking = asyncio.create_task(probe.health())
    await asyncio.sleep(0)
    await probe.aclose()
    with pytest.raises(asyncio.CancelledError):
        await asking
