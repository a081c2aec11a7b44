"""Login for all, renewal by generation, pauses after failures, logout."""

import asyncio
import contextlib
import json

import pytest
import structlog
from attrs import define
from fake_transport import FakeTransport
from manual_clock import ManualClock
from recording_listener import RecordingListener
from recording_observer import RecordingObserver

from erpclient import (
    Credentials,
    ErpError,
    ErpLoginRejected,
    ErpReplyUnreadable,
    ErpServerError,
    ErpSettings,
    ErpTimeout,
    ErpUnreachable,
    HttpReply,
    Outcome,
    Phase,
    SessionEnded,
    SessionState,
)
from erpclient.erp_session import ErpSession, Ticket
from erpclient.http.upstream import Upstream

ROOT = "http://10.0.0.1:50000/b1s/v1"
REJECTED = HttpReply(401, body=b'{"error":{"code":100000027,"message":{"value":"Login failed"}}}')
INVALID = HttpReply(401, body=b'{"error":{"code":301,"message":{"value":"Invalid session"}}}')
RESTARTING = HttpReply(500, body=b'{"error":{"code":305,"message":{"value":"Switch company error: -1102"}}}')
OK = HttpReply(200)


def granted(session: str = "s1", route: str | None = ".node1") -> HttpReply:
    cookies = (f"B1SESSION={session};HttpOnly;",)
    return HttpReply(200, set_cookies=cookies if route is None else (*cookies, f"ROUTEID={route}; path=/b1s"))


@define
class Stage:
    session: ErpSession
    transport: FakeTransport
    clock: ManualClock
    observer: RecordingObserver

    def state(self) -> SessionState:
        return self.session.state

    def login_failure(self) -> ErpError | None:
        return self.session.login_failure

    @property
    def logins(self) -> int:
        return sum(request.url.endswith("/Login") for request in self.transport.requests)


def make_stage(clock: ManualClock, *, renewable: bool = True) -> Stage:
    transport, observer = FakeTransport(), RecordingObserver()
    upstream = Upstream(
        ErpSettings(ROOT, slow_call_s=1e9),
        transport,
        root=ROOT,
        clock=clock,
        observer=observer,
        listener=RecordingListener(),
    )
    session = ErpSession(
        upstream,
        Credentials("SBO_DEMO", "manager", "planted"),
        renewable=renewable,
        login_timeout_s=30.0,
        clock=clock,
        observer=observer,
    )
    return Stage(session, transport, clock, observer)


@pytest.fixture
def stage(clock: ManualClock) -> Stage:
    return make_stage(clock)


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def fail_to_log_in(stage: Stage, kind: type[ErpError]) -> ErpError:
    with pytest.raises(kind) as caught:
        await stage.session.get_ticket()
    return caught.value


@pytest.mark.asyncio
async def test_only_the_first_ticket_logs_in(stage: Stage) -> None:
    stage.transport.answer(granted())
    assert stage.state() is SessionState.NONE
    first = await stage.session.get_ticket()
    assert first == await stage.session.get_ticket() == Ticket(1, "s1", ".node1")
    assert first.cookie == "B1SESSION=s1; ROUTEID=.node1"
    assert stage.state() is SessionState.ACTIVE
    (login,) = stage.transport.requests
    assert (login.method, login.url, login.timeout_s, login.fresh) == ("POST", f"{ROOT}/Login", 30.0, True)
    assert "Cookie" not in login.headers
    assert isinstance(login.body, bytes)
    assert json.loads(login.body) == {
        "CompanyDB": "SBO_DEMO",
        "UserName": "manager",
        "Password": "planted",
    }
    assert stage.observer.logins == ["ok"]


@pytest.mark.asyncio
async def test_a_session_without_a_route_sends_only_its_cookie(stage: Stage) -> None:
    stage.transport.answer(granted(route=None))
    assert (await stage.session.get_ticket()).cookie == "B1SESSION=s1"


@pytest.mark.asyncio
async def test_twenty_concurrent_calls_cause_one_login(stage: Stage) -> None:
    tasks = [asyncio.create_task(stage.session.get_ticket()) for _ in range(20)]
    await settle()
    assert stage.state() is SessionState.LOGGING_IN
    stage.transport.answer(granted())
    assert {ticket.generation for ticket in await asyncio.gather(*tasks)} == {1}
    assert stage.logins == 1


@pytest.mark.asyncio
async def test_twenty_expired_calls_cause_one_login(stage: Stage) -> None:
    stage.transport.answer(granted())
    old = await stage.session.get_ticket()
    renewed = [asyncio.create_task(stage.session.renew(old)) for _ in range(20)]
    await settle()
    stage.transport.answer(granted("s2"))
    assert {ticket.session for ticket in await asyncio.gather(*renewed)} == {"s2"}
    late = await stage.session.renew(old)
    assert (late.generation, stage.logins) == (2, 2)


@pytest.mark.asyncio
async def test_a_cancelled_call_does_not_cancel_the_login(stage: Stage) -> None:
    first, second = (asyncio.create_task(stage.session.get_ticket()) for _ in range(2))
    await settle()
    first.cancel()
    await settle()
    stage.transport.answer(granted())
    assert (await second).session == "s1"
    assert (first.cancelled(), stage.logins) == (True, 1)


@pytest.mark.asyncio
async def test_all_calls_pending_on_a_refused_login_fail_together(stage: Stage) -> None:
    tasks = [asyncio.create_task(stage.session.get_ticket()) for _ in range(20)]
    await settle()
    stage.transport.answer(REJECTED)
    errors = await asyncio.gather(*tasks, return_exceptions=True)
    assert {type(error) for error in errors} == {ErpLoginRejected}
    assert len({id(error) for error in errors}) == 20
    assert stage.logins == 1
    assert stage.observer.logins == ["rejected"]


@pytest.mark.asyncio
async def test_refused_credentials_are_retried_after_5_s_doubling_to_5_min(
    stage: Stage,
) -> None:
    pauses = [5, 10, 20, 40, 80, 160, 300, 300]
    for attempt, pause_s in enumerate(pauses, start=1):
        stage.transport.answer(REJECTED)
        error = await fail_to_log_in(stage, ErpLoginRejected)
        assert (error.code, error.text) == (100000027, "Login failed")  # type: ignore[attr-defined]  # asserted above
        stage.clock.advance(pause_s - 0.01)
        with pytest.raises(ErpLoginRejected):
            stage.session.check()
        await fail_to_log_in(stage, ErpLoginRejected)
        assert stage.state() is SessionState.FAILING
        assert stage.logins == attempt
        stage.clock.advance(0.01)
        stage.session.check()
        assert stage.state() is SessionState.NONE


@pytest.mark.asyncio
async def test_the_pause_restarts_small_after_a_working_session(stage: Stage) -> None:
    for pause_s in (5, 10):
        stage.transport.answer(REJECTED)
        await fail_to_log_in(stage, ErpLoginRejected)
        stage.clock.advance(pause_s)
    stage.transport.answer(granted())
    ticket = await stage.session.get_ticket()
    stage.session.record_answer(ticket, OK)
    stage.transport.answer(REJECTED)
    with pytest.raises(ErpLoginRejected):
        await stage.session.renew(ticket)
    stage.clock.advance(5)
    stage.session.check()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (RESTARTING, ErpServerError),
        (HttpReply(502, body=b"<html>"), ErpServerError),
        (HttpReply(200, body=b"<html>"), ErpReplyUnreadable),
        (ErpTimeout(Phase.ANSWER), ErpTimeout),
        (ErpUnreachable("ECONNRESET", Phase.ANSWER), ErpUnreachable),
    ],
    ids=["305 -1102", "HTML 502", "HTML 200", "hangs", "cut off"],
)
@pytest.mark.asyncio
async def test_a_temporary_login_failure_is_retried_once_a_second(
    stage: Stage, answer: HttpReply | Exception, kind: type[ErpError]
) -> None:
    for attempt in range(1, 5):
        stage.transport.answer(answer)
        error = await fail_to_log_in(stage, kind)
        assert error.outcome is Outcome.NOT_DONE  # of what the caller wanted
        stage.clock.advance(0.99)
        await fail_to_log_in(stage, kind)
        assert stage.logins == attempt
        stage.clock.advance(0.01)
    stage.transport.answer(granted())
    assert (await stage.session.get_ticket()).session == "s1"
    assert stage.observer.logins == ["failed"] * 4 + ["ok"]


@pytest.mark.asyncio
async def test_a_revival_ignores_the_pause_of_a_temporary_failure(stage: Stage) -> None:
    stage.transport.answer(RESTARTING, granted("s1"))
    await fail_to_log_in(stage, ErpServerError)
    assert isinstance(stage.login_failure(), ErpServerError)
    assert (await stage.session.revive()).session == "s1"
    assert (await stage.session.revive()).session == "s1"
    assert stage.logins == 2


@pytest.mark.asyncio
async def test_a_revival_waits_out_the_pause_of_refused_credentials(stage: Stage) -> None:
    stage.transport.answer(REJECTED, granted("s1"))
    await fail_to_log_in(stage, ErpLoginRejected)
    with pytest.raises(ErpLoginRejected):
        await stage.session.revive()
    assert stage.logins == 1
    stage.clock.advance(5)
    await stage.session.revive()
    assert stage.logins == 2


@pytest.mark.asyncio
async def test_a_refusal_is_remembered_between_two_attempts_until_an_answer_proves_the_session(
    stage: Stage,
) -> None:
    assert stage.login_failure() is None
    stage.transport.answer(REJECTED, granted("s1"))
    await fail_to_log_in(stage, ErpLoginRejected)
    stage.clock.advance(5)
    assert stage.state() is SessionState.NONE
    assert isinstance(stage.login_failure(), ErpLoginRejected)
    ticket = await stage.session.get_ticket()
    assert isinstance(stage.login_failure(), ErpLoginRejected)
    stage.session.record_answer(ticket, OK)
    assert stage.login_failure() is None


@pytest.mark.asyncio
@pytest.mark.parametrize(("renewable", "before", "lost"), [(True, True, True), (False, False, False)])
async def test_the_probe_eligibility_of_a_session_follows_its_state(
    clock: ManualClock, renewable: bool, before: bool, lost: bool
) -> None:
    stage = make_stage(clock, renewable=renewable)
    assert stage.session.can_probe is before
    stage.transport.answer(granted("s1"))
    ticket = await stage.session.get_ticket()
    assert stage.session.can_probe
    assert stage.session.ticket == ticket
    stage.transport.answer(granted("s2") if renewable else INVALID)
    with contextlib.suppress(SessionEnded):
        await stage.session.renew(ticket)
    assert stage.session.can_probe is lost
    stage.transport.answer(OK)
    await stage.session.aclose()
    assert not stage.session.can_probe


def refuse(stage: Stage, ticket: Ticket, path: str = "/Items") -> ErpLoginRejected:
    return stage.session.record_refusal(ticket, INVALID, resource="Items", path=path)


def refuse_several(stage: Stage, ticket: Ticket) -> None:
    for path in ("/Items", "/Orders", "/Invoices"):
        refuse(stage, ticket, path)


@pytest.mark.asyncio
async def test_one_call_refused_after_a_login_does_not_stop_other_renewals(stage: Stage) -> None:
    stage.transport.answer(granted(), granted("s2"), granted("s3"))
    fresh = await stage.session.renew(await stage.session.get_ticket())
    with structlog.testing.capture_logs() as logs:
        error = refuse(stage, fresh)
    assert (error.code, error.outcome) == (301, Outcome.NOT_DONE)
    assert logs == [
        {
            "event": "erp_call_refused",
            "log_level": "warning",
            "resource": "Items",
            "erp_code": 301,
            "pause_s": 5.0,
        }
    ]
    assert not stage.session.renewal_pauses.may_renew("Items", "/Items")
    assert isinstance(stage.login_failure(), ErpLoginRejected), "told until a call succeeds"
    assert (await stage.session.renew(fresh)).session == "s3"


@pytest.mark.asyncio
async def test_a_pause_ended_by_a_success_does_not_return(
    stage: Stage,
) -> None:
    stage.transport.answer(granted(), granted("s2"))
    ticket = await stage.session.get_ticket()
    refuse_several(stage, ticket)
    stage.session.record_answer(ticket, OK)
    assert stage.login_failure() is None
    refuse(stage, ticket)
    assert (await stage.session.renew(ticket)).session == "s2"


@pytest.mark.asyncio
@pytest.mark.parametrize("has_succeeded", [False, True])
async def test_two_refused_calls_pause_no_renewal(stage: Stage, *, has_succeeded: bool) -> None:
    stage.transport.answer(granted(), granted("s2"))
    ticket = await stage.session.get_ticket()
    if has_succeeded:
        stage.session.record_answer(ticket, OK)
    for path in ("/Items", "/Orders"):
        refuse(stage, ticket, path)
    assert (await stage.session.renew(ticket)).session == "s2"


@pytest.mark.asyncio
async def test_several_calls_refused_after_logins_pause_renewals_only(
    stage: Stage,
) -> None:
    stage.transport.answer(granted(), granted("s2"))
    fresh = await stage.session.renew(await stage.session.get_ticket())
    refuse_several(stage, fresh)
    stage.session.check()
    assert await stage.session.get_ticket() == fresh
    with pytest.raises(ErpLoginRejected):
        await stage.session.renew(fresh)
    assert stage.logins == 2
    stage.clock.advance(5)
    stage.transport.answer(granted("s3"))
    assert (await stage.session.renew(fresh)).session == "s3"


@pytest.mark.asyncio
async def test_a_session_with_a_successful_call_may_be_renewed_at_once(stage: Stage) -> None:
    stage.transport.answer(granted(), granted("s2"))
    ticket = await stage.session.get_ticket()
    refuse_several(stage, ticket)
    stage.session.record_answer(ticket, OK)
    assert (await stage.session.renew(ticket)).session == "s2"


@pytest.mark.asyncio
async def test_an_error_page_of_the_web_server_does_not_end_the_pause(stage: Stage) -> None:
    stage.transport.answer(granted(), granted("s2"))
    ticket = await stage.session.get_ticket()
    fresh = await stage.session.renew(ticket)
    refuse_several(stage, fresh)
    stage.session.record_answer(fresh, HttpReply(502, body=b"<html>Proxy Error</html>"))
    with pytest.raises(ErpLoginRejected):
        await stage.session.renew(fresh)
    assert stage.logins == 2


@pytest.mark.asyncio
async def test_a_late_answer_of_an_older_session_does_not_end_the_pause(stage: Stage) -> None:
    stage.transport.answer(granted(), granted("s2"))
    old = await stage.session.get_ticket()
    fresh = await stage.session.renew(old)
    refuse_several(stage, fresh)
    stage.session.record_answer(old, HttpReply(200, set_cookies=("ROUTEID=.node9",)))
    assert refuse(stage, old).code == 301
    assert (await stage.session.get_ticket()).route == ".node1"
    with pytest.raises(ErpLoginRejected):
        await stage.session.renew(fresh)
    stage.clock.advance(5)
    stage.transport.answer(REJECTED)
    with pytest.raises(ErpLoginRejected):
        await stage.session.renew(fresh)
    stage.session.record_answer(fresh, OK)
    with pytest.raises(ErpLoginRejected):
        stage.session.check()


@pytest.mark.parametrize("status", [200, 204, 401, 404, 502])
@pytest.mark.asyncio
async def test_the_route_is_followed_on_any_answer(stage: Stage, status: int) -> None:
    stage.transport.answer(granted())
    ticket = await stage.session.get_ticket()
    stage.session.record_answer(ticket, HttpReply(status, set_cookies=("ROUTEID=.node2; path=/b1s",)))
    assert (await stage.session.get_ticket()).cookie == "B1SESSION=s1; ROUTEID=.node2"
    stage.session.record_answer(ticket, HttpReply(status, set_cookies=("X=1",)))
    assert (await stage.session.get_ticket()).route == ".node2"
    stage.session.record_answer(ticket, HttpReply(status, set_cookies=("ROUTEID=; path=/b1s",)))
    assert (await stage.session.get_ticket()).cookie == "B1SESSION=s1"


@pytest.mark.asyncio
async def test_closing_logs_out_with_the_sessions_own_cookies(stage: Stage) -> None:
    stage.transport.answer(granted(), HttpReply(204))
    await stage.session.get_ticket()
    await stage.session.aclose()
    logout = stage.transport.requests[-1]
    assert (logout.method, logout.url, logout.body) == ("POST", f"{ROOT}/Logout", None)
    assert logout.headers["Cookie"] == "B1SESSION=s1; ROUTEID=.node1"
    assert stage.state() is SessionState.ENDED
    assert not any(isinstance(value, Credentials) for value in vars(stage.session).values())
    await stage.session.aclose()
    assert len(stage.transport.requests) == 2
    with pytest.raises(SessionEnded):
        await stage.session.get_ticket()
    with pytest.raises(SessionEnded):
        stage.session.check()


@pytest.mark.asyncio
async def test_closing_without_a_session_sends_no_request(stage: Stage) -> None:
    await stage.session.aclose()
    assert stage.transport.requests == []


@pytest.mark.asyncio
async def test_closing_waits_for_a_pending_login_and_logs_it_out(stage: Stage) -> None:
    task = asyncio.create_task(stage.session.get_ticket())
    await settle()
    closing = asyncio.create_task(stage.session.aclose())
    await settle()
    assert not closing.done()
    stage.transport.answer(granted(), HttpReply(204))
    await closing
    assert (await task).session == "s1"
    assert [request.url.rpartition("/")[2] for request in stage.transport.requests] == ["Login", "Logout"]


@pytest.mark.asyncio
async def test_closing_after_a_failed_login_sends_no_logout(stage: Stage) -> None:
    task = asyncio.create_task(stage.session.get_ticket())
    await settle()
    closing = asyncio.create_task(stage.session.aclose())
    await settle()
    stage.transport.answer(REJECTED)
    await closing
    with pytest.raises(ErpLoginRejected):
        await task
    assert stage.logins == len(stage.transport.requests) == 1


@pytest.mark.parametrize("answer", [ErpTimeout(Phase.ANSWER), ErpUnreachable("ECONNREFUSED", Phase.CONNECT)])
@pytest.mark.asyncio
async def test_a_failed_logout_is_only_logged(stage: Stage, answer: ErpError) -> None:
    stage.transport.answer(granted(), answer)
    await stage.session.get_ticket()
    with structlog.testing.capture_logs() as logs:
        await stage.session.aclose()
    assert [entry["event"] for entry in logs] == ["erp_logout_failed"]


@pytest.mark.asyncio
async def test_aborting_cancels_a_pending_login(stage: Stage) -> None:
    task = asyncio.create_task(stage.session.get_ticket())
    await settle()
    await stage.session.abort()
    await settle()
    assert task.cancelled()
    assert stage.state() is SessionState.ENDED
    assert not any(isinstance(value, Credentials) for value in vars(stage.session).values())
    await stage.session.abort()


@pytest.mark.asyncio
async def test_a_personal_session_logs_in_once_forgets_the_password_and_ends_with_401(
    clock: ManualClock,
) -> None:
    stage = make_stage(clock, renewable=False)
    stage.transport.answer(granted())
    ticket = await stage.session.get_ticket()
    assert stage.state() is SessionState.ACTIVE
    assert "planted" not in repr(vars(stage.session))
    assert not any(isinstance(value, Credentials) for value in vars(stage.session).values())
    with pytest.raises(SessionEnded):
        await stage.session.renew(ticket)
    assert stage.state() is SessionState.ENDED
    await stage.session.aclose()
    assert stage.logins == len(stage.transport.requests) == 1


@pytest.mark.parametrize("answer", [REJECTED, RESTARTING], ids=["rejected", "restarting"])
@pytest.mark.asyncio
async def test_a_failed_personal_login_is_not_repeated(clock: ManualClock, answer: HttpReply) -> None:
    stage = make_stage(clock, renewable=False)
    stage.transport.answer(answer)
    await fail_to_log_in(stage, ErpError)
    clock.advance(1_000)
    with pytest.raises(SessionEnded):
        await stage.session.get_ticket()
    assert stage.logins == 1


@pytest.mark.asyncio
async def test_logs_and_reprs_contain_no_secret(stage: Stage) -> None:
    with structlog.testing.capture_logs() as logs:
        for answer in (REJECTED, RESTARTING, granted("planted", "planted")):
            stage.transport.answer(answer)
            try:
                shown = repr(await stage.session.get_ticket())
            except ErpError as error:
                shown = repr(error)
            assert "planted" not in shown
            stage.clock.advance(10)
        stage.transport.answer(HttpReply(204))
        await stage.session.aclose()
    assert [entry["event"] for entry in logs] == [
        "erp_login_rejected",
        "erp_login_failed",
        "erp_session_opened",
        "erp_session_closed",
    ]
    assert "planted" not in repr(logs)


@pytest.mark.asyncio
async def test_the_log_identifies_the_session_and_the_reason_of_a_failed_login(stage: Stage) -> None:
    timeout = ErpTimeout(Phase.ANSWER)
    with structlog.testing.capture_logs() as logs:
        stage.transport.answer(REJECTED, RESTARTING)
        await fail_to_log_in(stage, ErpLoginRejected)
        stage.clock.advance(5)
        restarting = await fail_to_log_in(stage, ErpServerError)
        stage.clock.advance(1)
        stage.transport.answer(granted(), granted("s2"), timeout)
        await stage.session.renew(await stage.session.get_ticket())
        await stage.session.aclose()
    assert logs == [
        {
            "log_level": "error",
            "event": "erp_login_rejected",
            "cause": "login_refused",
            "erp_code": 100000027,
            "erp_text": "Login failed",
            "pause_s": 5.0,
        },
        {
            "log_level": "warning",
            "event": "erp_login_failed",
            "cause": "company_not_opened",
            "reason": str(restarting),
        },
        {"log_level": "info", "event": "erp_session_opened", "generation": 1},
        {"log_level": "info", "event": "erp_session_lost", "generation": 1},
        {"log_level": "info", "event": "erp_session_opened", "generation": 2},
        {"log_level": "warning", "event": "erp_logout_failed", "reason": str(timeout)},
    ]


@pytest.mark.asyncio
async def test_a_login_is_observed_with_its_duration(stage: Stage) -> None:
    task = asyncio.create_task(stage.session.get_ticket())
    await settle()
    stage.clock.advance(3)
    stage.transport.answer(granted(), HttpReply(204))
    await task
    assert stage.observer.logins == ["ok"]
    assert stage.observer.durations_s == [3.0, 3.0], "of the call, and of the login"
    with structlog.testing.capture_logs() as logs:
        await stage.session.aclose()
    assert logs == [{"log_level": "info", "event": "erp_session_closed", "generation": 1}]
