"""Recording: the log line and the row, without ever disturbing the operation that is recorded."""

from __future__ import annotations

from typing import Protocol

from erp_gateway.audit.event import AuditEvent
from erp_gateway.audit.store import AuditStore
from erp_gateway.clock import Clock


class AuditObserver(Protocol):
    """Counts for the metrics page."""

    def audit_recorded(self, action: str) -> None:
        """A record was committed."""
        ...

    def audit_failed(self, action: str) -> None:
        """A record could not be written in time."""
        ...


class AuditRecorder:
    """Writes an `AUDIT` log line and an `audit_log` row from the same event."""

    def __init__(
        self, store: AuditStore, clock: Clock, *, observer: AuditObserver | None = None, limit_s: float = 1.0
    ) -> None:
        self._store = store
        self._clock = clock
        self._observer = observer
        self._limit_s = limit_s

    async def record(self, event: AuditEvent) -> int | None:
        """Commit the event before returning; give up after `limit_s` seconds. Never raises.

        Returns:
            the number of the record, or None when it could not be written (logged and counted).
        """
        raise NotImplementedError
