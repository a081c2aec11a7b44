"""Recording: the log line and the row, without ever disturbing the operation that is recorded."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Protocol, TypeVar

import structlog

from erp_gateway.audit.event import AuditAction, AuditEvent
from erp_gateway.audit.store import AuditStore
from servicekit.clock import Clock

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class AuditObserver(Protocol):
    """Counts for the metrics page."""

    def audit_recorded(self, action: AuditAction) -> None:
        """Count a record that was committed."""
        ...

    def audit_failed(self, action: AuditAction) -> None:
        """Count a record that could not be written in time."""
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
        _write_line(_log.info, "AUDIT", event)
        return await self._write(event, lambda: self._store.add(event, self._clock.now()))

    async def recount(self, entry_id: int, event: AuditEvent) -> None:
        """Put the counts of a newer form of the event into the record of its first form. Never raises."""
        await self._write(event, lambda: self._store.set_detail(entry_id, event.detail))

    async def _write(self, event: AuditEvent, write: Callable[[], Awaitable[T]]) -> T | None:
        try:
            async with asyncio.timeout(self._limit_s):
                written = await write()
        except Exception as error:  # noqa: BLE001 - recording must not change the operation, whatever happens
            _write_line(_log.error, "audit_write_failed", event, error=type(error).__name__)
            if self._observer is not None:
                self._observer.audit_failed(event.action)
            return None
        if self._observer is not None:
            self._observer.audit_recorded(event.action)
        return written


def _write_line(write: Callable[..., object], name: str, event: AuditEvent, **more: str) -> None:
    with suppress(Exception):  # a console that is full or gone must not change the operation either
        write(name, **more, **_as_log(event))


def _as_log(event: AuditEvent) -> dict[str, object]:
    facts: dict[str, object] = {
        "action": event.action.value,
        "result": event.result.value,
        "user": event.actor.web_user,
        "ip": event.actor.ip,
        "request_id": event.actor.request_id,
        "resource": event.resource,
        "key": event.key,
        "fields": list(event.fields.names) or None,
        "detail": event.detail_json() or None,
        "reason": event.reason,
    }
    return {name: fact for name, fact in facts.items() if fact is not None}
