"""The tables of the ledger: writes, idempotency keys and stored answers."""

import asyncio
import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import groupby
from typing import Final

import attrs

from erp_gateway.audit.store import AuditedChange
from erp_gateway.store.database import Database
from erp_gateway.store.statements import Row, Statements
from erp_gateway.values.audit_event import Actor, SentFields
from erp_gateway.writes.intent import Claim, Intent, Intents
from erp_gateway.writes.items import DueLookup, WriteFilter, WriteItem
from erp_gateway.writes.numbers import first_number_at
from erp_gateway.writes.outcome import WriteAnswer, WriteOutcome
from erp_gateway.writes.rules import (
    ExistingKey,
    RepeatDecision,
    StoredKey,
    WriteState,
    decide_repeat,
    is_replayed,
)
from erp_gateway.writes.secret import StoreSecret
from erp_gateway.writes.write import WriteKind
from servicekit.clock import iso_utc

MAX_KEPT_BODY_BYTES: Final = 256 * 1024
"""A larger answer is stored without its body."""

_SECRET_BYTES: Final = 32
_DELETE_BATCH: Final = 500
LOOKUP_BATCH: Final = 20
"""Creates that are looked up at a time; their numbers must fit into an address."""

_BEGIN: Final = (
    "INSERT INTO ledger_write (id, at, kind, web_user, ip, request_id, resource, key, fields, "
    "fields_omitted, body_mac, traced, trace_field, set_id, position, state, reason, ended_at, next_look_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_END: Final = (
    f"{_BEGIN} ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, "
    "key = excluded.key, ended_at = excluded.ended_at, next_look_at = excluded.next_look_at "
    "WHERE ledger_write.state = 'open'"
)
"""Inserts the whole row if it could not be committed before the write was sent."""
_FIND_KEY: Final = (
    "SELECT request_mac, write_id, expires_at, state, reason, COALESCE(next_look_at, "
    "(SELECT MIN(other.next_look_at) FROM ledger_write other WHERE other.set_id = ledger_write.set_id)"
    ") AS next_look_at FROM ledger_key JOIN ledger_write ON ledger_write.id = write_id WHERE key_mac = ?"
)
"""The key of a change set is its first write's, and the lookup that is due may be another one's."""
_CLAIM: Final = (
    "INSERT INTO ledger_key (key_mac, request_mac, write_id, expires_at) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (key_mac) DO UPDATE SET request_mac = excluded.request_mac, "
    "write_id = excluded.write_id, expires_at = excluded.expires_at"
)
_KEY_OF: Final = (
    "SELECT expires_at, at FROM ledger_key JOIN ledger_write ON ledger_write.id = write_id WHERE write_id = ?"
)
_GROUP: Final = "(set_id = ? OR (id = ? AND set_id IS NULL))"
"""The writes of a change set, or the write alone of this number."""
_COUNT_UNKNOWN: Final = f"SELECT COUNT(*) FROM ledger_write WHERE {_GROUP} AND state = 'unknown'"  # noqa: S608 - fixed texts
_ANSWER: Final = (
    "INSERT INTO ledger_answer (write_id, status, media_type, headers, body, expires_at) "
    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (write_id) DO UPDATE SET status = excluded.status, "
    "media_type = excluded.media_type, headers = excluded.headers, body = excluded.body, "
    "expires_at = excluded.expires_at"
)
DELETE_ENDED: Final = (
    "DELETE FROM ledger_write WHERE id IN (SELECT id FROM ledger_write WHERE id > ? AND id < ? "
    "AND state NOT IN ('open', 'unknown') "
    "AND NOT EXISTS (SELECT 1 FROM ledger_key "
    "WHERE write_id = COALESCE(ledger_write.set_id, ledger_write.id)) "
    "ORDER BY id LIMIT ?) RETURNING id"
)
"""Continues after the last deleted row, so that kept rows are read once and not for each batch."""
FIND_UNSURE: Final = (
    "SELECT resource FROM ledger_write WHERE state = 'open' "
    "UNION SELECT resource FROM ledger_write "
    "WHERE ended_at >= ? AND (state = 'unknown' OR ended_by IS NOT NULL)"
)
"""Runs at every start before the port opens. Each half has an index and reads no old row."""


class LedgerStore:
    """Reads and writes the tables of the ledger."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_secret(self) -> StoreSecret:
        """Return the store's secret; create it if there is none.

        Raises:
            StoreUnavailable: the store refused.
        """

        def read(connection: Statements) -> bytes:
            connection.execute(
                "INSERT INTO ledger_secret (id, secret) VALUES (1, ?) ON CONFLICT DO NOTHING",
                (secrets.token_bytes(_SECRET_BYTES),),
            )
            (row,) = connection.execute("SELECT secret FROM ledger_secret")
            return bytes(row[0])

        return StoreSecret(await self._database.write(read))

    def begin(self, intents: Intents) -> "asyncio.Future[None]":
        """Queue the rows of writes that have not been sent yet; the future is done once they are committed.

        Its error is `StoreUnavailable` when the store refused; there are no rows then.
        """
        rows = [_row(intent, WriteState.OPEN) for intent in intents]

        def insert(connection: Statements) -> None:
            for row in rows:
                connection.execute(_BEGIN, row)

        return self._database.submit(insert)

    def claim(self, intents: Intents, claim: Claim, now: datetime) -> "asyncio.Future[ExistingKey | None]":
        """Queue the rows of writes together with their idempotency key, unless it is in use; see `begin`.

        The transaction that takes the key also looks it up, so two requests cannot both take it.

        Returns:
            a future of None once the rows are committed, or of the key's earlier write; then there are none.
        """
        rows = [_row(intent, WriteState.OPEN) for intent in intents]

        def insert(connection: Statements) -> ExistingKey | None:
            stored = _read_key(connection.execute(_FIND_KEY, (claim.key_fingerprint,)).fetchall())
            decision = decide_repeat(stored, claim.request_fingerprint, now)
            if stored is not None and decision is not RepeatDecision.SEND:
                return ExistingKey(stored, decision)
            for row in rows:
                connection.execute(_BEGIN, row)
            connection.execute(
                _CLAIM,
                (
                    claim.key_fingerprint,
                    claim.request_fingerprint,
                    intents[0].write_id,
                    iso_utc(claim.expires_at),
                ),
            )
            return None

        return self._database.submit(insert)

    def ending(self, intents: Intents, outcome: WriteOutcome, at: datetime) -> AuditedChange:
        """Return the change that stores an outcome; it is committed together with the audit records."""
        rows = [_row(intent, outcome.state, outcome, at) for intent in intents]
        answer = _answer_row(intents[0], outcome)

        def end(connection: Statements) -> bool:
            for row in rows:
                connection.execute(_END, row)
            if answer is not None:
                connection.execute(_ANSWER, answer)
            return True

        return end

    def resolving(
        self,
        items: Sequence[WriteItem],
        state: WriteState,
        *,
        keys: Mapping[str, str | None],
        found_in: str | None = None,
        by: str,
        at: datetime,
    ) -> AuditedChange:
        """Return the change that resolves unknown writes; it returns False if their outcome is known.

        Their idempotency key is then kept for its full time again: the client repeats its request only now.

        Args:
            items: one write, or all of a change set, which are always in the same state.
            state: the state that resolves them.
            keys: keys of created records by the number of the write, where they are known.
            found_in: the entity set in which a lookup found the record, if another than the resource.
            by: the person or the lookup.
            at: the time.
        """
        group = items[0].group

        def resolve(connection: Statements) -> bool:
            (counted,) = connection.execute(_COUNT_UNKNOWN, (group, group))
            if counted[0] != len(items):
                return False
            for item in items:
                connection.execute(
                    "UPDATE ledger_write SET state = ?, key = COALESCE(key, ?), found_in = ?, ended_at = ?, "
                    "ended_by = ?, next_look_at = NULL WHERE id = ? AND state = 'unknown'",
                    (state.value, keys.get(item.id), found_in, iso_utc(at), by, item.id),
                )
            for row in connection.execute(_KEY_OF, (group,)).fetchall():
                kept_for = datetime.fromisoformat(row["expires_at"]) - datetime.fromisoformat(row["at"])
                connection.execute(
                    "UPDATE ledger_key SET expires_at = ? WHERE write_id = ?",
                    (iso_utc(at + kept_for), group),
                )
            return True

        return resolve

    async def find_key(self, key_fingerprint: bytes) -> StoredKey | None:
        """Return a stored idempotency key, None for a new one.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        return _read_key(await self._database.read(_FIND_KEY, [key_fingerprint]))

    async def find_answer(self, write_id: str) -> WriteAnswer | None:
        """Return the stored answer of a write, without its body where that was too large.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT * FROM ledger_answer WHERE write_id = ?", [write_id])
        if not rows:
            return None
        (row,) = rows
        return WriteAnswer(
            status=row["status"],
            media_type=row["media_type"],
            headers=json.loads(row["headers"]),
            body=row["body"] or b"",
        )

    async def find_due(self, now: datetime) -> list[DueLookup]:
        """Return the unknown writes whose lookup is due, the earliest first, up to a batch.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read(
            "SELECT * FROM ledger_write WHERE next_look_at IS NOT NULL AND next_look_at <= ? "
            # Only unknown writes have a next_look_at. A condition on the state would read all of them.
            "ORDER BY next_look_at, id LIMIT ?",
            [iso_utc(now), LOOKUP_BATCH],
        )
        last = rows[-1]["set_id"] if len(rows) == LOOKUP_BATCH else None
        if last is not None:  # the batch may end within a change set, whose creates are looked up together
            whole = await self._database.read(
                "SELECT * FROM ledger_write WHERE set_id = ? AND next_look_at IS NOT NULL ORDER BY position",
                [last],
            )
            rows = [*(row for row in rows if row["set_id"] != last), *whole]
        return [
            DueLookup(
                _read_item(row), row["looks"], datetime.fromisoformat(row["ended_at"]), row["trace_field"]
            )
            for row in rows
        ]

    async def postpone_lookup(
        self, items: Sequence[WriteItem], lookups: int, next_lookup_at: datetime | None
    ) -> None:
        """Store the number of lookups of writes and the time of the next one; None for no more.

        Raises:
            StoreUnavailable: nothing was changed.
        """
        next_at = None if next_lookup_at is None else iso_utc(next_lookup_at)

        def postpone(connection: Statements) -> None:
            for item in items:
                connection.execute(
                    "UPDATE ledger_write SET looks = ?, next_look_at = ? WHERE id = ? AND state = 'unknown'",
                    (lookups, next_at, item.id),
                )

        await self._database.write(postpone)

    async def cancel_lookups(self) -> None:
        """Cancel all lookups, so that unknown writes wait for a person.

        Raises:
            StoreUnavailable: the store refused.
        """

        def cancel(connection: Statements) -> None:
            connection.execute("UPDATE ledger_write SET next_look_at = NULL WHERE next_look_at IS NOT NULL")

        await self._database.write(cancel)

    async def find_page(
        self, conditions: WriteFilter, *, page: int, page_size: int
    ) -> tuple[tuple[WriteItem, ...], int]:
        """Return page `page` (from 1) of the writes that meet the conditions, newest first, and the total.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        where, values = conditions.as_sql()
        counted = await self._database.read(f"SELECT COUNT(*) FROM ledger_write {where}", values)  # noqa: S608 - fixed texts
        rows = await self._database.read(
            f"SELECT * FROM ledger_write {where} ORDER BY id DESC LIMIT ? OFFSET ?",  # noqa: S608 - fixed texts
            [*values, page_size, (page - 1) * page_size],
        )
        return tuple(map(_read_item, rows)), int(counted[0][0])

    async def find(self, write_id: str) -> WriteItem | None:
        """Return one write, None if no write has this number.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT * FROM ledger_write WHERE id = ?", [write_id])
        return _read_item(rows[0]) if rows else None

    async def find_group(self, number: str) -> tuple[WriteItem, ...]:
        """Return the writes of a change set in their order, or the write alone that has this number.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read(
            f"SELECT * FROM ledger_write WHERE {_GROUP} ORDER BY position",  # noqa: S608 - fixed texts
            [number, number],
        )
        return tuple(map(_read_item, rows))

    async def delete_expired(self, now: datetime) -> int:
        """Delete expired answers and keys; return the number of answers.

        The key of a write that may have been done is kept.

        Raises:
            StoreUnavailable: the store refused; nothing was deleted.
        """

        def delete(connection: Statements) -> int:
            answers = connection.execute("DELETE FROM ledger_answer WHERE expires_at <= ?", (iso_utc(now),))
            connection.execute(
                "DELETE FROM ledger_key WHERE expires_at <= ? AND write_id NOT IN "
                "(SELECT id FROM ledger_write WHERE state IN ('open', 'unknown'))",
                (iso_utc(now),),
            )
            return answers.rowcount

        return await self._database.write(delete)

    async def delete_before(self, moment: datetime) -> int:
        """Delete ended writes older than `moment` in batches; return their number.

        Unknown writes and writes with an idempotency key are kept.

        Raises:
            StoreUnavailable: the store refused; earlier batches stay deleted.
        """
        before, last = first_number_at(moment), ""

        def delete_batch(connection: Statements) -> list[str]:
            return [row[0] for row in connection.execute(DELETE_ENDED, (last, before, _DELETE_BATCH))]

        deleted = 0
        while batch := await self._database.write(delete_batch):
            deleted, last = deleted + len(batch), max(batch)
        return deleted

    async def find_unsure(self, since: datetime) -> frozenset[str]:
        """Return the resources with a write whose outcome was unknown at this moment or later.

        Writes that a person or a lookup resolved since are included: the ERP may have done them after that
        moment. Open writes are included too: at the start they belong to an earlier process, and may be in
        flight.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read(FIND_UNSURE, [iso_utc(since)])
        return frozenset(row["resource"] for row in rows)

    async def find_open(self) -> list[Intents]:
        """Return the open writes, oldest first; those of a change set together.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT * FROM ledger_write WHERE state = 'open' ORDER BY id")
        groups = groupby(map(_read_intent, rows), key=lambda intent: intent.set_id or intent.write_id)
        return [tuple(intents) for _, intents in groups]


_COLUMNS: Final = {"result": "state", "change_set": "set_id"}
"""Columns of members that have another name."""


def _read_item(row: Row) -> WriteItem:
    members = {name: row[_COLUMNS.get(name, name)] for name in attrs.fields_dict(WriteItem)}
    return WriteItem(**{**members, "fields": tuple(json.loads(row["fields"]))})


def _row(
    intent: Intent, state: WriteState, outcome: WriteOutcome | None = None, at: datetime | None = None
) -> tuple[object, ...]:
    actor = intent.actor
    created_key = None if outcome is None else outcome.key_of(intent.position)
    next_lookup_at = None if outcome is None or not intent.traced else outcome.next_lookup_at
    return (
        intent.write_id,
        iso_utc(intent.at),
        intent.kind.value,
        actor.web_user,
        actor.ip,
        actor.request_id,
        intent.resource,
        created_key if intent.key is None else intent.key,
        json.dumps(intent.fields.names, ensure_ascii=False),
        intent.fields.omitted,
        intent.body_fingerprint,
        int(intent.traced),
        intent.trace_field,
        intent.set_id,
        intent.position,
        state.value,
        None if outcome is None else outcome.reason,
        None if at is None else iso_utc(at),
        None if next_lookup_at is None else iso_utc(next_lookup_at),
    )


def _read_key(rows: Sequence[Row]) -> StoredKey | None:
    if not rows:
        return None
    (row,) = rows
    next_lookup_at = row["next_look_at"]
    return StoredKey(
        request_fingerprint=row["request_mac"],
        write_id=row["write_id"],
        state=WriteState(row["state"]),
        reason=row["reason"],
        expires_at=datetime.fromisoformat(row["expires_at"]),
        next_lookup_at=None if next_lookup_at is None else datetime.fromisoformat(next_lookup_at),
    )


def _answer_row(intent: Intent, outcome: WriteOutcome) -> tuple[object, ...] | None:
    """Return the row of an answer that repeats of the request get; None where there is none to store."""
    if intent.claim is None or not is_replayed(outcome.state, outcome.reason):
        return None
    answer = outcome.as_answer()
    return (
        intent.write_id,
        answer.status,
        answer.media_type,
        json.dumps(dict(answer.headers)),
        answer.body if len(answer.body) <= MAX_KEPT_BODY_BYTES else answer.short_body or None,
        iso_utc(intent.claim.expires_at),
    )


def _read_intent(row: Row) -> Intent:
    return Intent(
        write_id=row["id"],
        at=datetime.fromisoformat(row["at"]),
        kind=WriteKind(row["kind"]),
        actor=Actor(web_user=row["web_user"], ip=row["ip"], request_id=row["request_id"]),
        resource=row["resource"],
        key=row["key"],
        fields=SentFields(tuple(json.loads(row["fields"])), row["fields_omitted"]),
        body_fingerprint=row["body_mac"],
        traced=bool(row["traced"]),
        trace_field=row["trace_field"],
        set_id=row["set_id"],
        position=row["position"],
    )
