"""The ledger as people read it: pages of writes, newest first."""

import json
from datetime import datetime
from typing import Final

from attrs import frozen

from erp_gateway.ledger.rules import WriteState
from erp_gateway.ledger.writes import WriteKind
from erp_gateway.storage.database import Database
from erp_gateway.storage.statements import Row, where

_COLUMNS: Final = (
    "id, at, web_user, request_id, kind, resource, key, fields, fields_omitted, state, reason, ended_at, "
    "ended_by, found_in, next_look_at"
)


@frozen(kw_only=True)
class WriteRecord:
    """One write and what is known of it.

    Attributes:
        write_id: a ULID; newer ones sort after older ones.
        at: when it was asked for, as ISO text in UTC.
        web_user: who asked.
        request_id: in which request.
        kind: what it does.
        resource: the registered resource.
        key: of the record; of a new one as far as it is known.
        fields: names of the fields sent.
        fields_omitted: how many more there were.
        state: what is known of it.
        reason: the `code` of its refusal.
        ended_at: when that was known, as ISO text in UTC.
        ended_by: who found out what became of an unknown one: a web user, or `lookup`.
        found_in: the entity set in which a look-up found it, where that is not the resource: `Drafts`.
        next_look_at: when it is looked up next, as ISO text in UTC.
    """

    write_id: str
    at: str
    web_user: str
    request_id: str | None
    kind: WriteKind
    resource: str
    key: str | None
    fields: tuple[str, ...]
    fields_omitted: int
    state: WriteState
    reason: str | None
    ended_at: str | None
    ended_by: str | None
    found_in: str | None
    next_look_at: str | None


@frozen
class DueLook:
    """An unknown write to be looked up now.

    Attributes:
        record: the write.
        looks: how many looks were made.
        unknown_at: since when it is unknown, aware.
        field: the field that carries its number, where its row names it.
    """

    record: WriteRecord
    looks: int
    unknown_at: datetime
    field: str | None


@frozen(kw_only=True)
class WriteFilter:
    """Conditions that all must hold; None asks nothing."""

    web_user: str | None = None
    resource: str | None = None
    state: WriteState | None = None

    def as_sql(self) -> tuple[str, list[object]]:
        """Return the WHERE clause and its parameters."""
        return where(
            [
                ("web_user = ?", self.web_user),
                ("resource = ?", self.resource),
                ("state = ?", self.state and self.state.value),
            ]
        )


@frozen(kw_only=True)
class WritePage:
    """One page of writes, newest first, and how many there are in all."""

    records: tuple[WriteRecord, ...]
    total: int


class WriteHistory:
    """Reads what the ledger knows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, conditions: WriteFilter, *, page: int, page_size: int) -> WritePage:
        """Return page `page` (from 1) of the writes that meet the conditions, newest first.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        where, values = conditions.as_sql()
        counted = await self._database.read(f"SELECT COUNT(*) FROM ledger_write {where}", values)  # noqa: S608 - fixed texts
        rows = await self._database.read(
            f"SELECT {_COLUMNS} FROM ledger_write {where} ORDER BY id DESC LIMIT ? OFFSET ?",  # noqa: S608 - fixed texts
            [*values, page_size, (page - 1) * page_size],
        )
        return WritePage(records=tuple(map(read_record, rows)), total=int(counted[0][0]))

    async def get(self, write_id: str) -> WriteRecord | None:
        """Return one write, None where there is none of this number.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read(f"SELECT {_COLUMNS} FROM ledger_write WHERE id = ?", [write_id])  # noqa: S608 - fixed texts
        return read_record(rows[0]) if rows else None


def read_record(row: Row) -> WriteRecord:
    """Read a row of `ledger_write`."""
    return WriteRecord(
        write_id=row["id"],
        at=row["at"],
        web_user=row["web_user"],
        request_id=row["request_id"],
        kind=WriteKind(row["kind"]),
        resource=row["resource"],
        key=row["key"],
        fields=tuple(json.loads(row["fields"])),
        fields_omitted=row["fields_omitted"],
        state=WriteState(row["state"]),
        reason=row["reason"],
        ended_at=row["ended_at"],
        ended_by=row["ended_by"],
        found_in=row["found_in"],
        next_look_at=row["next_look_at"],
    )
