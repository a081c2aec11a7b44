"""Denied requests have a record each up to a limit; identical service actions share one. Both are counted."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPMethod

import pytest
from store_beside import beside
from structlog.testing import capture_logs

from erp_gateway.audit.chain_check import check_chain
from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.recorder import AuditRecorder, open_recorder
from erp_gateway.audit.repeats import MINUTE_S, OWN_RECORDS
from erp_gateway.audit.store import AuditStore
from erp_gateway.store.database import open_database
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult
from servicekit.clock import ManualClock

pytestmark = pytest.mark.asyncio


def denial(user: str, subject: str, key: str | None = None) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.PERMISSION_DENIED,
        result=AuditResult.DENIED,
        actor=Actor(web_user=user),
        resource=subject,
        key=key,
        detail=AuditDetail(method=HTTPMethod.GET),
        reason="permission_denied",
    )


def service_action(
    user: str,
    name: str = "SeriesService_GetSeries",
    *fields: str,
    key: str | None = None,
    reason: str | None = None,
) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.SL_ACTION,
        result=AuditResult.OK if reason is None else AuditResult.ERROR,
        actor=Actor(web_user=user),
        resource=name,
        key=key,
        fields=fields,
        reason=reason,
    )


def recorded(place: StorePlace) -> list[tuple[str, str, str | None, str]]:
    """Return user, subject, key and detail of every record."""
    rows = beside(place).ask("SELECT web_user, resource, key, detail FROM audit_log ORDER BY id")
    return [(user, subject, key, detail) for user, subject, key, detail in rows]


@asynccontextmanager
async def recording(place: StorePlace, clock: ManualClock) -> AsyncIterator[AuditRecorder]:
    """Open a recorder whose store waits a moment only and that does nothing of its own accord."""
    async with (
        open_database(place, write_timeout_s=0.05) as database,
        open_recorder(AuditStore(database), clock, interval_s=600) as recorder,
    ):
        yield recorder


GET = '{"method": "GET"}'


def denials_of(place: StorePlace, user: str) -> list[tuple[str | None, str | None, str]]:
    return [row[1:] for row in recorded(place) if row[0] == user]


async def test_thirty_denials_per_minute_have_their_own_record_and_the_rest_share_one(
    store_place: StorePlace, clock: ManualClock
) -> None:
    own = [("Orders", str(number), GET) for number in range(OWN_RECORDS)]
    async with recording(store_place, clock) as recorder:
        with capture_logs() as logs:
            for number in range(OWN_RECORDS):
                await recorder.record(denial("luis", "Orders", str(number)))
            assert denials_of(store_place, "luis") == own
            for number in range(500):
                await recorder.record(denial("luis", f"/made-up/{number}", str(number)))
            await recorder.record(denial("eva", "Orders", "7"))
        shared = [*own, (None, None, '{"attempts": 1}')]
        assert denials_of(store_place, "luis") == shared
        assert denials_of(store_place, "eva") == [("Orders", "7", GET)]
        lines = [line for line in logs if line["event"] == "AUDIT" and line["user"] == "luis"]
        assert len(lines) == OWN_RECORDS + 1
        clock.advance(MINUTE_S - 1)
        await recorder.record(denial("luis", "Orders"))
        await recorder.write_counts()
        assert denials_of(store_place, "luis") == shared
        clock.advance(1)
        await recorder.write_counts()
        counted = [*own, (None, None, '{"attempts": 501}')]
        assert denials_of(store_place, "luis") == counted
        await recorder.record(denial("luis", "Orders", "again"))
        assert denials_of(store_place, "luis") == [*counted, ("Orders", "again", GET)]


async def test_thirty_denials_have_no_record_that_counts(store_place: StorePlace, clock: ManualClock) -> None:
    async with recording(store_place, clock) as recorder:
        for number in range(OWN_RECORDS):
            await recorder.record(denial("luis", "Orders", str(number)))
    assert len(denials_of(store_place, "luis")) == OWN_RECORDS


async def test_the_count_of_a_finished_minute_is_written_after_the_next_denial(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with recording(store_place, clock) as recorder:
        for attempts in (2, 3):
            for _ in range(OWN_RECORDS + attempts):
                await recorder.record(denial("luis", "Orders"))
            clock.advance(MINUTE_S)
    shared = [detail for subject, _, detail in denials_of(store_place, "luis") if subject is None]
    assert shared == ['{"attempts": 2}', '{"attempts": 3}']


async def test_a_record_written_late_gets_its_count(store_place: StorePlace, clock: ManualClock) -> None:
    action = service_action("luis", "SeriesService_GetSeries", "SeriesParams.Series")
    async with recording(store_place, clock) as recorder:
        with beside(store_place).hold():
            for _ in range(3):
                await recorder.record(action)
            assert recorder.pending == 1
            clock.advance(MINUTE_S)
            await recorder.write_counts()
        await recorder.write_pending()
        assert [detail for *_, detail in recorded(store_place)] == ["{}"]
        await recorder.write_counts()
        assert [detail for *_, detail in recorded(store_place)] == ['{"attempts": 3}']


async def test_identical_service_actions_of_a_minute_share_one_record_and_different_ones_do_not(
    store_place: StorePlace, clock: ManualClock
) -> None:
    different = [
        service_action("luis"),
        service_action("luis", "SeriesService_GetSeries", "SeriesParams.Series"),
        service_action("luis", "SeriesService_GetDefaultSeries"),
        service_action("luis", reason="upstream_rejected"),
        service_action("eva"),
    ]
    async with recording(store_place, clock) as recorder:
        with capture_logs() as logs:
            for _ in range(100):
                for event in different:
                    await recorder.record(event)
        assert len([line for line in logs if line["event"] == "AUDIT"]) == len(different)
        clock.advance(MINUTE_S)
        await recorder.record(different[0])
    details = [detail for *_, detail in recorded(store_place)]
    assert details == ['{"attempts": 100}'] * len(different) + ["{}"]


async def test_identical_actions_on_a_record_have_a_record_each(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with recording(store_place, clock) as recorder:
        for key in ("7", "7", ""):
            await recorder.record(service_action("luis", "IncomingPayments", "Cancel()", key=key))
    assert recorded(store_place) == [("luis", "IncomingPayments", key, "{}") for key in ("7", "7", "")]


async def test_a_count_keeps_the_rest_of_the_detail_and_the_chain(
    store_place: StorePlace, clock: ManualClock
) -> None:
    names = [f"U_{number}" for number in range(300)]
    async with recording(store_place, clock) as recorder:
        for _ in range(3):
            await recorder.record(service_action("luis", "LandedCostsService_GetList", *names))
    assert [detail for *_, detail in recorded(store_place)] == ['{"attempts": 3, "fieldsOmitted": 100}']
    async with open_database(store_place) as database:
        assert (await check_chain(AuditChain(database))).faults == []
