"""When the head of the chain is logged."""

import pytest
from store_beside import beside
from structlog.testing import capture_logs

from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.head_log import HeadLog
from erp_gateway.audit.store import AuditFilter, AuditStore
from erp_gateway.store.database import Database
from erp_gateway.store.places import StorePlace
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from servicekit.clock import ManualClock

pytestmark = pytest.mark.asyncio

EVENT = AuditEvent(action=AuditAction.LOGIN, result=AuditResult.OK, actor=Actor(web_user="ana"))


async def test_the_head_is_logged_if_it_is_new_and_otherwise_every_hour(
    database: Database, audit_store: AuditStore, clock: ManualClock
) -> None:
    heads = HeadLog(AuditChain(database), clock)
    await audit_store.add(EVENT, clock.now())
    with capture_logs() as logs:
        await heads.log_if_new()
        await heads.log_if_new()
        await audit_store.add(EVENT, clock.now())
        await audit_store.add(EVENT, clock.now())
        await heads.log_if_new()
        clock.advance(3599)
        await heads.log_if_new()
        clock.advance(1)
        await heads.log_if_new()
    ends = [f"{entry.id}:{entry.chain}" async for entry in audit_store.walk(AuditFilter())]
    assert logs == [
        {"event": "audit_head", "head": head, "log_level": "info"} for head in (ends[0], ends[2], ends[2])
    ]


async def test_a_head_that_was_removed_is_logged_as_an_error(
    database: Database, store_place: StorePlace, audit_store: AuditStore, clock: ManualClock
) -> None:
    await audit_store.add(EVENT, clock.now())
    beside(store_place).ask("DELETE FROM audit_chain")
    with capture_logs() as logs:
        await HeadLog(AuditChain(database), clock).log_if_new()
    assert [(line["event"], line["log_level"]) for line in logs] == [("audit_head_missing", "error")]
