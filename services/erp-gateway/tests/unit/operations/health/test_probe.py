"""The probe of the ERP: at most one in five seconds, shared by all who ask."""

import asyncio

import attrs
import pytest

from erp_gateway.operations.health.probe import ErpProbe, Reason
from erpclient import (
    Condition,
    ErpError,
    ErpLoginRejected,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    Phase,
    Ping,
    SessionState,
)
from servicekit.clock import ManualClock

PONG = Ping(200, pong=True)


@attrs.define
class Balancer:
    """An ERP that answers pings as it is told, when it is told."""

    answer: Ping | ErpError = PONG
    session_state: SessionState = SessionState.ACTIVE
    login_failure: ErpError | None = None
    condition: Condition = Condition.WELL
    pings: int = 0
    open: asyncio.Event = attrs.field(factory=asyncio.Event)

    async def ping(self, *, timeout_s: float = 5.0) -> Ping:
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
@pytest.mark.parametrize(
    ("answer", "session", "reason", "word"),
    [
        (Ping(200, pong=True), SessionState.ACTIVE, None, "pong"),
        (Ping(200, pong=True), SessionState.NONE, None, "pong"),
        (Ping(200, pong=True), SessionState.LOGGING_IN, None, "pong"),
        (Ping(200, pong=True), SessionState.FAILING, Reason.UNREACHABLE, "pong"),
        (Ping(404, pong=False), SessionState.ACTIVE, None, "other"),
        (Ping(503, pong=False), SessionState.ACTIVE, Reason.UNREACHABLE, "failed"),
        (ErpTimeout(Phase.CONNECT), SessionState.NONE, Reason.UNREACHABLE, "timeout"),
        (
            ErpUnreachable("ECONNREFUSED", Phase.CONNECT),
            SessionState.NONE,
            Reason.UNREACHABLE,
            "unreachable",
        ),
    ],
)
async def test_the_erp_is_usable_when_its_server_answers_and_the_login_did_not_fail(
    clock: ManualClock, answer: Ping | ErpError, session: SessionState, reason: Reason | None, word: str
) -> None:
    health = await ErpProbe(answering(answer=answer, session_state=session), clock).health()
    assert (health.reason, health.ping, health.session) == (reason, word, session)


@pytest.mark.asyncio
@pytest.mark.parametrize("session", list(SessionState))
async def test_a_refused_account_is_reported_in_every_state_of_the_session(
    clock: ManualClock, session: SessionState
) -> None:
    balancer = answering(session_state=session)
    probe = ErpProbe(balancer, clock)
    assert (await probe.health()).reason is not Reason.LOGIN_REFUSED
    balancer.login_failure = ErpLoginRejected(-304, "Fail")
    assert (await probe.health()).reason is Reason.LOGIN_REFUSED
    balancer.login_failure = ErpLoginRejected(100000055, "locked")
    assert (await probe.health()).reason is Reason.USER_LOCKED
    balancer.login_failure = ErpServerError(401, -304, "Fail to Get the Bound Database Instance from SLD")
    assert (await probe.health()).reason is Reason.COMPANY_DIRECTORY
    balancer.login_failure = ErpServerError(500, 305, "Switch company error: -1102")
    assert (await probe.health()).reason is not Reason.LOGIN_REFUSED
    assert balancer.pings == 1


@pytest.mark.asyncio
async def test_an_unresponsive_erp_is_reported_at_once_without_a_ping(
    clock: ManualClock,
) -> None:
    balancer = Balancer(condition=Condition.UNWELL)
    health = await ErpProbe(balancer, clock).health()
    assert (health.reason, health.ping, balancer.pings) == (Reason.UNWELL, "not_asked", 0)
    balancer = answering()
    balancer.condition = Condition.SUSPECTED
    assert (await ErpProbe(balancer, clock).health()).reason is None


@pytest.mark.asyncio
async def test_an_erp_that_falls_silent_during_the_ping_is_unwell(clock: ManualClock) -> None:
    balancer = Balancer()
    asking = asyncio.create_task(ErpProbe(balancer, clock).health())
    await asyncio.sleep(0)
    balancer.condition = Condition.UNWELL
    balancer.open.set()
    assert (await asking).reason is Reason.UNWELL


@pytest.mark.asyncio
async def test_closing_gives_up_a_probe_that_runs(clock: ManualClock) -> None:
    probe = ErpProbe(Balancer(), clock)
    await probe.aclose()
    asking = asyncio.create_task(probe.health())
    await asyncio.sleep(0)
    await probe.aclose()
    with pytest.raises(asyncio.CancelledError):
        await asking
