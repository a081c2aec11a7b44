"""The `audit_log` table."""

import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime
from typing import Final, TypeAlias

import aiosqlite
from attrs import frozen

from erp_gateway.audit_event import AuditAction, AuditDetail, AuditEvent, AuditResult
from erp_gateway.storage.database import Database
from servicekit.clock import iso_utc

_DELETE_BATCH: Final = 500
_WALK_BATCH: Final = 500

_COLUMNS: Final = "id, at, web_user, ip, action, resource, key, result, fields, detail, reason, request_id"


Along: TypeAlias = Callable[[aiosqlite.Connection], Awaitable[bool]]
"""A change that a record tells of, made in the record's own transaction; False: it does not hold any more."""


@frozen(kw_only=True)
class AuditEntry:
    """One stored record; `action` and `result` are plain words, so that retired ones can be read too."""

    entry_id: int
    at: str
    web_user: str | None
    ip: str | None
    action: str
    resource: str | None
    key: str | None
    result: str
    fields: tuple[str, ...]
    detail: dict[str, int | bool | str]
    reason: str | None
    request_id: str | None


@frozen(kw_only=True)
class AuditFilter:
    """Conditions that all must hold; None asks nothing. `since` is inclusive, `before` is not."""

    web_user: str | None = None
    action: AuditAction | None = None
    resource: str | None = None
    result: AuditResult | None = None
    since: datetime | None = None
    before: datetime | None = None

    def as_sql(self) -> tuple[str, list[object]]:
        """Return the WHERE clause and its parameters."""
        tests: list[tuple[str, object]] = [
            ("web_user = ?", self.web_user),
            ("action = ?", self.action and self.action.value),
            ("resource = ?", self.resource),
            ("result = ?", self.result and self.result.value),
            ("at >= ?", self.since and iso_utc(self.since)),
            ("at < ?", self.before and iso_utc(self.before)),
        ]
        asked = [(test, value) for test, value in tests if value is not None]
        clause = " AND ".join(test for test, _ in asked) or "TRUE"
        return f"WHERE {clause}", [value for _, value in asked]


@frozen(kw_only=True)
class AuditPage:
    """One page of entries, newest first, and how many there are in all."""

    entries: tuple[AuditEntry, ...]
    total: int


class AuditStore:
    """Reads and writes audit records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, event: AuditEvent, at: datetime, along: Along | None = None) -> int:
        """Store one event and return its number after the commit.

        Args:
            event: what happened.
            at: when.
            along: a change to be committed together with the record, or neither of the two.

        Returns:
            the record's number, from 1; 0 when `along` said no, and nothing was stored.

        Raises:
            StoreUnavailable: nothing was stored.
        """
        row = (
            iso_utc(at),
            event.actor.web_user,
            event.actor.ip,
            event.action.value,
            event.resource,
            event.key,
            event.result.value,
            json.dumps(event.fields.names, ensure_ascii=False),
            json.dumps(event.detail_json()),
            event.reason,
            event.actor.request_id,
        )

        async def insert(connection: aiosqlite.Connection) -> int:
            if along is not None and not await along(connection):
                return 0
            cursor = await connection.execute(
                "INSERT INTO audit_log (at, web_user, ip, action, resource, key, result, fields, detail, "
                "reason, request_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                row,
            )
            return int(cursor.lastrowid or 0)

        return await self._database.write(insert)

    async def set_detail(self, entry_id: int, detail: AuditDetail) -> None:
        """Put newer counts into a stored record.

        Raises:
            StoreUnavailable: nothing was changed.
        """

        async def update(connection: aiosqlite.Connection) -> None:
            await connection.execute(
                "UPDATE audit_log SET detail = ? WHERE id = ?", (json.dumps(detail.as_json()), entry_id)
            )

        await self._database.write(update)

    async def find(self, conditions: AuditFilter, *, page: int, page_size: int) -> AuditPage:
        """Return page `page` (from 1) of the entries that meet the conditions, newest first.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        where, values = conditions.as_sql()
        counted = await self._database.read(f"SELECT COUNT(*) FROM audit_log {where}", values)  # noqa: S608 - fixed texts
        rows = await self._database.read(
            f"SELECT {_COLUMNS} FROM audit_log {where} ORDER BY at DESC, id DESC LIMIT ? OFFSET ?",  # noqa: S608 - fixed texts
            [*values, page_size, (page - 1) * page_size],
        )
        return AuditPage(entries=tuple(map(_read_entry, rows)), total=int(counted[0][0]))

    async def walk(self, conditions: AuditFilter) -> AsyncIterator[AuditEntry]:
        """Yield all entries that meet the conditions, oldest first, without holding them in memory.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        where, values = conditions.as_sql()
        last_id = 0
        while True:
            rows = await self._database.read(
                f"SELECT {_COLUMNS} FROM audit_log {where} AND id > ? ORDER BY id LIMIT ?",  # noqa: S608 - fixed texts
                [*values, last_id, _WALK_BATCH],
            )
            for row in rows:
                yield _read_entry(row)
            if len(rows) < _WALK_BATCH:
                return
            last_id = int(rows[-1]["id"])

    async def delete_before(self, moment: datetime) -> int:
        """Delete what is older than `moment`, in small transactions that let other writers in between.

        Returns:
            how many records were deleted.

        Raises:
            StoreUnavailable: the store refused; earlier batches stay deleted.
        """

        async def delete_batch(connection: aiosqlite.Connection) -> int:
            cursor = await connection.execute(
                "DELETE FROM audit_log WHERE id IN "
                "(SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT ?)",
                (iso_utc(moment), _DELETE_BATCH),
            )
            return cursor.rowcount

        deleted = 0
        while True:
            in_batch = await self._database.write(delete_batch)
            deleted += in_batch
            if in_batch < _DELETE_BATCH:
                return deleted


def _read_entry(row: sqlite3.Row) -> AuditEntry:
    return AuditEntry(
        entry_id=row["id"],
        at=row["at"],
        web_user=row["web_user"],
        ip=row["ip"],
        action=row["action"],
        resource=row["resource"],
        key=row["key"],
        result=row["result"],
        fields=tuple(json.loads(row["fields"])),
        detail=json.loads(row["detail"]),
        reason=row["reason"],
        request_id=row["request_id"],
    )
