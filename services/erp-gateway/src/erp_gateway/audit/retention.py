"""Delete audit records that are older than the configured number of days."""

from datetime import timedelta

import structlog

from erp_gateway.audit.chain_rows import AuditChain
from servicekit.clock import Clock

_log = structlog.get_logger(__name__)


async def apply_retention(chain: AuditChain, clock: Clock, *, keep_days: int) -> int:
    """Delete records older than `keep_days` and return their number.

    Raises:
        StoreUnavailable: the store refused; the next run continues.
    """
    now = clock.now()
    deleted, last = await chain.cut_before(now - timedelta(days=keep_days), now=now)
    if last is not None:
        _log.info("audit_records_deleted", records=deleted, keep_days=keep_days, last=last.as_text())
    return deleted
