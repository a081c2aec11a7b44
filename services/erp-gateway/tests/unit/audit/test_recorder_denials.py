"""Repeated refusals: one record a minute of a user and subject, with how many there were."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from store_beside import beside

from erp_gateway.audit.recorder import MINUTE_S, MOST_SUBJECTS, AuditRecorder, open_recorder
from erp_gateway.audit.store import AuditStore
from erp_gateway.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.storage.database import open_database
from erp_gateway.storage.places import StorePlace
from servicekit.clock import ManualClock

pytestmark = pytest.mark.asyncio


def denial(user: str, subject: str, key: str | None = None) -> AuditEvent:
    return AuditEvent(
        action=AuditAction.PERMISSION_DENIED,
        result=AuditResult.DENIED,
        actor=Actor(web_user=user),
        resource=subject,
        key=key,
        reason="permission_denied",
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


async def test_refusals_of_one_user_and_subject_are_one_record_a_minute_with_a_count(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with recording(store_place, clock) as recorder:
        for number in range(4):
            await recorder.record(denial("luis", "Orders", str(number)))
        await recorder.record(denial("luis", "Invoices"))
        await recorder.record(denial("eva", "Orders"))
        first = [
            ("luis", "Orders", "0", "{}"),
            ("luis", "Invoices", None, "{}"),
            ("eva", "Orders", None, "{}"),
        ]
        assert recorded(store_place) == first
        clock.advance(MINUTE_S - 1)
        await recorder.record(denial("luis", "Orders"))
        await recorder.write_counts()
        assert recorded(store_place) == first
        clock.advance(1)
        await recorder.write_counts()
        counted = [("luis", "Orders", "0", '{"attempts": 5}'), *first[1:]]
        assert recorded(store_place) == counted
        await recorder.record(denial("luis", "Orders", "again"))
        assert recorded(store_place) == [*counted, ("luis", "Orders", "again", "{}")]


async def test_a_new_refusal_after_the_minute_leaves_the_count_to_be_written(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with recording(store_place, clock) as recorder:
        for _ in range(2):
            await recorder.record(denial("luis", "Orders"))
        clock.advance(MINUTE_S)
        for _ in range(3):
            await recorder.record(denial("luis", "Orders"))
    assert [detail for *_, detail in recorded(store_place)] == ['{"attempts": 2}', '{"attempts": 3}']


async def test_a_record_that_the_store_took_late_gets_its_count_too(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with recording(store_place, clock) as recorder:
        with beside(store_place).hold():
            for _ in range(3):
                await recorder.record(denial("luis", "Orders"))
            assert recorder.owed == 1
            clock.advance(MINUTE_S)
            await recorder.write_counts()
        await recorder.write_owed()
        assert [detail for *_, detail in recorded(store_place)] == ["{}"]
        await recorder.write_counts()
        assert [detail for *_, detail in recorded(store_place)] == ['{"attempts": 3}']


async def test_who_thinks_up_ever_new_subjects_has_the_further_ones_counted_together(
    store_place: StorePlace, clock: ManualClock
) -> None:
    async with recording(store_place, clock) as recorder:
        for number in range(MOST_SUBJECTS + 10):
            await recorder.record(denial("luis", f"/x{number}"))
        await recorder.record(denial("eva", "/x"))
    records = recorded(store_place)
    assert len(records) == MOST_SUBJECTS + 2
    assert records[-2:] == [
        ("luis", f"/x{MOST_SUBJECTS}", None, '{"attempts": 10}'),
        ("eva", "/x", None, "{}"),
    ]
