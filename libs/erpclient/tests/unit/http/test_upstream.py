"""One door out: reachability, the one repeat of a read, measures, slow calls."""

import contextlib

import pytest
import structlog
from fake_transport import FakeTransport
from manual_clock import ManualClock
from recording_listener import RecordingListener
from recording_observer import RecordingObserver
from typing_extensions import override

from erpclient import (
    CallTrace,
    ErpError,
    ErpReplyUnreadable,
    ErpServerError,
    ErpSettings,
    ErpTimeout,
    ErpUnreachable,
    HttpReply,
    HttpRequest,
    Phase,
)
from erpclient.http.calls import PROBE_CALL, Call
from erpclient.http.upstream import Upstream

ROOT = "http://10.0.0.1:50000/b1s/v1"
READ = Call("GET", "Items", "/Items(1)")
WRITE = Call("PATCH", "Items", "/Items(1)", write=True)
OK = HttpReply(200)
REFUSED = ErpUnreachable("ECONNREFUSED", Phase.CONNECT)
LOST = ErpUnreachable("ECONNRESET", Phase.ANSWER)


class Door:
    def __init__(self, clock: ManualClock, transport: FakeTransport | None = None) -> None:
        self.clock = clock
        self.transport = transport or FakeTransport()
        self.observer = RecordingObserver()
        self.listener = RecordingListener()
        self.upstream = Upstream(
            ErpSettings(ROOT),
            self.transport,
            root=ROOT,
            clock=clock,
            observer=self.observer,
            listener=self.listener,
        )

    async def send(self, call: Call = READ, trace: CallTrace | None = None) -> HttpReply:
        return await self.upstream.send(call, timeout_s=60.0, trace=trace)


@pytest.fixture
def door(clock: ManualClock) -> Door:
    return Door(clock)


@pytest.mark.asyncio
async def test_a_read_reuses_connections_and_a_write_opens_its_own(door: Door) -> None:
    door.transport.answer(OK, OK)
    await door.send(READ)
    await door.send(WRITE)
    assert [request.fresh for request in door.transport.requests] == [False, True]


@pytest.mark.asyncio
async def test_a_read_with_a_lost_connection_is_repeated_once_on_a_fresh_one(door: Door) -> None:
    trace = CallTrace()
    door.transport.answer(LOST, OK)
    assert await door.send(READ, trace) == OK
    assert [request.fresh for request in door.transport.requests] == [False, True]
    assert door.observer.repeats == ["stale_connection"]
    assert door.observer.calls == [("GET", "Items", "unreachable"), ("GET", "Items", "200")]
    assert trace.calls == 2


@pytest.mark.asyncio
async def test_a_read_that_is_lost_twice_fails(door: Door) -> None:
    door.transport.answer(LOST, LOST.without_traceback())
    with pytest.raises(ErpUnreachable):
        await door.send(READ)
    assert len(door.transport.requests) == 2


@pytest.mark.parametrize("error", [LOST, REFUSED, ErpTimeout(Phase.ANSWER), ErpReplyUnreadable("not HTTP")])
@pytest.mark.asyncio
async def test_a_write_is_never_sent_again(door: Door, error: ErpError) -> None:
    door.transport.answer(error)
    with pytest.raises(type(error)):
        await door.send(WRITE)
    assert len(door.transport.requests) == 1


@pytest.mark.parametrize("error", [REFUSED, ErpTimeout(Phase.ANSWER), ErpReplyUnreadable("not HTTP")])
@pytest.mark.asyncio
async def test_a_read_is_not_repeated_after_any_other_error(door: Door, error: ErpError) -> None:
    door.transport.answer(error)
    with pytest.raises(type(error)):
        await door.send(READ)
    assert len(door.transport.requests) == 1


@pytest.mark.parametrize("error", [REFUSED, ErpTimeout(Phase.CONNECT)])
@pytest.mark.asyncio
async def test_an_unreachable_erp_is_probed_once_a_second_and_other_calls_fail(
    door: Door, error: ErpError
) -> None:
    door.transport.answer(error)
    with pytest.raises(type(error)):
        await door.send()
    door.transport.probe_error = error.without_traceback()
    for tries in range(5):
        door.clock.advance(0.99)
        with pytest.raises(type(error)):
            door.upstream.check()
        for _ in range(50):
            with pytest.raises(type(error)):
                await door.send()
        assert len(door.transport.probes) == tries
        door.clock.advance(0.01)
        door.upstream.check()
        with pytest.raises(type(error)):
            await door.send()
        assert door.transport.probes == [ROOT] * (tries + 1)
    assert len(door.transport.requests) == 1


@pytest.mark.asyncio
async def test_a_recovered_erp_is_used_at_once(door: Door) -> None:
    door.transport.answer(REFUSED, OK, OK)
    with pytest.raises(ErpUnreachable):
        await door.send()
    door.clock.advance(1)
    assert await door.send() == OK
    door.upstream.check()
    assert await door.send() == OK
    assert len(door.transport.probes) == 1


@pytest.mark.asyncio
async def test_during_a_connection_attempt_all_other_calls_fail_at_once(clock: ManualClock) -> None:
    checked: list[str] = []

    class Hanging(FakeTransport):
        @override
        async def probe(self, url: str, timeout_s: float) -> None:
            clock.advance(9)
            try:
                stuck.upstream.check()
            except ErpUnreachable:
                checked.append("refused")

    stuck = Door(clock, Hanging())
    stuck.transport.answer(REFUSED, OK)
    with pytest.raises(ErpUnreachable):
        await stuck.send()
    clock.advance(1)
    assert await stuck.send() == OK
    assert checked == ["refused"]


@pytest.mark.parametrize("error", [LOST, ErpTimeout(Phase.ANSWER)])
@pytest.mark.asyncio
async def test_an_erp_that_accepted_the_connection_counts_as_reached(door: Door, error: ErpError) -> None:
    door.transport.answer(error, OK)
    with pytest.raises(type(error)):
        await door.send(WRITE)
    assert await door.send(WRITE) == OK
    assert door.transport.probes == []


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (OK, "200"),
        (HttpReply(502), "502"),
        (REFUSED, "unreachable"),
        (ErpTimeout(Phase.ANSWER), "timeout"),
        (ErpReplyUnreadable("not HTTP"), "unreadable"),
        (ZeroDivisionError("bug"), "cancelled"),
    ],
)
@pytest.mark.asyncio
async def test_every_call_is_observed_with_its_outcome(
    door: Door, answer: HttpReply | Exception, outcome: str
) -> None:
    door.transport.answer(answer)
    with contextlib.suppress(ErpError, ZeroDivisionError):
        await door.send(WRITE)
    assert door.observer.calls == [("PATCH", "Items", outcome)]


class SlowTransport(FakeTransport):
    """Every call takes a while."""

    def __init__(self, clock: ManualClock, seconds: float) -> None:
        super().__init__()
        self.clock, self.seconds = clock, seconds

    @override
    async def send(self, request: HttpRequest) -> HttpReply:
        self.clock.advance(self.seconds)
        return OK


@pytest.mark.parametrize(("seconds", "warned"), [(2.0, False), (2.1, True)])
@pytest.mark.asyncio
async def test_a_slow_call_is_logged_by_resource_and_never_by_key(
    clock: ManualClock, seconds: float, warned: bool
) -> None:
    door = Door(clock, SlowTransport(clock, seconds))
    with structlog.testing.capture_logs() as logs:
        await door.send(Call("GET", "Items", "/Items('planted')"))
    assert bool(logs) is warned
    assert "planted" not in repr(logs)
    if warned:
        assert logs[0] == {
            "event": "upstream_call_slow",
            "log_level": "warning",
            "method": "GET",
            "resource": "Items",
            "outcome": "200",
            "duration_s": 2.1,
        }


HTML_502 = HttpReply(502, "text/html", body=b"<html><h1>502 Proxy Error</h1></html>")
LATE = ErpTimeout(Phase.ANSWER)
ERROR_V1 = b'{"error":{"code":-1116,"message":{"lang":"en-us","value":"Error -1"}}}'


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "heard"),
    [
        (OK, ["heard"]),
        (HttpReply(401), ["heard"]),
        (HttpReply(403), ["heard"]),
        (HttpReply(404, "text/html", body=b"<html>"), ["heard"]),
        (HttpReply(500, body=ERROR_V1), ["heard"]),
        (HttpReply(503, body=ERROR_V1), ["heard"]),
        (ErpReplyUnreadable("not HTTP"), ["heard"]),
        (HTML_502, ["silent"]),
        (HttpReply(503, body=b'{"message":"Service Unavailable"}'), ["silent"]),
        (HttpReply(504), ["silent"]),
        (LATE, ["silent"]),
        (ErpTimeout(Phase.CONNECT), []),
        (REFUSED, []),
    ],
    ids=str,
)
@pytest.mark.parametrize("call", [READ, WRITE], ids=["read", "write"])
async def test_only_timeouts_and_gateway_pages_are_no_answer(
    door: Door, call: Call, answer: HttpReply | Exception, heard: list[str]
) -> None:
    door.transport.answer(answer)
    with contextlib.suppress(ErpError):
        await door.send(call)
    assert door.listener.heard_of == heard


@pytest.mark.asyncio
async def test_unanswered_calls_are_counted_until_an_answer(door: Door) -> None:
    door.transport.answer(LATE, HTML_502, LATE, REFUSED, OK)
    for silences in (1, 2, 3, 3):
        with contextlib.suppress(ErpError):
            await door.send()
        assert door.upstream.unanswered_calls == silences
    door.clock.advance(1)
    await door.send()
    assert door.upstream.unanswered_calls == 0


@pytest.mark.asyncio
async def test_a_ping_does_not_count_as_an_answer_of_the_erp(door: Door) -> None:
    door.transport.answer(OK, LATE)
    await door.upstream.ping(5.0)
    with pytest.raises(ErpTimeout):
        await door.upstream.ping(5.0)
    assert {request.url for request in door.transport.requests} == {"http://10.0.0.1:50000/ping/"}
    assert door.listener.heard_of == []


@pytest.mark.asyncio
async def test_a_probe_is_sent_although_the_last_connection_failed_and_judges_by_itself(door: Door) -> None:
    door.transport.answer(REFUSED, HttpReply(401), HTML_502)
    with pytest.raises(ErpUnreachable):
        await door.send()
    await door.upstream.probe(PROBE_CALL, timeout_s=5.0, cookie="B1SESSION=s1")
    assert door.upstream.unanswered_calls == 0
    with pytest.raises(ErpServerError):
        await door.upstream.probe(PROBE_CALL, timeout_s=5.0)
    assert door.upstream.unanswered_calls == 1
    assert door.listener.heard_of == []
    assert [request.headers.get("Cookie") for request in door.transport.requests[1:]] == [
        "B1SESSION=s1",
        None,
    ]
    assert {(request.fresh, request.timeout_s) for request in door.transport.requests[1:]} == {(True, 5.0)}
