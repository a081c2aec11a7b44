"""Looks at employees one after the other, with a directory that answers when it is told to."""

import asyncio
from collections.abc import AsyncIterator
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio
from employees import make_employee
from typing_extensions import override

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.audit.store import AuditFilter, AuditItem, AuditStore
from erp_gateway.people.auth.directory import EmployeeDirectory
from erp_gateway.people.auth.employee_choice import Candidates
from erp_gateway.people.auth.persistence.changes import SessionChanges
from erp_gateway.people.auth.persistence.failures import FailurePersister
from erp_gateway.people.auth.recheck import RECHECK_LANE, EmployeeRecheck
from erp_gateway.people.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.store.database import Database
from erpclient import Caller, ErpUnreachable, Lane, Phase
from servicekit.clock import ManualClock
from servicekit.throttle import LoginThrottle

INTERVAL_S = 900.0


class Directory(EmployeeDirectory):
    """Answers that nobody of a name is left, or that the ERP is away, once `release` has been called."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, Lane, str | None]] = []
        self.away = False
        self._released = asyncio.Semaphore(0)

    def release(self, times: int = 1) -> None:
        for _ in range(times):
            self._released.release()

    @override
    async def find(self, web_user: str, caller: Caller) -> Candidates:
        self.asked.append((web_user, caller.user, caller.request_id))
        await self._released.acquire()
        if self.away:
            raise ErpUnreachable("ECONNREFUSED", Phase.CONNECT)
        return Candidates(employees=())


class House:
    """Sessions, and what looks after them."""

    def __init__(self, database: Database, recorder: AuditRecorder, clock: ManualClock) -> None:
        store, throttle = AuditStore(database), LoginThrottle(clock)
        self.clock = clock
        self.audit_store = store
        self.directory = Directory()
        self.sessions = WebSessionStore(timeout_s=1800, clock=clock, timezone=ZoneInfo("UTC"))
        self.recheck = EmployeeRecheck(
            directory=self.directory,
            sessions=self.sessions,
            changes=SessionChanges(
                sessions=self.sessions,
                throttle=throttle,
                recorder=recorder,
                failures=FailurePersister(database, throttle, clock),
            ),
            interval_s=INTERVAL_S,
        )

    def open(self, web_user: str) -> OpenedSession:
        return self.sessions.open(make_employee(web_user, 1))

    async def asked(self, times: int) -> None:
        async with asyncio.timeout(10):
            while len(self.directory.asked) < times:  # noqa: ASYNC110 - the directory signals nothing
                await asyncio.sleep(0)

    async def done(self) -> None:
        assert self.recheck._task is not None
        await asyncio.wait_for(self.recheck._task, 10)

    async def records(self) -> list[AuditItem]:
        return [entry async for entry in self.audit_store.walk(AuditFilter())]


@pytest_asyncio.fixture
async def house(database: Database, recorder: AuditRecorder, clock: ManualClock) -> AsyncIterator[House]:
    opened = House(database, recorder, clock)
    yield opened
    await opened.recheck.aclose()


@pytest.mark.asyncio
async def test_rechecks_run_one_at_a_time_in_their_own_lane(house: House) -> None:
    sessions = [house.open(f"user{number}").session for number in range(3)]
    house.clock.advance(INTERVAL_S)
    for number, session in enumerate(sessions):
        house.recheck.schedule(session, f"request{number}")
    for number in range(3):
        await house.asked(number + 1)
        await asyncio.sleep(0)
        assert len(house.directory.asked) == number + 1
        house.directory.release()
    await house.done()
    assert house.directory.asked == [(f"user{n}", RECHECK_LANE, f"request{n}") for n in range(3)]
    assert len(house.sessions) == 0
    assert [entry.request_id for entry in await house.records()] == ["request0", "request1", "request2"]


@pytest.mark.asyncio
async def test_a_login_during_a_recheck_keeps_the_new_session(house: House) -> None:
    earlier = house.open("ana")
    house.clock.advance(INTERVAL_S)
    house.recheck.schedule(earlier.session, "01J")
    await house.asked(1)
    newer = house.open("ana")
    house.directory.release()
    await house.done()
    assert house.sessions.authenticate(newer.token) == newer.session
    assert await house.records() == []


@pytest.mark.asyncio
async def test_a_failed_recheck_does_not_stop_the_next_one(house: House) -> None:
    house.directory.release(4)
    opened = [house.open(user) for user in ("ana", "eva")]
    for away, left in ((True, 2), (False, 0)):
        house.directory.away = away
        house.clock.advance(INTERVAL_S)
        for each in opened:
            house.sessions.authenticate(each.token)
            house.recheck.schedule(each.session, "01J")
            house.recheck.schedule(each.session, "01J")
        await house.done()
        assert len(house.sessions) == left
    assert len(house.directory.asked) == 4


@pytest.mark.asyncio
async def test_pending_rechecks_are_dropped_at_the_stop(house: House) -> None:
    await house.recheck.aclose()
    opened = [house.open(user) for user in ("ana", "eva")]
    house.clock.advance(INTERVAL_S)
    for each in opened:
        house.recheck.schedule(each.session, "01J")
    await house.asked(1)
    await house.recheck.aclose()
    assert len(house.directory.asked) == 1
    assert len(house.sessions) == 2
