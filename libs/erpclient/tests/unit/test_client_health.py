"""Clients of an ERP that gives no answers, on real sockets; only the pauses between probes are not real."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from clients import ANA, CREDENTIALS, make_client
from manual_clock import ManualClock
from recording_observer import RecordingObserver
from scripted_erp import HTML_502, Answer, Call, ScriptedErp, error_v1, json_answer, list_answer

from erpclient import (
    AiohttpTransport,
    Caller,
    Condition,
    ErpClient,
    ErpError,
    ErpLoginRejected,
    ErpSettings,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    HealthMonitor,
    Outcome,
    SessionState,
)
from erpclient.odata import ListQuery

SHORT: dict[str, Any] = {"timeout_s": 0.5, "login_timeout_s": 1.5, "probe_timeout_s": 0.5}
PONG = json_answer({"message": "pong", "sender": "load balancer"})


class Switchboard:
    """Behaviour of the ERP for each call: it answers, hangs, or shows the gateway's page.

    Attributes:
        hangs: resources that never answer; `*` for all.
        sick: resources that get the gateway's page; `*` for all.
    """

    def __init__(self) -> None:
        self.hangs: set[str] = set()
        self.sick: set[str] = set()
        self.ever = asyncio.Event()

    async def __call__(self, call: Call) -> Answer:
        resource = "ping" if call.target == "/ping/" else call.resource.partition("?")[0]
        if {resource, "*"} & self.hangs:
            await self.ever.wait()
        if {resource, "*"} & self.sick:
            return HTML_502
        return PONG if resource == "ping" else list_answer([])


@pytest.fixture
def board(erp: ScriptedErp) -> Switchboard:
    board = Switchboard()
    erp.handler = board
    return board


def probes(erp: ScriptedErp) -> list[Call]:
    return [call for call in erp.calls if call.resource.startswith("Warehouses?")]


async def read(client: ErpClient, resource: str = "Reports", *, user: str = "ana", skip: int = 0) -> object:
    return await client.list(resource, ListQuery(skip=skip), caller=Caller(user))


async def fail(client: ErpClient, times: int = 3) -> None:
    for _ in range(times):
        with pytest.raises(ErpError) as caught:
            await read(client)
        assert not isinstance(caught.value, ErpUnwell)


async def wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # the condition has no event
            await asyncio.sleep(0.001)


@pytest.mark.asyncio
@pytest.mark.parametrize("trouble", ["hangs", "sick"])
async def test_an_unresponsive_erp_is_probed_once_and_then_requests_are_rejected(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock, trouble: str
) -> None:
    async with make_client(erp, clock=clock, **SHORT) as client:
        await read(client)
        getattr(board, trouble).add("*")
        await fail(client)
        await wait_until(lambda: client.condition is Condition.UNWELL)
        assert [call.cookies for call in probes(erp)] == [erp.calls[1].cookies]
        sent, began = len(erp.calls), time.monotonic()
        for ask in (read(client), client.create("Orders", b"{}", caller=ANA), client.log_in()):
            with pytest.raises(ErpUnwell) as caught:
                await ask
            assert caught.value.outcome is Outcome.NOT_DONE
        assert time.monotonic() - began < 5
        assert len(erp.calls) == sent
        getattr(board, trouble).clear()
        clock.advance(5)
        await wait_until(lambda: client.condition is Condition.WELL)
        await read(client)
        assert len(probes(erp)) == 2


@pytest.mark.asyncio
async def test_queued_requests_of_an_unwell_erp_are_rejected_unsent(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    observer = RecordingObserver()
    async with make_client(erp, clock=clock, observer=observer, **SHORT) as client:
        await read(client)
        board.hangs.add("*")
        tasks = [asyncio.create_task(read(client, skip=number)) for number in range(6)]
        await asyncio.wait(tasks)
    errors = [type(task.exception()) for task in tasks]
    assert errors == [ErpTimeout] * 3 + [ErpUnwell] * 3
    assert observer.waits.count("unwell") == 3
    assert len(erp.work) == 1 + 3 + 1


@pytest.mark.asyncio
async def test_three_slow_reports_and_a_healthy_probe_leave_the_erp_well(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    board.hangs.add("Reports")
    async with make_client(erp, clock=clock, **SHORT) as client:
        await read(client, "Items")
        erp.in_flight_peak = 0
        slow = [asyncio.create_task(read(client, skip=number)) for number in range(6)]
        others = [asyncio.create_task(read(client, "Items", user="eva", skip=n)) for n in range(2)]
        await asyncio.wait([*slow, *others])
        assert [type(task.exception()) for task in slow] == [ErpTimeout] * 6
        assert all(task.exception() is None for task in others)
        assert client.condition is Condition.WELL
        assert len(probes(erp)) <= 1


@pytest.mark.asyncio
async def test_the_probe_takes_the_next_turn_and_runs_alone(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    board.sick.add("Reports")
    async with make_client(erp, clock=clock) as client:
        await read(client, "Items")
        tasks = [asyncio.create_task(read(client, skip=number)) for number in range(8)]
        await asyncio.wait(tasks)
    work = [call.resource.partition("?")[0] for call in erp.work]
    assert work == ["Items", *["Reports"] * 3, "Warehouses", *["Reports"] * 5]
    assert erp.in_flight_peak == 1


@pytest.mark.asyncio
async def test_failed_connections_never_make_the_erp_unwell(erp: ScriptedErp, clock: ManualClock) -> None:
    async with make_client(erp, clock=clock, **SHORT) as client:
        await read(client)
        await erp.stop()
        for _ in range(8):
            with pytest.raises(ErpUnreachable):
                await read(client)
            clock.advance(1)
        assert client.condition is Condition.WELL


@pytest.mark.check
@pytest.mark.asyncio
async def test_unanswered_logins_count_and_a_late_answer_makes_the_erp_well(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    slow = asyncio.Event()

    async def login(call: Call) -> Answer:
        await slow.wait()
        return erp.grant()

    erp.login_handler = login
    async with make_client(erp, clock=clock, **SHORT | {"probe_timeout_s": 0.1}) as client:
        for _ in range(3):
            with pytest.raises(ErpTimeout):
                await read(client)
            clock.advance(1)
        await wait_until(lambda: client.condition is Condition.UNWELL)
        assert [call.cookies for call in probes(erp)] == [{}]
        assert erp.logins == 4
        slow.set()  # in time for the login that the probe began, not for the probe
        await wait_until(lambda: client.condition is Condition.WELL)
        await read(client)
        assert erp.logins == 4


@pytest.mark.check
@pytest.mark.asyncio
async def test_a_refused_login_is_an_answer(erp: ScriptedErp, clock: ManualClock) -> None:
    ever = asyncio.Event()

    async def hang(call: Call) -> Answer:
        await ever.wait()
        raise AssertionError

    async def refuse(call: Call) -> Answer:
        return error_v1(401, 100000027, "Login failed")

    erp.login_handler = hang
    async with make_client(erp, clock=clock, **SHORT) as client:
        for _ in range(3):
            with pytest.raises(ErpTimeout):
                await read(client)
            clock.advance(1)
        await wait_until(lambda: client.condition is Condition.UNWELL)
        erp.login_handler = refuse
        await wait_until(lambda: client.session_state is not SessionState.LOGGING_IN)
        clock.advance(5)
        await wait_until(lambda: client.condition is Condition.WELL)
        assert isinstance(client.login_failure, ErpLoginRejected)


@pytest.mark.asyncio
async def test_closing_during_an_outage_sends_no_call_and_leaves_no_task(
    erp: ScriptedErp, board: Switchboard
) -> None:
    client = make_client(erp, **SHORT | {"probe_timeout_s": 30.0})
    await client.__aenter__()
    await read(client)
    board.sick.add("*")
    await fail(client)
    await wait_until(lambda: client.condition is Condition.UNWELL)
    sent, began = len(erp.calls), time.monotonic()
    await client.aclose()
    assert time.monotonic() - began < 5
    assert len(erp.calls) == sent
    server = {task for task in asyncio.all_tasks() if "ScriptedErp" in repr(task.get_coro())}
    assert asyncio.all_tasks() - {asyncio.current_task()} == server


@pytest.mark.asyncio
async def test_closing_cancels_a_probe_and_its_login(erp: ScriptedErp, clock: ManualClock) -> None:
    ever = asyncio.Event()

    async def hang(call: Call) -> Answer:
        await ever.wait()
        raise AssertionError

    erp.login_handler = hang
    client = make_client(erp, clock=clock, login_timeout_s=0.2, probe_timeout_s=0.2)
    await client.__aenter__()
    for _ in range(3):
        with pytest.raises(ErpTimeout):
            await read(client)
        clock.advance(1)
    await wait_until(lambda: client.condition is Condition.UNWELL)
    await wait_until(lambda: client.session_state is not SessionState.LOGGING_IN)
    clock.advance(5)
    await wait_until(lambda: erp.logins >= 5)
    began = time.monotonic()
    await client.aclose()
    assert time.monotonic() - began < 5
    server = {task for task in asyncio.all_tasks() if "ScriptedErp" in repr(task.get_coro())}
    assert asyncio.all_tasks() - {asyncio.current_task()} == server


# One Service Layer, a session for each person


@asynccontextmanager
async def house(erp: ScriptedErp, clock: ManualClock) -> AsyncIterator[Callable[[], ErpClient]]:
    """A transport and a monitor for all, and what makes a person's client."""
    settings = ErpSettings(erp.url, connect_timeout_s=2.0, slow_call_s=1e9, **SHORT)
    transport = AiohttpTransport()
    await transport.open()
    health = HealthMonitor(settings, transport, clock=clock)
    clients: list[ErpClient] = []

    def move_in() -> ErpClient:
        options: dict[str, Any] = {"renewable": False, "transport": transport, "health": health}
        clients.append(ErpClient(settings, CREDENTIALS, clock=clock, **options))
        return clients[-1]

    try:
        yield move_in
    finally:
        for client in clients:
            await client.aclose()
        await health.aclose()
        await transport.aclose()


@pytest.mark.asyncio
async def test_the_condition_found_by_one_client_applies_to_all(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    async with house(erp, clock) as move_in:
        ana, eva = move_in(), move_in()
        await ana.log_in()
        await eva.log_in()
        board.hangs.add("*")
        await fail(ana, 2)
        await fail(eva, 1)
        await wait_until(lambda: eva.condition is Condition.UNWELL)
        with pytest.raises(ErpUnwell):
            await read(ana)
        newcomer, logins = move_in(), erp.logins
        with pytest.raises(ErpUnwell):
            await newcomer.log_in()
        assert erp.logins == logins


@pytest.mark.asyncio
async def test_the_probe_uses_a_session_with_answered_calls(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    """The Service Layer may still be at work on what one person gave up; another's session is free."""
    async with house(erp, clock) as move_in:
        ana, eva = move_in(), move_in()
        for client in (ana, eva):
            await client.log_in()
            await read(client, "Items")
        eva_cookies = erp.work[-1].cookies
        board.hangs.add("Reports")
        await fail(ana)
        await wait_until(lambda: ana.condition is Condition.WELL)
        assert [call.cookies for call in probes(erp)] == [eva_cookies]


@pytest.mark.asyncio
async def test_unanswered_probes_alternate_between_sessions(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    """Each may still hold up its own session, and would hold up the next probe in it."""
    async with house(erp, clock) as move_in:
        clients = [move_in() for _ in range(3)]
        for client in clients:
            await client.log_in()
        board.sick.add("*")
        await fail(clients[0])
        for count in range(1, 7):
            await wait_until(lambda count=count: len(probes(erp)) == count)  # type: ignore[misc]
            await wait_until(lambda: clock.armed == 1)
            clock.advance(5)
        senders = [call.cookies["B1SESSION"][-1] for call in probes(erp)[:6]]
        assert senders == ["2", "3", "2", "3", "2", "3"]


@pytest.mark.asyncio
async def test_a_session_with_a_call_in_flight_does_not_probe(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    async with house(erp, clock) as move_in:
        ana, eva = move_in(), move_in()
        for client in (ana, eva):
            await client.log_in()
            await read(client, "Items")
        ana_cookies = erp.work[0].cookies
        board.hangs.add("Slow")
        board.sick.add("Reports")
        under_way = asyncio.create_task(read(eva, "Slow"))
        await wait_until(lambda: erp.work[-1].resource.startswith("Slow"))
        await fail(ana)
        await wait_until(lambda: ana.condition is Condition.WELL)
        assert [call.cookies for call in probes(erp)] == [ana_cookies]
        with contextlib.suppress(ErpTimeout):
            await under_way


@pytest.mark.check
@pytest.mark.asyncio
async def test_without_sessions_the_balancer_is_pinged(
    erp: ScriptedErp, board: Switchboard, clock: ManualClock
) -> None:
    ever = asyncio.Event()

    async def hang(call: Call) -> Answer:
        await ever.wait()
        raise AssertionError

    erp.login_handler = hang
    board.hangs.add("*")
    async with house(erp, clock) as move_in:
        for _ in range(3):
            with pytest.raises(ErpTimeout):
                await move_in().log_in()
        newcomer = move_in()
        await wait_until(lambda: newcomer.condition is Condition.UNWELL)
        assert [call.target for call in erp.calls if call.resource != "Login"] == ["/ping/"]
        board.hangs.clear()
        clock.advance(5)
        await wait_until(lambda: newcomer.condition is Condition.WELL)
