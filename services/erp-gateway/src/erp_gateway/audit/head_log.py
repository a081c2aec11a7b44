"""Log the head of the chain regularly, so that a log kept elsewhere shows records that were cut off."""

from contextlib import suppress
from typing import Final

import structlog

from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.store.chain_hash import ChainPosition
from servicekit.clock import Clock

_log = structlog.get_logger(__name__)

# Interval between log lines of an unchanged head.
_SAME_HEAD_S: Final = 3600.0


def log_head(head: ChainPosition) -> None:
    """Log a record as the head of the chain."""
    with suppress(Exception):  # a full disk or closed console must not change the operation
        _log.info("audit_head", head=head.as_text())


class HeadLog:
    """Logs the head of the chain if there are new records, and otherwise every hour.

    Args:
        chain: of the store.
        clock: time.
    """

    def __init__(self, chain: AuditChain, clock: Clock) -> None:
        self._chain = chain
        self._clock = clock
        self._logged: ChainPosition | None = None
        self._next_at_s = 0.0

    async def log_if_new(self) -> None:
        """Log the head, unless it was logged within the hour.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        head = await self._chain.head()
        if head is None:
            _log.error("audit_head_missing")
            return
        now = self._clock.monotonic()
        if head != self._logged or now >= self._next_at_s:
            self._logged, self._next_at_s = head, now + _SAME_HEAD_S
            log_head(head)
