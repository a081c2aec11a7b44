"""Hourly work on the audit log: old records are deleted, where so configured; the chain's head is logged."""

from datetime import timedelta

import structlog

from erp_gateway.audit.chain import AuditChain
from servicekit.clock import Clock

_log = structlog.get_logger(__name__)


class AuditRetention:
    """Deletes what is older than `keep_days` days."""

    def __init__(self, chain: AuditChain, clock: Clock, *, keep_days: int) -> None:
        self._chain = chain
        self._clock = clock
        self._keep = timedelta(days=keep_days)

    async def apply(self) -> int:
        """Delete what is too old and return how many records that were.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        now = self._clock.now()
        deleted, last = await self._chain.cut_before(now - self._keep, now=now)
        if last is not None:
            _log.info(
                "audit_records_deleted", records=deleted, keep_days=self._keep.days, last=last.as_text()
            )
        return deleted


async def log_head(chain: AuditChain) -> None:
    """Log the last record and its chain: from a log kept elsewhere it tells what was cut off.

    Raises:
        StoreUnavailable: the store cannot be read.
    """
    head = await chain.head()
    if head is None:
        _log.error("audit_head_missing")
    else:
        _log.info("audit_head", head=head.as_text())
