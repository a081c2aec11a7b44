"""Signing in, with a directory that keeps employees and counts how often it is asked."""

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import attrs
import pytest
from argon2 import Parameters, PasswordHasher, Type
from employees import PASSWORD, make_employee
from hypothesis import given, settings
from hypothesis import strategies as st
from store_insides import sqlite_writer
from structlog.testing import capture_logs
from typing_extensions import override

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditFilter, AuditItem, AuditStore
from erp_gateway.people.auth.company import CompanyName
from erp_gateway.people.auth.directory import EmployeeDirectory
from erp_gateway.people.auth.employee_choice import Candidates, Employee
from erp_gateway.people.auth.errors import EmployeeLookupRefused
from erp_gateway.people.auth.login import LoginService, SignedIn
from erp_gateway.people.auth.passwords import PasswordVerifier, open_password_verifier
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.people.auth.persistence.failures import FailurePersister
from erp_gateway.people.auth.sessions import WebSessionStore
from erp_gateway.store.database import Database, open_database
from erp_gateway.values.audit_event import Actor
from erp_gateway.web.session import SessionReplaced, SessionRequired
from erpclient import Caller, ErpError, ErpReply, ErpTimeout, ErpUnreachable, Lane, Phase
from servicekit.clock import ManualClock
from servicekit.config import Secret
from servicekit.erp.errors import InvalidCredentials, LoginBusy, TooManyAttempts
from servicekit.throttle import LoginThrottle

CHEAP = Parameters(
    type=Type.ID, version=19, salt_len=16, hash_len=32, time_cost=1, memory_cost=64, parallelism=1
)
AWAY: list[ErpError] = [ErpUnreachable("ECONNREFUSED", Phase.CONNECT), ErpTimeout(Phase.ANSWER)]


class Directory(EmployeeDirectory):
    """Employees in memory; it can be away, and it can be made to wait."""

    def __init__(self) -> None:
        self.employees: list[Employee] = []
        self.asked: list[tuple[str, Lane]] = []
        self.away: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()

    def hire(self, web_user: str, password: str = PASSWORD, *, active: bool = True) -> None:
        number = len(self.employees) + 1
        self.employees.append(make_employee(web_user, number, password=password, active=active))

    @override
    async def find(self, web_user: str, caller: Caller) -> Candidates:
        self.asked.append((web_user, caller.user))
        await self.open.wait()
        if self.away is not None:
            raise self.away
        alike = [one for one in self.employees if one.user.name.casefold() == web_user.casefold()]
        return Candidates(employees=alike)


class Company:
    """The company service of the ERP, in memory."""

    def __init__(self) -> None:
        self.asked = 0
        self.away: ErpError | None = None

    async def call_service(self, name: str, body: bytes, *, caller: Caller) -> ErpReply:
        self.asked += 1
        if self.away is not None:
            raise self.away
        return ErpReply(200, json.dumps({"CompanyName": "Comercial Demo"}).encode())


class Door:
    """Everything that a login needs, with short calls for the tests."""

    def __init__(
        self,
        database: Database,
        recorder: AuditRecorder,
        passwords: PasswordVerifier,
        clock: ManualClock,
    ) -> None:
        self.directory = Directory()
        self.company = Company()
        self.sessions = WebSessionStore(timeout_s=1800, clock=clock, timezone=ZoneInfo("America/Santiago"))
        self.throttle = LoginThrottle(clock, max_waiting=100)
        self.audit_store = AuditStore(database)
        self.service = LoginService(
            directory=self.directory,
            company=CompanyName(self.company, clock, database="SBO_DEMO"),
            passwords=passwords,
            throttle=self.throttle,
            changes=SessionChanges(
                sessions=self.sessions,
                throttle=self.throttle,
                recorder=recorder,
                failures=FailurePersister(database, self.throttle, clock),
            ),
            recorder=recorder,
        )

    async def sign_in(self, user: str = "ana", password: str = PASSWORD, ip: str = "10.0.0.7") -> SignedIn:
        return await self.service.sign_in(
            user,
            Secret(password),
            actor=Actor(web_user=None, ip=ip, request_id="01J"),
            caller=Caller("anonymous"),
        )

    async def fail(self, user: str = "ana", ip: str = "10.0.0.7", times: int = 1) -> None:
        for _ in range(times):
            with pytest.raises(InvalidCredentials):
                await self.sign_in(user, "wrong", ip)

    async def records(self) -> list[AuditItem]:
        return [entry async for entry in self.audit_store.walk(AuditFilter())]


@pytest.fixture
def passwords() -> Iterator[PasswordVerifier]:
    with open_password_verifier(cost=CHEAP) as opened:
        yield opened


@pytest.fixture
def door(
    database: Database, recorder: AuditRecorder, passwords: PasswordVerifier, clock: ManualClock
) -> Door:
    opened = Door(database, recorder, passwords, clock)
    opened.directory.hire("ana")
    return opened


@pytest.mark.asyncio
async def test_a_login_returns_a_token_of_the_employee(door: Door) -> None:
    signed_in = await door.sign_in()
    session = door.sessions.authenticate(signed_in.token)
    assert (session.user.name, session.user.employee_id, session.user.full_name) == ("ana", 1, "Ana Rojas")
    assert signed_in.company_name == "Comercial Demo"
    assert door.directory.asked == [("ana", "anonymous")]


@pytest.mark.asyncio
async def test_a_login_and_a_logout_are_audited(door: Door) -> None:
    signed_in = await door.sign_in()
    await door.service.sign_out(signed_in.session, actor=Actor(web_user="ana", ip="10.0.0.8"))

    observed = [(entry.action, entry.web_user, entry.ip, entry.result) for entry in await door.records()]
    assert observed == [("login", "ana", "10.0.0.7", "ok"), ("logout", "ana", "10.0.0.8", "ok")]
    with pytest.raises(SessionRequired):
        door.sessions.authenticate(signed_in.token)


@pytest.mark.asyncio
async def test_every_rejection_looks_the_same_and_is_audited_with_its_reason(door: Door) -> None:
    door.directory.hire("gone", active=False)
    door.directory.hire("twin")
    door.directory.hire("twin")
    door.directory.hire("empty", password="")
    attempts = [
        ("nobody", PASSWORD, "unknown_user"),
        ("ANA", PASSWORD, "unknown_user"),
        ("ana", "wrong", "wrong_password"),
        ("ana", "", "wrong_password"),
        ("gone", PASSWORD, "inactive"),
        ("twin", PASSWORD, "ambiguous_user"),
        ("empty", "", "wrong_password"),
        ("x' or 1 eq 1 or U_WEB_USER eq '", PASSWORD, "unknown_user"),
    ]
    bodies = set()
    for user, password, _ in attempts:
        with pytest.raises(InvalidCredentials) as caught:
            await door.sign_in(user, password)
        bodies.add((caught.value.status, caught.value.code, caught.value.detail))
    assert len(bodies) == 1

    observed = [
        (entry.action, entry.web_user, entry.result, entry.reason, entry.request_id)
        for entry in await door.records()
    ]
    assert observed == [("login_failed", user, "denied", reason, "01J") for user, _, reason in attempts]
    assert [user for user, _ in door.directory.asked] == [user for user, _, _ in attempts]
    assert len(door.sessions) == 0


@pytest.mark.asyncio
async def test_no_rejection_is_faster_than_the_slowest_check(door: Door, passwords: PasswordVerifier) -> None:
    door.directory.hire("dear", PasswordHasher(time_cost=6, memory_cost=16384, parallelism=1).hash(PASSWORD))
    door.directory.hire("cheap", PasswordHasher(time_cost=1, memory_cost=64, parallelism=1).hash(PASSWORD))
    door.directory.hire("gone", active=False)
    door.directory.hire("empty", "")
    await door.sign_in("dear")  # a login that succeeds counts too
    slowest_s = passwords.slowest_s
    assert slowest_s > 0.01
    for user in ("cheap", "ana", "gone", "empty", "nobody", "dear"):
        started_at_s = time.monotonic()
        await door.fail(user)
        assert time.monotonic() - started_at_s >= slowest_s, user


@pytest.mark.asyncio
async def test_a_delayed_rejection_holds_no_place_and_a_block_responds_at_once(
    database: Database, recorder: AuditRecorder, clock: ManualClock
) -> None:
    waiting = 0
    never = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        nonlocal waiting
        waiting += 1
        await never.wait()

    with open_password_verifier(cost=CHEAP, sleep=sleep) as passwords:
        door = Door(database, recorder, passwords, clock)
        door.directory.hire("ana", PasswordHasher(time_cost=6, memory_cost=16384, parallelism=1).hash("x"))
        door.directory.hire("eva")
        with pytest.raises(InvalidCredentials):
            await asyncio.wait_for(door.sign_in("ana"), 30)
        refusals = [asyncio.create_task(door.sign_in("eva", "wrong")) for _ in range(5)]
        async with asyncio.timeout(30):
            while waiting < 5:  # noqa: ASYNC110 - whoever sleeps signals nothing
                await asyncio.sleep(0.001)
            with pytest.raises(TooManyAttempts):
                await door.sign_in("eva")
            await door.sign_in("ana", "x")
        assert not any(refusal.done() for refusal in refusals)
        for refusal in refusals:
            refusal.cancel()
        await asyncio.gather(*refusals, return_exceptions=True)


@pytest.mark.asyncio
@pytest.mark.parametrize("away", AWAY)
async def test_an_unreachable_erp_is_not_a_failed_attempt(door: Door, away: ErpError) -> None:
    door.directory.away = away
    for _ in range(30):
        with pytest.raises(type(away)):
            await door.sign_in(password="wrong")
    assert await door.records() == []
    door.directory.away = None
    await door.sign_in()


@pytest.mark.asyncio
async def test_a_refused_lookup_is_not_a_failed_attempt(door: Door) -> None:
    door.directory.away = EmployeeLookupRefused()
    for _ in range(30):
        with pytest.raises(EmployeeLookupRefused):
            await door.sign_in()
    assert await door.records() == []


@pytest.mark.asyncio
async def test_the_sixth_attempt_never_reaches_the_erp(door: Door, clock: ManualClock) -> None:
    await door.fail(times=5)
    with pytest.raises(TooManyAttempts) as caught:
        await door.sign_in()
    assert caught.value.retry_after_s == 900
    assert len(door.directory.asked) == 5
    clock.advance(900)
    await door.sign_in()


@pytest.mark.asyncio
async def test_a_success_clears_the_users_failures(door: Door) -> None:
    for _ in range(3):
        await door.fail(times=4)
        await door.sign_in()


@pytest.mark.asyncio
async def test_a_block_has_one_record_with_a_count(door: Door, clock: ManualClock) -> None:
    await door.fail(times=5)
    for number in range(7):
        with pytest.raises(TooManyAttempts):
            await door.sign_in(ip=f"10.0.1.{number}")

    (record,) = (await door.records())[5:]
    assert (record.action, record.result, record.reason) == ("login_failed", "denied", "throttled")
    assert (record.web_user, record.ip, record.detail) == ("ana", "10.0.1.0", {"attempts": 7})

    clock.advance(900)
    await door.fail(times=5)
    with pytest.raises(TooManyAttempts):
        await door.sign_in()
    throttled = [entry for entry in await door.records() if entry.reason == "throttled"]
    assert [entry.detail for entry in throttled] == [{"attempts": 7}, {"attempts": 1}]


@pytest.mark.asyncio
async def test_a_blocked_address_is_recorded_without_a_name(door: Door) -> None:
    for number in range(20):
        await door.fail(user=f"user{number}")
    for number in range(3):
        with pytest.raises(TooManyAttempts):
            await door.sign_in(user=f"other{number}")
    (record,) = [entry for entry in await door.records() if entry.reason == "throttled"]
    assert (record.web_user, record.ip, record.detail) == (None, "10.0.0.7", {"attempts": 3})


@pytest.mark.asyncio
async def test_many_refusals_at_once_share_one_record_and_few_writes(door: Door, database: Database) -> None:
    await door.fail(times=5)
    statements: list[str] = []
    await sqlite_writer(database).run(lambda connection: connection.set_trace_callback(statements.append))
    results = await asyncio.gather(*(door.sign_in() for _ in range(60)), return_exceptions=True)
    assert {type(result) for result in results} == {TooManyAttempts}
    assert statements.count("COMMIT") <= 3
    (record,) = [entry for entry in await door.records() if entry.reason == "throttled"]
    assert record.detail == {"attempts": 60}


@pytest.mark.asyncio
async def test_a_block_with_a_pending_record_adds_no_other(
    door: Door, database: Database, recorder: AuditRecorder
) -> None:
    await door.fail(times=5)
    writer = sqlite_writer(database)
    await writer.run(lambda connection: connection.execute("PRAGMA query_only = 1"))
    with capture_logs() as logs:
        for _ in range(5):
            with pytest.raises(TooManyAttempts):
                await door.sign_in()
    assert recorder.pending == 1
    lines = [line for line in logs if line["event"] == "refused_attempts_not_recorded"]
    assert [line["attempts"] for line in lines] == [2, 3, 4, 5]
    assert (lines[0]["user"], lines[0]["ip"], lines[0]["request_id"]) == ("ana", "10.0.0.7", "01J")

    await writer.run(lambda connection: connection.execute("PRAGMA query_only = 0"))
    assert await recorder.write_pending() == 1
    with pytest.raises(TooManyAttempts):
        await door.sign_in()
    (record,) = [entry for entry in await door.records() if entry.reason == "throttled"]
    assert record.detail == {"attempts": 1}


@pytest.mark.asyncio
async def test_logins_above_the_limit_are_rejected_with_a_retry_time(door: Door) -> None:
    door.directory.open.clear()
    tasks = [asyncio.create_task(door.sign_in()) for _ in range(5 + 100)]
    await asyncio.sleep(0)
    with pytest.raises(LoginBusy):
        await door.sign_in()
    door.directory.open.set()
    await asyncio.gather(*tasks)


@pytest.mark.asyncio
async def test_of_two_logins_at_once_one_session_remains(door: Door) -> None:
    first, second = await asyncio.gather(door.sign_in(), door.sign_in())
    live = []
    for signed_in in (first, second):
        try:
            live.append(door.sessions.authenticate(signed_in.token))
        except SessionReplaced:
            continue
    assert len(live) == 1


@pytest.mark.asyncio
async def test_the_company_name_is_requested_once(door: Door) -> None:
    for _ in range(3):
        await door.sign_in()
    assert door.company.asked == 1


@pytest.mark.asyncio
@pytest.mark.parametrize("away", AWAY)
async def test_a_missing_company_name_does_not_fail_a_login_and_is_retried(
    door: Door, clock: ManualClock, away: ErpError
) -> None:
    door.company.away = away
    assert (await door.sign_in()).company_name == "SBO_DEMO"
    assert (await door.sign_in()).company_name == "SBO_DEMO"
    assert door.company.asked == 1
    door.company.away = None
    clock.advance(60)
    assert (await door.sign_in()).company_name == "Comercial Demo"


@pytest.mark.asyncio
async def test_a_rejected_login_causes_no_further_request(door: Door) -> None:
    await door.fail()
    assert door.company.asked == 0


async def everything_shown(password: str) -> tuple[str, str]:
    """Go through logins that fail and succeed; return all that anybody could see, and the token."""
    clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
    with tempfile.TemporaryDirectory() as folder, open_password_verifier(cost=CHEAP) as passwords:
        async with open_database(Path(folder) / "app.sqlite") as database:
            recorder = AuditRecorder(AuditStore(database), clock)
            with capture_logs() as logs:
                door = Door(database, recorder, passwords, clock)
                door.directory.hire("ana", password)
                door.directory.hire("gone", password, active=False)
                refusals: list[BaseException] = []
                for user, given_password in (
                    ("ana", f"{password}-almost"),
                    ("nobody", password),
                    ("gone", password),
                ):
                    with pytest.raises(InvalidCredentials) as caught:
                        await door.sign_in(user, given_password)
                    refusals.append(caught.value)
                signed_in = await door.sign_in("ana", password)
                await door.service.sign_out(signed_in.session, actor=Actor(web_user="ana"))
            shown = [
                logs,
                await door.records(),
                signed_in,
                refusals,
                attrs.asdict(door.sessions, recurse=False),
                vars(door.throttle),
                attrs.asdict(door.service, recurse=False),
                door.directory.employees,
            ]
            return "\n".join(map(repr, shown)), signed_in.token


@settings(max_examples=20, deadline=None)
@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40))
def test_no_password_and_no_token_is_shown_anywhere(noise: str) -> None:
    password = f"planted-{noise}"
    shown, token = asyncio.run(everything_shown(password))
    for secret in (password, repr(password)[1:-1], "planted", token):
        assert secret not in shown
