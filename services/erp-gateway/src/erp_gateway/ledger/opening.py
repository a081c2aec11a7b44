"""Opening the ledger with all that belongs to it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Final, Protocol

from attrs import frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.ledger.history import WriteHistory
from erp_gateway.ledger.lookups import LookUps, RecordKeys
from erp_gateway.ledger.service import Ledger, LedgerObserver
from erp_gateway.ledger.settling import Settling
from erp_gateway.ledger.store import LedgerStore
from erp_gateway.ledger.trace import Trace
from erp_gateway.settings.modules import LedgerRules
from erp_gateway.storage.database import Database
from erpclient import ErpClient
from servicekit.clock import Clock
from servicekit.tasks import every

TIDY_INTERVAL_S: Final = 60.0
"""How often recorded answers are looked for whose time is over."""

LEFT_INTERVAL_S: Final = 2.0
"""How often writes are looked for that another process left open, while some may still be under way."""

LOOK_INTERVAL_S: Final = 1.0
"""How often unknown writes are looked for that are to be looked up."""


@frozen(kw_only=True)
class OpenLedger:
    """What carries out writes, what shows and settles them, and what looks up unknown ones, if anything."""

    ledger: Ledger
    settling: Settling
    lookups: LookUps | None


class KnownKeys(RecordKeys, Protocol):
    """What is known of the keys of registered resources, and whether a record can have one."""

    def check(self, resource: str, key: str) -> None:
        """Refuse a key that no record of the resource can have (`erpclient.odata.InvalidKey`)."""
        ...


@asynccontextmanager
async def open_ledger(
    database: Database,
    recorder: AuditRecorder,
    clock: Clock,
    *,
    rules: LedgerRules,
    keep_days: int | None,
    client: ErpClient,
    keys: KnownKeys,
    observer: LedgerObserver,
    left_s: float = 0.0,
) -> AsyncIterator[OpenLedger]:
    """Open the ledger: what a process left open that has ended is noted as unknown first.

    Args:
        database: the store; open until after this.
        recorder: the audit; open until after this.
        clock: time.
        rules: how it is configured.
        keep_days: how long the row of a write is kept that ended; None for ever.
        client: the ERP, where unknown writes are looked up; open until after this.
        keys: what is known of the keys of resources.
        observer: counts.
        left_s: how long a process that served before, and may not have ended, may take for a write.

    Raises:
        StoreUnavailable: the store refused.
    """
    store = LedgerStore(database)
    trace = None if rules.trace_field is None else Trace(rules.trace_field, rules.trace_looks_s)
    ledger = Ledger(
        store,
        recorder,
        await store.open_secret(),
        clock,
        keep=timedelta(hours=rules.idempotency_hours),
        keep_writes=None if keep_days is None else timedelta(days=keep_days),
        trace=trace,
        required=rules.required,
        observer=observer,
    )
    close_left = partial(ledger.close_open, timedelta(seconds=left_s))
    left = await close_left()
    settling = Settling(WriteHistory(database), store, recorder, keys.check, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(every(TIDY_INTERVAL_S, "ledger_tidy", ledger.tidy))
        if left:
            await stack.enter_async_context(every(LEFT_INTERVAL_S, "writes_left", close_left))
        lookups = None
        if trace is None:
            await store.forget_looks()
        else:
            lookups = LookUps(client, store, recorder, clock, trace=trace, keys=keys)
            await stack.enter_async_context(every(LOOK_INTERVAL_S, "write_looks", lookups.run_due))
        yield OpenLedger(ledger=ledger, settling=settling, lookups=lookups)
