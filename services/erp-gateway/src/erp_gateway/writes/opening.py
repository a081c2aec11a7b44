"""Opens the ledger at the start of the service, with its background work."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from typing import Final

from attrs import frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.settings.ledger import LedgerRules
from erp_gateway.store.database import Database
from erp_gateway.writes.first_requests import FirstRequests
from erp_gateway.writes.journal import LedgerObserver, WriteJournal
from erp_gateway.writes.ledger import Ledger, SpareTime
from erp_gateway.writes.lookups import Lookups, RecordKeys
from erp_gateway.writes.resolution import WriteResolution
from erp_gateway.writes.store import LedgerStore
from erp_gateway.writes.trace import Trace
from erpclient import ErpClient
from servicekit.clock import Clock
from servicekit.tasks import every

TIDY_INTERVAL_S: Final = 60.0
"""How often expired answers, keys and rows are deleted."""

LEFT_INTERVAL_S: Final = 2.0
"""How often the ledger checks writes that an earlier process left open, while some may be in flight."""

LOOKUP_INTERVAL_S: Final = 1.0
"""How often the ledger checks whether a lookup of an unknown write is due."""


@frozen(kw_only=True)
class OpenLedger:
    """The parts of an open ledger; `lookups` is None where no field carries the number of a write."""

    ledger: Ledger
    resolution: WriteResolution
    lookups: Lookups | None


@asynccontextmanager
async def open_ledger(
    database: Database,
    recorder: AuditRecorder,
    clock: Clock,
    *,
    rules: LedgerRules,
    keep_days: int | None,
    client: ErpClient,
    keys: RecordKeys,
    observer: LedgerObserver,
    left_s: Callable[[int], float] | None = None,
) -> AsyncIterator[OpenLedger]:
    """Open the ledger, after marking unknown the writes that an earlier process left open.

    Args:
        database: the store; open it before and close it after.
        recorder: the audit; open it before and close it after.
        clock: time.
        rules: configuration.
        keep_days: how long the row of an ended write is kept; None for ever.
        client: the ERP, for lookups of unknown writes; open it before and close it after.
        keys: keys of resources.
        observer: counts.
        left_s: how long so many writes, sent together, may take in an earlier process that may still be
            running; None if there is no such process.

    Raises:
        StoreUnavailable: the store refused.
    """
    store = LedgerStore(database)
    trace = None if rules.trace_field is None else Trace(rules.trace_field, rules.trace_lookups_s)
    ledger = Ledger(
        store,
        WriteJournal(store, recorder, clock, trace=trace, required=rules.required, observer=observer),
        FirstRequests(store),
        await store.open_secret(),
        clock,
        keep=timedelta(hours=rules.idempotency_hours),
        keep_writes=None if keep_days is None else timedelta(days=keep_days),
        trace_field=rules.trace_field,
    )
    close_left = ledger.close_open
    if left_s is not None:
        close_left = partial(ledger.close_open, _spare_time(left_s))
    left = await close_left()
    resolution = WriteResolution(store, recorder, keys.check, clock)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(every(TIDY_INTERVAL_S, "ledger_tidy", ledger.tidy))
        if left:
            await stack.enter_async_context(every(LEFT_INTERVAL_S, "writes_left", close_left))
        lookups = None
        if trace is None:
            await store.cancel_lookups()
        else:
            lookups = Lookups(client, store, recorder, clock, trace=trace, keys=keys)
            await stack.enter_async_context(every(LOOKUP_INTERVAL_S, "write_looks", lookups.run_due))
        yield OpenLedger(ledger=ledger, resolution=resolution, lookups=lookups)


def _spare_time(left_s: Callable[[int], float]) -> SpareTime:
    return lambda writes: timedelta(seconds=left_s(writes))
