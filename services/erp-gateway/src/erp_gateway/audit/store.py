"""The `audit_log` table."""

from __future__ import annotations

from datetime import datetime

from attrs import frozen

from erp_gateway.audit.event import AuditAction, AuditEvent, AuditResult
from erp_gateway.storage.database import Database


@frozen(kw_only=True)
class AuditEntry:
    """One stored record: the event, its number and its time."""

    entry_id: int
    at: datetime
    event: AuditEvent


@frozen(kw_only=True)
class AuditFilter:
    """Conditions that all must hold; None asks nothing. `since` is inclusive, `before` is not."""

    web_user: str | None = None
    action: AuditAction | None = None
    resource: str | None = None
    result: AuditResult | None = None
    since: datetime | None = None
    before: datetime | None = None


@frozen(kw_only=True)
class AuditPage:
    """One page of entries, newest first, and how many there are in all."""

    entries: tuple[AuditEntry, ...]
    total: int


class AuditStore:
    """Reads and writes audit records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, event: AuditEvent, at: datetime) -> int:
        """Store one event and return its number after the commit."""
        raise NotImplementedError

    async def find(self, conditions: AuditFilter, *, page: int, page_size: int) -> AuditPage:
        """Return page `page` (from 1) of the entries that meet the conditions, newest first."""
        raise NotImplementedError
