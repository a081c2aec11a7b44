"""Log lines with the last record's number and chain: in a log kept elsewhere they prove what was cut off."""

from contextlib import suppress
from typing import Final

import structlog

from erp_gateway.audit.chain import AuditChain
from erp_gateway.store.audit_chain import ChainEnd
from servicekit.clock import Clock

_log = structlog.get_logger(__name__)

_SAME_HEAD_S: Final = 3600.0
"""How often a head is logged that did not change."""


def log_head(head: ChainEnd) -> None:
    """Log a record as the head of the chain."""
    with suppress(Exception):  # a console that is full or gone must not change the operation
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
        self._logged: ChainEnd | None = None
        self._again_s = 0.0

    async def log_if_new(self) -> None:
        """Log the head unless the log has it.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        head = await self._chain.head()
        if head is None:
            _log.error("audit_head_missing")
            return
        now = self._clock.monotonic()
        if head != self._logged or now >= self._again_s:
            self._logged, self._again_s = head, now + _SAME_HEAD_S
            log_head(head)
