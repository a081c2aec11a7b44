"""The audit log: every filter alone and together, page edges, walking and forgetting."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest
from store_insides import SQLITE_ONLY

from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.store.chain_hash import ChainPosition
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import Actor, AuditAction, AuditDetail, AuditEvent, AuditResult

START = datetime(2026, 3, 1, tzinfo=UTC)


def make_event(
    action: AuditAction = AuditAction.SL_CREATE,
    *,
    user: str | None = "ana",
    resource: str | None = "Orders",
    result: AuditResult = AuditResult.OK,
    key: str | None = None,
) -> AuditEvent:
    return AuditEvent(action=action, result=result, actor=Actor(web_user=user), resource=resource, key=key)


EVENTS = [
    make_event(key="0"),
    make_event(AuditAction.SL_UPDATE, key="1"),
    make_event(user="bea", key="2"),
    make_event(resource="Items", result=AuditResult.DENIED, key="3"),
    make_event(AuditAction.SL_UPDATE, user="bea", result=AuditResult.UNKNOWN, key="4"),
    make_event(AuditAction.LOGIN_FAILED, user=None, resource=None, result=AuditResult.DENIED, key="5"),
]


async def fill(store: AuditStore) -> None:
    for hours, event in enumerate(EVENTS):
        await store.add(event, START + timedelta(hours=hours))


@pytest.mark.asyncio
async def test_a_record_is_read_as_it_was_written(audit_store: AuditStore) -> None:
    event = AuditEvent(
        action=AuditAction.SL_UPDATE,
        result=AuditResult.ERROR,
        actor=Actor(web_user="José Ñandú", ip="10.0.0.7", request_id="01J"),
        resource="Items",
        key="A/1 'ñ'",
        fields=("ItemName", "ItemPrices[].Price"),
        detail=AuditDetail(rows=3, truncated=True),
        reason="stale_etag",
    )
    end = await audit_store.add(event, START)
    (entry,) = (await audit_store.find(AuditFilter(), page=1, page_size=50)).entries

    assert end == ChainPosition(entry.id, entry.chain)
    assert (entry.at, entry.web_user, entry.ip) == ("2026-03-01T00:00:00.000Z", "José Ñandú", "10.0.0.7")
    assert (entry.action, entry.resource, entry.key) == ("sl_update", "Items", "A/1 'ñ'")
    assert (entry.result, entry.reason, entry.request_id) == ("error", "stale_etag", "01J")
    assert entry.fields == ("ItemName", "ItemPrices[].Price")
    assert entry.detail == {"rows": 3, "truncated": True}


@pytest.mark.asyncio
async def test_a_detail_can_be_replaced(audit_store: AuditStore) -> None:
    end = await audit_store.add(make_event(), START)
    assert end is not None
    await audit_store.set_detail(end.entry_id, AuditDetail(attempts=9).as_json())
    (entry,) = (await audit_store.find(AuditFilter(), page=1, page_size=50)).entries
    assert entry.detail == {"attempts": 9}


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        pytest.param(AuditFilter(), "543210", id="none"),
        pytest.param(AuditFilter(web_user="ana"), "310", id="user"),
        pytest.param(AuditFilter(web_user="ANA"), "", id="user in another case"),
        pytest.param(AuditFilter(web_user="a%"), "", id="no wildcard"),
        pytest.param(AuditFilter(action=AuditAction.SL_UPDATE), "41", id="action"),
        pytest.param(AuditFilter(resource="Items"), "3", id="resource"),
        pytest.param(AuditFilter(resource="Items", key="3"), "3", id="document"),
        pytest.param(AuditFilter(resource="Orders", key="3"), "", id="another's key"),
        pytest.param(AuditFilter(result=AuditResult.DENIED), "53", id="result"),
        pytest.param(AuditFilter(since=START + timedelta(hours=4)), "54", id="since counts its moment"),
        pytest.param(AuditFilter(before=START + timedelta(hours=2)), "10", id="before does not"),
        pytest.param(
            AuditFilter(since=START + timedelta(hours=1), before=START + timedelta(hours=3)), "21", id="span"
        ),
        pytest.param(AuditFilter(web_user="bea", action=AuditAction.SL_UPDATE), "4", id="two"),
        pytest.param(AuditFilter(web_user="bea", resource="Items"), "", id="two that exclude each other"),
        pytest.param(
            AuditFilter(
                web_user="bea",
                action=AuditAction.SL_CREATE,
                resource="Orders",
                result=AuditResult.OK,
                since=START,
                before=START + timedelta(days=1),
            ),
            "2",
            id="all",
        ),
    ],
)
async def test_filtered_records_are_newest_first(
    audit_store: AuditStore, conditions: AuditFilter, expected: str
) -> None:
    await fill(audit_store)
    found = await audit_store.find(conditions, page=1, page_size=50)
    assert "".join(str(entry.key) for entry in found.entries) == expected
    assert found.total == len(expected)
    walked = [entry.key async for entry in audit_store.walk(conditions)]
    assert walked == list(reversed(expected))


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("page", "page_size", "expected"),
    [(1, 2, "54"), (2, 2, "32"), (3, 2, "10"), (4, 2, ""), (1_000_000, 200, ""), (2, 4, "10")],
)
async def test_pages(audit_store: AuditStore, page: int, page_size: int, expected: str) -> None:
    await fill(audit_store)
    found = await audit_store.find(AuditFilter(), page=page, page_size=page_size)
    assert "".join(str(entry.key) for entry in found.entries) == expected
    assert found.total == 6


async def fill_many(store: AuditStore, count: int) -> None:
    await asyncio.gather(
        *(
            store.add(make_event(key=str(number)), START + timedelta(seconds=number))
            for number in range(count)
        )
    )


@pytest.mark.asyncio
async def test_a_walk_yields_every_record_once(audit_store: AuditStore) -> None:
    await fill_many(audit_store, 1234)
    walked = [entry.key async for entry in audit_store.walk(AuditFilter())]
    assert walked == [str(number) for number in range(1234)]


@SQLITE_ONLY
@pytest.mark.asyncio
@pytest.mark.parametrize(
    "conditions",
    [
        AuditFilter(),
        AuditFilter(web_user="ana", before=START),
        AuditFilter(action=AuditAction.LOGIN, since=START),
        AuditFilter(resource="Orders"),
        AuditFilter(resource="Orders", key="118"),
        AuditFilter(resource="BusinessPartners", key="C001", not_result=AuditResult.DENIED),
        AuditFilter(result=AuditResult.DENIED, since=START, before=START),
        AuditFilter(since=START),
        AuditFilter(before=START),
    ],
)
async def test_every_filter_uses_an_index_without_sorting(
    database: Database, conditions: AuditFilter
) -> None:
    where, values = conditions.as_sql()
    plan = await database.read(
        f"EXPLAIN QUERY PLAN SELECT * FROM audit_log {where} ORDER BY at DESC, id DESC LIMIT 50", values
    )
    (step,) = [str(row["detail"]) for row in plan]
    assert "USING INDEX" in step
    assert ("resource=? AND <expr>=?" in step) == (conditions.key is not None)


@pytest.mark.asyncio
async def test_a_failing_store_raises_store_unavailable(database: Database, audit_store: AuditStore) -> None:
    database.stop()
    with pytest.raises(StoreUnavailable):
        await audit_store.add(make_event(), START)
    with pytest.raises(StoreUnavailable):
        await audit_store.find(AuditFilter(), page=1, page_size=1)


@pytest.mark.asyncio
async def test_the_key_filter_ignores_letter_case(
    audit_store: AuditStore,
) -> None:
    for key in ("CAÑA1", "caÑa1", "C00002"):
        await audit_store.add(make_event(AuditAction.SL_UPDATE, resource="BusinessPartners", key=key), START)
    condition = AuditFilter(resource="BusinessPartners", key="CAÑA1")
    found = await audit_store.find(condition, page=1, page_size=50)
    assert ([entry.key for entry in found.entries], found.total) == (["caÑa1", "CAÑA1"], 2)
