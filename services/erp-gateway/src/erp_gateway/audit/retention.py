"""Old audit records are deleted, where the configuration says so."""

from datetime import timedelta

import structlog

from erp_gateway.audit.store import AuditStore
from servicekit.clock import Clock

_log = structlog.get_logger(__name__)


class AuditRetention:
    """Deletes what is older than `keep_days` days."""

    def __init__(self, store: AuditStore, clock: Clock, *, keep_days: int) -> None:
        self._store = store
        self._clock = clock
        self._keep = timedelta(days=keep_days)

    async def apply(self) -> int:
        """Delete what is too old and return how many records that were.

        Raises:
            StoreUnavailable: the store refused; the next run goes on.
        """
        deleted = await self._store.delete_before(self._clock.now() - self._keep)
        if deleted:
            _log.info("audit_records_deleted", records=deleted, keep_days=self._keep.days)
        return deleted
