"""The tables of the ledger."""

import json
import secrets
import sqlite3
from datetime import datetime
from typing import Final

import aiosqlite

from erp_gateway.audit.store import Along
from erp_gateway.audit_event import Actor, SentFields
from erp_gateway.ledger.macs import StoreSecret
from erp_gateway.ledger.rules import WriteState
from erp_gateway.ledger.writes import Ended, Intent, WriteKind
from erp_gateway.storage.database import Database
from servicekit.clock import iso_utc

_SECRET_BYTES: Final = 32

_BEGIN: Final = (
    "INSERT INTO ledger_write (id, at, kind, web_user, ip, request_id, resource, key, fields, "
    "fields_omitted, body_mac, state, reason, ended_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_END: Final = (
    f"{_BEGIN} ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, "
    "key = excluded.key, ended_at = excluded.ended_at WHERE ledger_write.state = 'open'"
)
"""Where the row could not be written before, it is written whole at the end."""


class LedgerStore:
    """Reads and writes the rows of writes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_secret(self) -> StoreSecret:
        """Return the store's secret, made now if there is none.

        Raises:
            StoreUnavailable: the store refused.
        """

        async def read(connection: aiosqlite.Connection) -> bytes:
            await connection.execute(
                "INSERT OR IGNORE INTO ledger_secret (id, secret) VALUES (1, ?)",
                (secrets.token_bytes(_SECRET_BYTES),),
            )
            (row,) = await connection.execute_fetchall("SELECT secret FROM ledger_secret")
            return bytes(row[0])

        return StoreSecret(await self._database.write(read))

    async def begin(self, intent: Intent) -> None:
        """Commit the row of a write that has not been sent yet.

        Raises:
            StoreUnavailable: the store refused; there is no row.
        """

        async def insert(connection: aiosqlite.Connection) -> None:
            await connection.execute(_BEGIN, _row(intent, WriteState.OPEN))

        await self._database.write(insert)

    def ending(self, intent: Intent, ended: Ended, at: datetime) -> Along:
        """Return the change that notes how a write ended, to be committed with its audit record."""
        row = _row(intent, ended.state, ended, at)

        async def note(connection: aiosqlite.Connection) -> bool:
            await connection.execute(_END, row)
            return True

        return note

    def settling(self, write_id: str, state: WriteState, *, key: str | None, by: str, at: datetime) -> Along:
        """Return the change that notes what became of an unknown write; it says no where that is known."""

        async def note(connection: aiosqlite.Connection) -> bool:
            cursor = await connection.execute(
                "UPDATE ledger_write SET state = ?, key = COALESCE(key, ?), ended_at = ?, ended_by = ? "
                "WHERE id = ? AND state = 'unknown'",
                (state.value, key, iso_utc(at), by, write_id),
            )
            return cursor.rowcount == 1

        return note

    async def find_open(self) -> list[Intent]:
        """Return the writes whose end is not noted, oldest first.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT * FROM ledger_write WHERE state = 'open' ORDER BY id")
        return [_read_intent(row) for row in rows]


def _row(
    intent: Intent, state: WriteState, ended: Ended | None = None, at: datetime | None = None
) -> tuple[object, ...]:
    actor = intent.actor
    created = None if ended is None else ended.key
    return (
        intent.write_id,
        iso_utc(intent.at),
        intent.kind.value,
        actor.web_user,
        actor.ip,
        actor.request_id,
        intent.resource,
        created if intent.key is None else intent.key,
        json.dumps(intent.fields.names, ensure_ascii=False),
        intent.fields.omitted,
        intent.body_mac,
        state.value,
        None if ended is None else ended.reason,
        None if at is None else iso_utc(at),
    )


def _read_intent(row: sqlite3.Row) -> Intent:
    return Intent(
        write_id=row["id"],
        at=datetime.fromisoformat(row["at"]),
        kind=WriteKind(row["kind"]),
        actor=Actor(web_user=row["web_user"], ip=row["ip"], request_id=row["request_id"]),
        resource=row["resource"],
        key=row["key"],
        fields=SentFields(tuple(json.loads(row["fields"])), row["fields_omitted"]),
        body_mac=row["body_mac"],
    )
