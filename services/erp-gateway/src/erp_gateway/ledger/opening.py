"""Opening the ledger with all that belongs to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from attrs import frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.ledger.history import WriteHistory
from erp_gateway.ledger.service import Ledger, LedgerObserver
from erp_gateway.ledger.settling import CheckKey, Settling
from erp_gateway.ledger.store import LedgerStore
from erp_gateway.module_settings import LedgerRules
from erp_gateway.storage.database import Database
from servicekit.clock import Clock
from servicekit.tasks import every

TIDY_INTERVAL_S: Final = 60.0
"""How often recorded answers are looked for whose time is over."""


@frozen(kw_only=True)
class OpenLedger:
    """What carries out writes, and what shows and settles them."""

    ledger: Ledger
    settling: Settling


@asynccontextmanager
async def open_ledger(
    database: Database,
    recorder: AuditRecorder,
    clock: Clock,
    *,
    rules: LedgerRules,
    keep_days: int | None,
    check_key: CheckKey,
    observer: LedgerObserver,
) -> AsyncIterator[OpenLedger]:
    """Open the ledger: what a process left open that has ended is noted as unknown first.

    Args:
        database: the store; open until after this.
        recorder: the audit; open until after this.
        clock: time.
        rules: how it is configured.
        keep_days: how long the row of a write is kept that ended; None for ever.
        check_key: whether a record can have a key.
        observer: counts.

    Raises:
        StoreUnavailable: the store refused.
    """
    store = LedgerStore(database)
    ledger = Ledger(
        store,
        recorder,
        await store.open_secret(),
        clock,
        keep=timedelta(hours=rules.idempotency_hours),
        keep_writes=None if keep_days is None else timedelta(days=keep_days),
        required=rules.required,
        observer=observer,
    )
    await ledger.close_open()
    settling = Settling(WriteHistory(database), store, recorder, check_key, clock)
    async with every(TIDY_INTERVAL_S, "ledger_tidy", ledger.tidy):
        yield OpenLedger(ledger=ledger, settling=settling)
