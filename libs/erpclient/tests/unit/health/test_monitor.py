"""When probes are sent, by whom, and what becomes of the door."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
import structlog
from fake_transport import FakeTransport
from manual_clock import ManualClock
from recording_observer import RecordingObserver
from scripted_prober import ScriptedProber

from erpclient import (
    Condition,
    ErpError,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyUnreadable,
    ErpServerError,
    ErpSettings,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    HealthMonitor,
    HttpReply,
    Outcome,
    Phase,
    Ping,
    SessionEnded,
)

LATE = ErpTimeout(Phase.ANSWER)


class Room:
    """A monitor, its clock, and what it did."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.transport = FakeTransport()
        self.observer = RecordingObserver()
        self.monitor = HealthMonitor(
            ErpSettings("http://10.0.0.1:50000/b1s/v1"), self.transport, clock=clock, observer=self.observer
        )

    def join(self, prober: ScriptedProber) -> ScriptedProber:
        self.monitor.join(prober)
        return prober

    async def fall_silent(self, times: int = 3) -> None:
        for _ in range(times):
            self.monitor.unanswered()
        await settle()

    async def make_unwell(self, prober: ScriptedProber) -> None:
        await self.fall_silent()
        prober.end(LATE)
        await settle()
        assert self.monitor.condition is Condition.UNWELL


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest_asyncio.fixture
async def room(clock: ManualClock) -> AsyncIterator[Room]:
    room = Room(clock)
    yield room
    await room.monitor.aclose()
    assert clock.armed == 0
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest_asyncio.fixture
async def ana(room: Room) -> ScriptedProber:
    return room.join(ScriptedProber("ana"))


@pytest.mark.asyncio
async def test_three_unanswered_calls_send_one_probe_before_the_next_request(
    room: Room, ana: ScriptedProber
) -> None:
    await room.fall_silent(2)
    assert (room.monitor.condition, ana.probes) == (Condition.WELL, 0)
    await room.fall_silent(1)
    assert (room.monitor.condition, ana.probes, ana.held) == (Condition.SUSPECTED, 1, True)
    room.monitor.check()
    await room.fall_silent(30)
    assert ana.probes == 1


@pytest.mark.asyncio
async def test_an_answered_probe_leaves_the_erp_well(room: Room, ana: ScriptedProber) -> None:
    with structlog.testing.capture_logs() as logs:
        await room.fall_silent()
        ana.end()
        await settle()
    assert (room.monitor.condition, ana.held, ana.dismissals) == (Condition.WELL, False, 0)
    assert logs == []


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("error", "condition"),
    [
        (ErpRefused(401, 301, "Invalid session"), Condition.WELL),
        (ErpRefused(403, None, ""), Condition.WELL),
        (ErpLoginRejected(-304, "Fail"), Condition.WELL),
        (ErpServerError(500, 305, "Switch company error: -1102"), Condition.WELL),
        (ErpServerError(500, None, "trouble"), Condition.WELL),
        (ErpReplyUnreadable("not HTTP"), Condition.WELL),
        (SessionEnded(), Condition.WELL),
        (ErpServerError(502, None, ""), Condition.UNWELL),
        (ErpTimeout(Phase.ANSWER), Condition.UNWELL),
        (ErpTimeout(Phase.CONNECT), Condition.UNWELL),
        (ErpUnreachable("ECONNREFUSED", Phase.CONNECT), Condition.UNWELL),
    ],
    ids=str,
)
async def test_a_probe_fails_without_an_answer_and_a_refusal_is_an_answer(
    room: Room, ana: ScriptedProber, error: ErpError, condition: Condition
) -> None:
    await room.fall_silent()
    ana.end(error)
    await settle()
    assert room.monitor.condition is condition


@pytest.mark.asyncio
async def test_a_probe_with_an_unexpected_error_fails_and_is_repeated(
    room: Room, clock: ManualClock, ana: ScriptedProber
) -> None:
    with structlog.testing.capture_logs() as logs:
        await room.fall_silent()
        ana.end(ValueError("broken"))
        await settle()
    assert [line["event"] for line in logs] == ["erp_probe_failed", "erp_unwell"]
    assert room.monitor.condition is Condition.UNWELL
    clock.advance(5)
    await settle()
    assert ana.probes == 2


@pytest.mark.asyncio
async def test_an_unwell_erp_rejects_new_and_queued_requests_once(
    room: Room, clock: ManualClock, ana: ScriptedProber
) -> None:
    eva = room.join(ScriptedProber("eva", suitability=None))
    with structlog.testing.capture_logs() as logs:
        await room.make_unwell(ana)
        with pytest.raises(ErpUnwell) as caught:
            room.monitor.check()
        for _ in range(3):
            clock.advance(5)
            await settle()
            ana.end(LATE)
            await settle()
    assert caught.value.outcome is Outcome.NOT_DONE
    assert (ana.dismissals, eva.dismissals, ana.probes, eva.probes) == (1, 1, 4, 0)
    assert logs == [
        {
            "event": "erp_unwell",
            "log_level": "error",
            "silences": 3,
            "reason": "no answer from the ERP in time",
        }
    ]


@pytest.mark.asyncio
async def test_the_probe_repeats_every_five_seconds_until_success(
    room: Room, clock: ManualClock, ana: ScriptedProber
) -> None:
    await room.make_unwell(ana)
    for probes in (2, 3, 4):
        clock.advance(4.9)
        await settle()
        assert (ana.probes, ana.held) == (probes - 1, False)
        clock.advance(0.1)
        await settle()
        assert (ana.probes, ana.held) == (probes, True)
        if probes < 4:
            ana.end(LATE)
            await settle()
    with structlog.testing.capture_logs() as logs:
        ana.end()
        await settle()
    room.monitor.check()
    assert logs == [{"event": "erp_well_again", "log_level": "warning", "after_s": 15.0}]
    clock.advance(60)
    await settle()
    assert ana.probes == 4


@pytest.mark.asyncio
async def test_a_probe_that_uses_its_whole_time_is_followed_by_another_at_once(
    room: Room, clock: ManualClock, ana: ScriptedProber
) -> None:
    await room.fall_silent()
    clock.advance(5)
    ana.end(LATE)
    await settle()
    assert (room.monitor.condition, ana.probes) == (Condition.UNWELL, 2)


@pytest.mark.asyncio
async def test_any_answered_call_ends_suspicion_and_probe(room: Room, ana: ScriptedProber) -> None:
    await room.fall_silent()
    room.monitor.answered()
    await settle()
    assert (room.monitor.condition, ana.running, ana.held) == (Condition.WELL, [], False)


@pytest.mark.asyncio
async def test_an_answer_to_any_call_makes_the_erp_well(room: Room, ana: ScriptedProber) -> None:
    await room.make_unwell(ana)
    room.monitor.answered()
    room.monitor.check()


@pytest.mark.asyncio
async def test_successful_probes_are_limited_in_rate(
    room: Room, clock: ManualClock, ana: ScriptedProber
) -> None:
    """A resource that only ever gets the gateway's page, asked for ten times a second."""
    for _ in range(200):
        await room.fall_silent(1)
        if ana.running:
            ana.end()
            await settle()
        clock.advance(0.1)
    assert room.monitor.condition is Condition.WELL
    assert ana.probes == 4


@pytest.mark.asyncio
async def test_the_fittest_client_sends_the_probe(room: Room) -> None:
    probers = [
        ScriptedProber("gone", suitability=None),
        ScriptedProber("busy", suitability=(False, 0)),
        ScriptedProber("silenced", suitability=(True, -3)),
        ScriptedProber("fit", suitability=(True, 0)),
    ]
    for prober in probers:
        room.join(prober)
    await room.fall_silent()
    assert [prober.name for prober in probers if prober.probes] == ["fit"]
    assert [prober.name for prober in probers if prober.held] == ["fit"]


@pytest.mark.asyncio
async def test_a_departed_client_is_not_used_for_probes(room: Room, ana: ScriptedProber) -> None:
    eva = room.join(ScriptedProber("eva", suitability=(True, -1)))
    room.monitor.leave(ana)
    room.monitor.leave(ana)
    await room.make_unwell(eva)
    assert (ana.probes, ana.dismissals) == (0, 0)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "condition"),
    [
        (HttpReply(200, body=b'{"message":"pong","sender":"load balancer"}'), Condition.WELL),
        (HttpReply(404, "text/html", body=b"<html>"), Condition.WELL),
        (HttpReply(503, body=b'{"message":"Service Unavailable"}'), Condition.UNWELL),
        (ErpTimeout(Phase.ANSWER), Condition.UNWELL),
    ],
    ids=str,
)
async def test_without_any_session_the_probe_pings_the_balancer(
    room: Room, answer: HttpReply | ErpError, condition: Condition
) -> None:
    room.join(ScriptedProber(suitability=None))
    room.transport.answer(answer)
    await room.fall_silent()
    assert room.monitor.condition is condition
    (request,) = room.transport.requests
    assert (request.method, request.url, request.timeout_s) == ("GET", "http://10.0.0.1:50000/ping/", 5.0)
    assert [resource for _, resource, _ in room.observer.calls] == ["ping"]


@pytest.mark.asyncio
async def test_a_balancer_ping_does_not_make_the_erp_well(room: Room, ana: ScriptedProber) -> None:
    await room.make_unwell(ana)
    room.transport.answer(HttpReply(200, body=b'{"message":"pong"}'), HttpReply(404))
    assert await room.monitor.ping(5.0) == Ping(200, pong=True)
    assert await room.monitor.ping(5.0) == Ping(404, pong=False)
    assert room.monitor.condition is Condition.UNWELL


@pytest.mark.asyncio
@pytest.mark.parametrize("unwell", [False, True])
async def test_closing_cancels_the_probe_and_its_timer(
    room: Room, clock: ManualClock, ana: ScriptedProber, unwell: bool
) -> None:
    await (room.make_unwell(ana) if unwell else room.fall_silent())
    await room.monitor.aclose()
    assert (clock.armed, ana.running, ana.held) == (0, [], False)
    room.monitor.answered()
    clock.advance(5)
    await room.fall_silent()
    assert ana.probes == 1
