"""The `audit_log` table: append records to the chain, find them, and read them all."""

import json
import string
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias

import attrs
from attrs import frozen

from erp_gateway.audit.chain_rows import CHAINED_COLUMNS, read_head, save_position
from erp_gateway.store.chain_hash import ChainPosition, link
from erp_gateway.store.database import Database
from erp_gateway.store.statements import Row, Statements, Work, where
from erp_gateway.values.audit_event import AuditAction, AuditEvent, AuditResult, DetailValue
from servicekit.clock import iso_utc

_WALK_BATCH: Final = 500

_COLUMNS: Final = f"{CHAINED_COLUMNS}, chain"


# Lower-cases a value as the column's `lower` does: only ASCII. PostgreSQL would also lower Ñ in a value.
_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

AuditedChange: TypeAlias = Work[bool]
"""A change in the transaction of its audit record. It returns False if it no longer applies."""


@frozen
class AuditItem:
    """One record as clients see it.

    Its members are the columns; `action` and `result` may be words of earlier versions.
    """

    id: int
    at: str
    web_user: str | None
    ip: str | None
    action: str
    resource: str | None
    key: str | None
    result: str
    fields: tuple[str, ...]
    detail: dict[str, Any]
    reason: str | None
    request_id: str | None
    chain: str


@frozen(kw_only=True)
class AuditFilter:
    """Conditions of a query; None sets no condition. `since` is inclusive, `before` is not.

    `key` ignores ASCII letter case, because some databases of the ERP do so too: `A1` and `a1` are then the
    same record. `not_result` excludes a result.
    """

    web_user: str | None = None
    action: AuditAction | None = None
    resource: str | None = None
    key: str | None = None
    result: AuditResult | None = None
    not_result: AuditResult | None = None
    since: datetime | None = None
    before: datetime | None = None

    def as_sql(self) -> tuple[str, list[object]]:
        """Return the WHERE clause and its parameters."""
        return where(
            [
                ("web_user = ?", self.web_user),
                ("action = ?", self.action and self.action.value),
                ("resource = ?", self.resource),
                ("lower(key) = ?", self.key and self.key.translate(_LOWER)),
                ("result = ?", self.result and self.result.value),
                ("result <> ?", self.not_result and self.not_result.value),
                ("at >= ?", self.since and iso_utc(self.since)),
                ("at < ?", self.before and iso_utc(self.before)),
            ]
        )


@frozen(kw_only=True)
class AuditPage:
    """One page of records, newest first, and the total number."""

    entries: tuple[AuditItem, ...]
    total: int


class AuditStore:
    """Reads and writes audit records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(
        self, event: AuditEvent, at: datetime, change: AuditedChange | None = None
    ) -> ChainPosition | None:
        """Store one event and return its position after the commit.

        Args:
            event: the event.
            at: its time.
            change: a change committed in the same transaction.

        Returns:
            the record's number, from 1, and its hash; None if `change` returned False and nothing was stored.

        Raises:
            StoreUnavailable: nothing was stored.
        """

        positions = await self.add_all((event,), at, change)
        return None if positions is None else positions[0]

    async def add_all(
        self, events: Sequence[AuditEvent], at: datetime, change: AuditedChange | None = None
    ) -> tuple[ChainPosition, ...] | None:
        """Store events in one transaction, as `add` stores one; return their positions."""

        def insert(connection: Statements) -> tuple[ChainPosition, ...] | None:
            if change is not None and not change(connection):
                return None
            return tuple(append_event(connection, event, at) for event in events)

        return await self._database.write(insert)

    async def set_detail(self, entry_id: int, detail: Mapping[str, DetailValue]) -> None:
        """Replace the detail of a stored record by one that differs only in `attempts`.

        The chain does not hash `attempts`, so the record stays valid.

        Raises:
            StoreUnavailable: nothing was changed.
        """

        def update(connection: Statements) -> None:
            connection.execute("UPDATE audit_log SET detail = ? WHERE id = ?", (json.dumps(detail), entry_id))

        await self._database.write(update)

    async def find(self, conditions: AuditFilter, *, page: int, page_size: int) -> AuditPage:
        """Return a page (from 1) of the records that meet the conditions, newest first.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        where, values = conditions.as_sql()
        count_rows = await self._database.read(f"SELECT COUNT(*) FROM audit_log {where}", values)  # noqa: S608 - fixed texts
        rows = await self._database.read(
            f"SELECT {_COLUMNS} FROM audit_log {where} ORDER BY at DESC, id DESC LIMIT ? OFFSET ?",  # noqa: S608 - fixed texts
            [*values, page_size, (page - 1) * page_size],
        )
        return AuditPage(entries=tuple(map(_read_item, rows)), total=int(count_rows[0][0]))

    async def walk(self, conditions: AuditFilter) -> AsyncIterator[AuditItem]:
        """Yield all records that meet the conditions, oldest first, in batches.

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
                yield _read_item(row)
            if len(rows) < _WALK_BATCH:
                return
            last_id = int(rows[-1]["id"])


def append_event(connection: Statements, event: AuditEvent, at: datetime) -> ChainPosition:
    """Append one event to the chain, inside the transaction of `connection`.

    Returns:
        its position, with a number never used before.
    """
    head, entry_id = read_head(connection)
    row = (
        entry_id,
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
    position = ChainPosition(entry_id, link(head.chain, *row))
    connection.execute(
        f"INSERT INTO audit_log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - fixed texts
        (*row, position.chain),
    )
    save_position(connection, "head", position)
    return position


def _read_item(row: Row) -> AuditItem:
    members: dict[str, Any] = {each.name: row[each.name] for each in attrs.fields(AuditItem)}
    members |= {"fields": tuple(json.loads(row["fields"])), "detail": json.loads(row["detail"])}
    return AuditItem(**members)
