"""Ended sessions, broken connections and disconnected callers, on real sockets."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import structlog
from clients import ANA, CREDENTIALS, PASSWORD, make_client
from fake_transport import FakeTransport
from manual_clock import ManualClock
from recording_observer import RecordingObserver
from scripted_erp import (
    DROP,
    HTML_502,
    INVALID_SESSION,
    RESET,
    Answer,
    Call,
    ScriptedErp,
    error_v1,
    json_answer,
    list_answer,
)
from tls_files import server_context, write_certificate

from erpclient import (
    Caller,
    CallTrace,
    ErpClient,
    ErpError,
    ErpLoginRejected,
    ErpServerError,
    ErpSettings,
    ErpTimeout,
    ErpUnreachable,
    HttpReply,
    Outcome,
    QueueClosed,
    QueueFull,
    QueueStats,
    SessionEnded,
    SessionState,
)
from erpclient.odata import ListQuery

LOGIN_FAILED = error_v1(401, 100000027, "Login failed")
PAGE = ListQuery()


@pytest_asyncio.fixture
async def client(erp: ScriptedErp) -> AsyncIterator[ErpClient]:
    async with make_client(erp) as opened:
        yield opened


class Gate:
    """A handler that holds every call until the test lets one go."""

    def __init__(self) -> None:
        self.arrived: list[Call] = []
        self._released: asyncio.Queue[Answer] = asyncio.Queue()

    async def __call__(self, call: Call) -> Answer:
        self.arrived.append(call)
        return await self._released.get()

    def release(self, answer: Answer | None = None) -> None:
        self._released.put_nowait(answer or list_answer([]))

    async def wait_for(self, count: int) -> None:
        async with asyncio.timeout(30):
            while len(self.arrived) < count:  # noqa: ASYNC110  # the server's side has no event for it
                await asyncio.sleep(0.001)


def read(
    client: ErpClient, *, user: str = "ana", skip: int = 0, trace: CallTrace | None = None
) -> Awaitable[object]:
    caller = Caller(user, trace=trace or CallTrace())
    return client.list("Items", ListQuery(skip=skip), caller=caller)


# Sessions


@pytest.mark.asyncio
async def test_an_idle_client_sends_no_request(erp: ScriptedErp) -> None:
    async with make_client(erp) as client:
        assert client.session_state is SessionState.NONE
    assert erp.calls == []
    assert erp.connections == 0


@pytest.mark.asyncio
async def test_twenty_concurrent_401s_cause_one_login_and_all_succeed(erp: ScriptedErp) -> None:
    observer = RecordingObserver()
    async with make_client(erp, max_concurrency=20, observer=observer) as client:
        await read(client)
        erp.expire_sessions()
        await asyncio.gather(*(read(client, skip=number) for number in range(20)))
    assert erp.logins == 2
    assert len(erp.work) == 1 + 20 + 20
    assert observer.repeats == ["expired_session"] * 20
    assert observer.logins == ["ok", "ok"]


@pytest.mark.asyncio
async def test_a_write_rejected_with_401_is_sent_again(erp: ScriptedErp, client: ErpClient) -> None:
    documents: list[bytes] = []

    async def store(call: Call) -> Answer:
        documents.append(call.body)
        return json_answer({"DocEntry": 1}, 201)

    erp.handler = store
    await read_ok(client)
    documents.clear()
    erp.expire_sessions()
    await client.create("Orders", b"{}", caller=ANA)
    assert documents == [b"{}"]
    assert erp.logins == 2


@pytest.mark.parametrize("trouble", ["rejected", "hangs", "cut off"])
@pytest.mark.asyncio
async def test_a_write_whose_session_renewal_fails_was_not_done(erp: ScriptedErp, trouble: str) -> None:
    async with make_client(erp, login_timeout_s=2.0) as client:
        await read(client)
        erp.expire_sessions()

        async def login(call: Call) -> Answer:
            if trouble == "hangs":
                await asyncio.sleep(30)
            return LOGIN_FAILED if trouble == "rejected" else RESET

        erp.login_handler = login
        with pytest.raises((ErpLoginRejected, ErpTimeout, ErpUnreachable)) as caught:
            await client.create("Orders", b"{}", caller=ANA)
    assert caught.value.outcome is Outcome.NOT_DONE
    assert (erp.logins, len(erp.logouts)) == (2, 0)


async def read_ok(client: ErpClient) -> None:
    await client.call_service("CompanyService_GetCompanyInfo", b"", caller=ANA)


@pytest.mark.asyncio
async def test_a_401_after_a_new_login_is_a_rejected_login_without_a_loop(erp: ScriptedErp) -> None:
    erp.script(INVALID_SESSION)
    clock = ManualClock()
    async with make_client(erp, clock=clock) as client:
        for _ in range(10):
            with pytest.raises(ErpLoginRejected) as caught:
                await read(client)
            assert (caught.value.code, caught.value.outcome) == (301, Outcome.NOT_DONE)
        assert erp.logins == 2
        assert len(erp.work) == 2 + 9
        erp.script(list_answer([]))
        await read(client)
        assert erp.logins == 2


@pytest.mark.asyncio
async def test_a_refused_account_is_tried_once_per_pause_for_all_callers(
    erp: ScriptedErp,
) -> None:
    refused = True

    async def login(call: Call) -> Answer:
        return LOGIN_FAILED if refused else erp.grant()

    erp.login_handler = login
    clock = ManualClock()
    async with make_client(erp, clock=clock, max_concurrency=4) as client:
        for tries, pause_s in enumerate((5, 10, 20), start=1):
            found = await asyncio.gather(
                *(read(client, user=f"user{number}", skip=number) for number in range(50)),
                return_exceptions=True,
            )
            assert {type(error) for error in found} == {ErpLoginRejected}
            assert client.session_state is SessionState.FAILING
            clock.advance(pause_s - 0.1)
            with pytest.raises(ErpLoginRejected):
                await read(client)
            assert erp.logins == tries
            clock.advance(0.1)
        refused = False
        await read(client)
    assert erp.logins == 4
    assert erp.work[0].resource.startswith("Items")


@pytest.mark.asyncio
async def test_an_unopened_company_is_tried_again_after_a_second(erp: ScriptedErp) -> None:
    answers = iter([error_v1(500, 305, "Switch company error: -1102"), HTML_502])

    async def login(call: Call) -> Answer:
        return next(answers, None) or erp.grant()

    erp.login_handler = login
    clock = ManualClock()
    async with make_client(erp, clock=clock) as client:
        for code in (305, None):
            for _ in range(5):
                with pytest.raises(ErpServerError) as caught:
                    await client.create("Orders", b"{}", caller=ANA)
                assert (caught.value.code, caught.value.outcome) == (code, Outcome.NOT_DONE)
            clock.advance(1)
        await read(client)
    assert erp.logins == 3


@pytest.mark.asyncio
async def test_a_hanging_login_times_out_for_all_pending_callers(
    erp: ScriptedErp,
) -> None:
    async def login(call: Call) -> Answer:
        await asyncio.sleep(30)
        raise AssertionError

    erp.login_handler = login
    async with make_client(erp, login_timeout_s=2.0, timeout_s=60.0) as client:
        started = time.monotonic()
        found = await asyncio.gather(
            *(read(client, skip=number) for number in range(10)), return_exceptions=True
        )
        assert time.monotonic() - started < 20
    assert {type(error) for error in found} == {ErpTimeout}
    assert {error.outcome for error in found if isinstance(error, ErpError)} == {Outcome.NOT_DONE}
    assert erp.logins == 1


@pytest.mark.asyncio
async def test_a_session_without_route_adopts_the_route_once_it_is_set(erp: ScriptedErp) -> None:
    async def login(call: Call) -> Answer:
        answer = erp.grant()
        answer.headers = [header for header in answer.headers if "ROUTEID" not in header[1]]
        return answer

    erp.login_handler = login
    routes = iter([None, ".node2", None])

    async def handler(call: Call) -> Answer:
        answer = list_answer([])
        route = next(routes, None)
        answer.headers = [] if route is None else [("Set-Cookie", f"ROUTEID={route}; path=/b1s")]
        return answer

    erp.handler = handler
    async with make_client(erp) as client:
        for number in range(3):
            await read(client, skip=number)
    assert [call.cookies.get("ROUTEID") for call in erp.work] == [None, None, ".node2"]
    assert erp.logouts[0].cookies["ROUTEID"] == ".node2"


# Reaching the ERP


@pytest.mark.asyncio
async def test_a_private_certificate_is_trusted_only_with_its_ca_file(
    tmp_path: Path,
) -> None:
    certificate = write_certificate(tmp_path)
    async with ScriptedErp(tls=server_context(certificate)) as erp:
        async with make_client(erp, ca_file=certificate) as client:
            await read(client)
        async with make_client(erp) as client:
            with pytest.raises(ErpUnreachable) as caught:
                await read(client)
        async with make_client(erp, verify_tls=False) as client:
            await read(client)
    assert (caught.value.network_code, caught.value.outcome) == ("CERT", Outcome.NOT_DONE)
    assert len(erp.work) == 2


def test_a_missing_ca_file_fails_the_creation_of_the_client(tmp_path: Path) -> None:
    with pytest.raises(OSError):
        ErpClient(ErpSettings("https://10.0.0.1/b1s/v1", ca_file=tmp_path / "none.pem"), CREDENTIALS)


@pytest.mark.asyncio
async def test_an_unreachable_erp_is_tried_once_a_second_until_it_returns() -> None:
    async with ScriptedErp() as first:
        settings = ErpSettings(first.url, timeout_s=5.0, connect_timeout_s=2.0)
        port = first.port
    clock = ManualClock()
    observer = RecordingObserver()
    async with ErpClient(settings, CREDENTIALS, clock=clock, observer=observer) as client:
        for _ in range(3):
            started = time.monotonic()
            for _ in range(20):
                with pytest.raises(ErpUnreachable) as caught:
                    await read(client)
                assert (caught.value.network_code, caught.value.outcome) == ("ECONNREFUSED", Outcome.NOT_DONE)
            with pytest.raises(ErpUnreachable):
                await client.ping()
            assert time.monotonic() - started < 10
            clock.advance(1)
        assert observer.calls == [("POST", "Login", "unreachable")]
        back = ScriptedErp()
        back.preferred_port = port
        async with back:
            assert await read(client)
            assert back.logins == 1
            await client.aclose()


@pytest.mark.parametrize("answer", [DROP, RESET], ids=["drop", "reset"])
@pytest.mark.asyncio
async def test_a_read_on_a_stale_connection_is_repeated_once(erp: ScriptedErp, answer: Answer) -> None:
    observer = RecordingObserver()
    async with make_client(erp, observer=observer) as client:
        await read(client)
        erp.script(answer, list_answer([]))
        trace = CallTrace()
        await read(client, skip=1, trace=trace)
        assert len(erp.work) == 3
        assert trace.calls == 2
        assert erp.work[1].connection == erp.work[0].connection != erp.work[2].connection
        assert observer.repeats == ["stale_connection"]
        erp.script(answer)
        with pytest.raises(ErpUnreachable):
            await read(client)
        assert len(erp.work) == 5


@pytest.mark.asyncio
async def test_a_read_only_service_call_on_a_stale_connection_is_repeated_once(
    erp: ScriptedErp, client: ErpClient
) -> None:
    erp.script(DROP, json_answer({}))
    await client.call_service("SeriesService_GetDocumentSeries", b"{}", caller=ANA)
    assert len(erp.work) == 2


@pytest.mark.parametrize("answer", [DROP, RESET], ids=["drop", "reset"])
@pytest.mark.parametrize("verb", ["create", "modify", "action", "service"])
@pytest.mark.asyncio
async def test_a_write_with_a_lost_response_is_sent_once_with_unknown_outcome(
    erp: ScriptedErp, client: ErpClient, verb: str, answer: Answer
) -> None:
    erp.script(answer)
    writes: dict[str, Callable[[], Awaitable[object]]] = {
        "create": lambda: client.create("Orders", b"{}", caller=ANA),
        "modify": lambda: client.modify("Orders", "(1)", b"{}", caller=ANA),
        "action": lambda: client.action("Orders", "(1)", "Cancel", b"", caller=ANA),
        "service": lambda: client.call_service("OrdersService_Cancel2", b"{}", caller=ANA, write=True),
    }
    with pytest.raises(ErpUnreachable) as caught:
        await writes[verb]()
    assert caught.value.outcome is Outcome.UNKNOWN
    assert len(erp.work) == 1


@pytest.mark.asyncio
async def test_a_write_that_times_out_is_sent_once_with_unknown_outcome(erp: ScriptedErp) -> None:
    gate = Gate()
    erp.handler = gate
    async with make_client(erp, timeout_s=2.0) as client:
        with pytest.raises(ErpTimeout) as caught:
            await client.create("Orders", b"{}", caller=ANA)
    assert caught.value.outcome is Outcome.UNKNOWN
    assert len(erp.work) == 1


@pytest.mark.asyncio
async def test_writes_never_meet_a_connection_that_the_server_is_about_to_close(
    erp: ScriptedErp, client: ErpClient
) -> None:
    used: set[int] = set()

    async def once_per_connection(call: Call) -> Answer:
        if call.connection in used:
            return DROP
        used.add(call.connection)
        return Answer(204)

    erp.handler = once_per_connection
    for _ in range(10):
        await client.modify("Orders", "(1)", b"{}", caller=ANA)
    assert len(erp.work) == 10


# Callers who leave


@pytest.mark.asyncio
async def test_a_write_in_flight_completes_after_its_caller_is_cancelled(
    erp: ScriptedErp, client: ErpClient
) -> None:
    gate = Gate()
    erp.handler = gate
    write = asyncio.create_task(client.create("Orders", b"{}", caller=ANA))
    await gate.wait_for(1)
    write.cancel()
    after = asyncio.ensure_future(read(client))
    await asyncio.sleep(0.05)
    assert write.cancelled()
    assert client.queue_stats == QueueStats(waiting=1, in_flight=1)
    assert len(gate.arrived) == 1
    gate.release(json_answer({"DocEntry": 1}, 201))
    await gate.wait_for(2)
    gate.release()
    await after
    assert erp.in_flight_peak == 1


@pytest.mark.asyncio
async def test_reads_of_the_same_page_share_a_call(erp: ScriptedErp, client: ErpClient) -> None:
    gate = Gate()
    erp.handler = gate
    reads = [asyncio.ensure_future(read(client, user=f"user{number}")) for number in range(10)]
    await gate.wait_for(1)
    reads.append(asyncio.ensure_future(read(client, skip=1)))
    for _ in range(3):
        gate.release(list_answer([{"A": 1}]))
    assert len({str(found) for found in await asyncio.gather(*reads)}) == 1
    assert ["skip=1" in call.target for call in erp.work] == [False, False, True]


@pytest.mark.parametrize("limits", [{"queue_limit_per_user": 1}, {"queue_limit": 1}])
@pytest.mark.asyncio
async def test_requests_over_the_queue_limits_are_rejected(erp: ScriptedErp, limits: dict[str, Any]) -> None:
    gate = Gate()
    erp.handler = gate
    async with make_client(erp, **limits) as client:
        first = asyncio.ensure_future(read(client))
        await gate.wait_for(1)
        second = asyncio.ensure_future(read(client, skip=1))
        await asyncio.sleep(0)
        with pytest.raises(QueueFull):
            await read(client, skip=2)
        gate.release()
        gate.release()
        await asyncio.gather(first, second)


# Closing


@pytest.mark.asyncio
async def test_closing_logs_out_once_with_the_session_cookies(erp: ScriptedErp) -> None:
    async with make_client(erp) as client:
        await read(client)
        session = set(erp.sessions)
    assert [call.cookies["B1SESSION"] for call in erp.logouts] == list(session)
    assert erp.logouts[0].cookies["ROUTEID"] == ".node1"
    await client.aclose()
    assert len(erp.logouts) == 1
    with pytest.raises(QueueClosed):
        await read(client)
    assert client.session_state is SessionState.ENDED


@pytest.mark.asyncio
async def test_closing_never_logs_in(erp: ScriptedErp) -> None:
    async with make_client(erp) as client:
        await read(client)
        erp.expire_sessions()
    assert (erp.logins, len(erp.logouts)) == (1, 1)


@pytest.mark.asyncio
async def test_closing_finishes_a_write_and_rejects_queued_requests(erp: ScriptedErp) -> None:
    gate = Gate()
    erp.handler = gate
    client = make_client(erp)
    await client.__aenter__()
    write = asyncio.create_task(client.create("Orders", b"{}", caller=ANA))
    await gate.wait_for(1)
    waiting = [asyncio.ensure_future(read(client, skip=number)) for number in range(30)]
    await asyncio.sleep(0)
    closing = asyncio.create_task(client.aclose())
    found = await asyncio.gather(*waiting, return_exceptions=True)
    assert {type(error) for error in found} == {QueueClosed}
    assert not closing.done()
    gate.release(json_answer({"DocEntry": 1}, 201))
    assert (await write).body == b'{"DocEntry":1}'
    await closing
    assert [call.resource for call in erp.calls] == ["Login", "Orders", "Logout"]


@pytest.mark.asyncio
async def test_closing_during_a_login_logs_that_session_out(erp: ScriptedErp) -> None:
    arrived, go_on = asyncio.Event(), asyncio.Event()

    async def login(call: Call) -> Answer:
        arrived.set()
        await go_on.wait()
        return erp.grant()

    erp.login_handler = login
    async with make_client(erp) as client:
        task = asyncio.ensure_future(read(client))
        await arrived.wait()
        asyncio.get_running_loop().call_later(0.05, go_on.set)
    await task
    assert [call.resource.partition("?")[0] for call in erp.calls] == ["Login", "Items", "Logout"]
    assert erp.sessions == set()


@pytest.mark.asyncio
async def test_drain_keeps_the_session(erp: ScriptedErp, client: ErpClient) -> None:
    await read(client)
    client.drain()
    with pytest.raises(QueueClosed):
        await read(client)
    assert client.session_state is SessionState.ACTIVE
    assert erp.logouts == []


@pytest.mark.asyncio
async def test_an_interrupted_close_ends_all_tasks(erp: ScriptedErp) -> None:
    gate = Gate()
    erp.handler = gate
    client = make_client(erp)
    await client.__aenter__()
    write = asyncio.create_task(client.create("Orders", b"{}", caller=ANA))
    await gate.wait_for(1)
    closing = asyncio.create_task(client.aclose())
    await asyncio.sleep(0.02)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    with pytest.raises(QueueClosed) as caught:
        await write
    assert caught.value.outcome is Outcome.UNKNOWN
    assert asyncio.all_tasks() - {asyncio.current_task()} == server_tasks(erp)


def server_tasks(erp: ScriptedErp) -> set[object]:
    return {task for task in asyncio.all_tasks() if "ScriptedErp" in repr(task.get_coro())}


@pytest.mark.asyncio
async def test_a_provided_transport_stays_open() -> None:
    transport = FakeTransport()
    transport.answer(HttpReply(200, set_cookies=("B1SESSION=a",)), HttpReply(200, body=b"{}"), HttpReply(204))
    settings = ErpSettings("http://10.0.0.1:50000/b1s/v1")
    async with ErpClient(settings, CREDENTIALS, transport=transport) as client:
        await read_ok(client)
    assert transport.closed == 0
    assert [request.url.rpartition("/")[2] for request in transport.requests] == [
        "Login",
        "CompanyService_GetCompanyInfo",
        "Logout",
    ]


# A person's session


@pytest.mark.asyncio
async def test_a_personal_client_is_unusable_after_its_session_ends(erp: ScriptedErp) -> None:
    async with make_client(erp, renewable=False) as client:
        await client.log_in()
        assert (erp.logins, client.session_state) == (1, SessionState.ACTIVE)
        await read(client)
        erp.expire_sessions()
        with pytest.raises(SessionEnded) as caught:
            await client.create("Orders", b"{}", caller=ANA)
        assert caught.value.outcome is Outcome.NOT_DONE
        with pytest.raises(SessionEnded):
            await read(client)
    assert erp.logins == 1
    assert len(erp.work) == 2
    assert erp.logouts == []


@pytest.mark.asyncio
async def test_a_wrong_personal_password_is_tried_once(erp: ScriptedErp) -> None:
    async def login(call: Call) -> Answer:
        return LOGIN_FAILED

    erp.login_handler = login
    async with make_client(erp, renewable=False) as client:
        with pytest.raises(ErpLoginRejected):
            await client.log_in()
        with pytest.raises(SessionEnded):
            await client.log_in()
    assert erp.logins == 1


@pytest.mark.asyncio
async def test_two_personal_clients_share_a_transport_with_separate_cookies(erp: ScriptedErp) -> None:
    one, two = make_client(erp, renewable=False), make_client(erp, renewable=False)
    async with one, two:
        await asyncio.gather(one.log_in(), two.log_in())
        await asyncio.gather(*(read(client, skip=number) for client in (one, two) for number in range(3)))
        assert {call.cookies["B1SESSION"] for call in erp.work} == erp.sessions
    assert len(erp.sessions) == 0


# Secrets


@pytest.mark.asyncio
async def test_a_planted_secret_is_in_no_log_error_metric_or_repr(erp: ScriptedErp) -> None:
    shown: list[str] = []
    observer = RecordingObserver()
    answers = iter([LOGIN_FAILED, HTML_502, DROP, None])

    async def login(call: Call) -> Answer:
        return next(answers, None) or erp.grant()

    erp.login_handler = login
    clock = ManualClock()
    with structlog.testing.capture_logs() as logs:
        async with make_client(erp, clock=clock, observer=observer, slow_call_s=1e-9) as client:
            for answer in (*[list_answer([])] * 4, INVALID_SESSION, RESET, HTML_502):
                erp.script(answer)
                with contextlib.suppress(ErpError):
                    try:
                        shown.append(repr(await read(client)))
                    except ErpError as error:
                        shown += [repr(error), str(error), repr(error.__cause__), repr(vars(error))]
                        raise
                clock.advance(1000)
            shown += [repr(client), repr(vars(client)), repr(client.session_state)]
    session_values = [call.cookies["B1SESSION"] for call in erp.work]
    everything = repr(logs) + repr(observer) + "".join(shown)
    assert PASSWORD not in everything
    assert session_values
    assert not [value for value in session_values if value in everything]
