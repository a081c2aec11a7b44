"""The tables of the ledger, and the secret under which they know bodies and keys again."""

import asyncio
import hmac
import json
import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Final, final

import attrs
from attrs import frozen

from erp_gateway.audit.store import Along
from erp_gateway.store.database import Database
from erp_gateway.store.statements import Row, Statements, where
from erp_gateway.values.audit_event import Actor, SentFields
from erp_gateway.writes.rules import Known, RepeatAnswer, TakenKey, WriteState, is_replayed, repeat_gets
from erp_gateway.writes.writes import Claim, Intent, WriteAnswer, WriteKind, WriteOutcome, first_number_at
from servicekit.clock import iso_utc


@final
class StoreSecret:
    """The store's secret; never shown.

    Args:
        secret: 32 random bytes.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mac(self, purpose: str, *parts: bytes) -> bytes:
        """Return 32 bytes that only the same purpose and the same parts have."""
        told = hmac.new(self._secret, purpose.encode(), "sha256")
        for part in parts:
            told.update(len(part).to_bytes(8, "big"))
            told.update(part)
        return told.digest()


@frozen(kw_only=True)
class WriteItem:
    """One write as clients see it.

    Attributes:
        id: a ULID; newer ones sort after older ones.
        at: when it was asked for, as ISO text in UTC.
        web_user: who asked.
        request_id: in which request.
        kind: what it does.
        resource: the registered resource.
        key: of the record; of a new one as far as it is known.
        fields: names of the fields sent.
        fields_omitted: how many more there were.
        result: what is known of it, as a `WriteState`.
        reason: the `code` of its refusal.
        ended_at: when that was known, as ISO text in UTC.
        ended_by: who found out what became of an unknown one: a web user, or `lookup`.
        found_in: the entity set in which a look-up found it, where that is not the resource: `Drafts`.
        next_look_at: when it is looked up next, as ISO text in UTC.
    """

    id: str
    at: str
    web_user: str
    request_id: str | None
    kind: str
    resource: str
    key: str | None
    fields: tuple[str, ...]
    fields_omitted: int
    result: str
    reason: str | None
    ended_at: str | None
    ended_by: str | None
    found_in: str | None
    next_look_at: str | None

    @property
    def state(self) -> WriteState:
        """What is known of it."""
        return WriteState(self.result)


@frozen
class DueLook:
    """An unknown write to be looked up now.

    Attributes:
        record: the write.
        looks: how many looks were made.
        unknown_at: since when it is unknown, aware.
        field: the field that carries its number, where its row names it.
    """

    record: WriteItem
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


MAX_KEPT_BODY_BYTES: Final = 256 * 1024
"""A larger answer is kept without its body."""

_SECRET_BYTES: Final = 32
_DELETE_BATCH: Final = 500
_LOOKS_AT_A_TIME: Final = 20

_BEGIN: Final = (
    "INSERT INTO ledger_write (id, at, kind, web_user, ip, request_id, resource, key, fields, "
    "fields_omitted, body_mac, traced, trace_field, state, reason, ended_at, next_look_at) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
_END: Final = (
    f"{_BEGIN} ON CONFLICT (id) DO UPDATE SET state = excluded.state, reason = excluded.reason, "
    "key = excluded.key, ended_at = excluded.ended_at, next_look_at = excluded.next_look_at "
    "WHERE ledger_write.state = 'open'"
)
"""Where the row could not be written before, it is written whole at the end."""
_FIND_KEY: Final = (
    "SELECT request_mac, write_id, expires_at, state, reason, next_look_at FROM ledger_key "
    "JOIN ledger_write ON ledger_write.id = write_id WHERE key_mac = ?"
)
_CLAIM: Final = (
    "INSERT INTO ledger_key (key_mac, request_mac, write_id, expires_at) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (key_mac) DO UPDATE SET request_mac = excluded.request_mac, "
    "write_id = excluded.write_id, expires_at = excluded.expires_at"
)
_KEY_OF: Final = (
    "SELECT expires_at, at FROM ledger_key JOIN ledger_write ON ledger_write.id = write_id WHERE write_id = ?"
)
_ANSWER: Final = (
    "INSERT INTO ledger_answer (write_id, status, media_type, headers, body, expires_at) "
    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (write_id) DO UPDATE SET status = excluded.status, "
    "media_type = excluded.media_type, headers = excluded.headers, body = excluded.body, "
    "expires_at = excluded.expires_at"
)
DELETE_ENDED: Final = (
    "DELETE FROM ledger_write WHERE id IN (SELECT id FROM ledger_write WHERE id > ? AND id < ? "
    "AND state NOT IN ('open', 'unknown') "
    "AND NOT EXISTS (SELECT 1 FROM ledger_key WHERE write_id = ledger_write.id) "
    "ORDER BY id LIMIT ?) RETURNING id"
)
"""Goes on after the last one deleted: what is kept is read once, not for each batch."""
FIND_UNSURE: Final = (
    "SELECT resource FROM ledger_write WHERE state = 'open' "
    "UNION SELECT resource FROM ledger_write "
    "WHERE ended_at >= ? AND (state = 'unknown' OR ended_by IS NOT NULL)"
)
"""Asked at every start before the port opens: each half has an index, and reads no row of long ago."""


class LedgerStore:
    """Reads and writes the rows of writes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_secret(self) -> StoreSecret:
        """Return the store's secret, made now if there is none.

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

    def begin(self, intent: Intent) -> "asyncio.Future[None]":
        """Line up the row of a write that has not been sent yet; the future is done once it is committed.

        Its error is `StoreUnavailable` when the store refused; there is no row then.
        """
        row = _row(intent, WriteState.OPEN)

        def insert(connection: Statements) -> None:
            connection.execute(_BEGIN, row)

        return self._database.submit(insert)

    def claim(self, intent: Intent, claim: Claim, now: datetime) -> "asyncio.Future[TakenKey | None]":
        """Line up the row of a write with a key, unless an earlier one stands in its way; see `begin`.

        The key is looked up in the transaction that takes it: nobody comes between.

        Returns:
            the future of None once the row is committed, or of what stands in its way, and there is no row.
        """
        row = _row(intent, WriteState.OPEN)

        def insert(connection: Statements) -> TakenKey | None:
            known = _read_known(connection.execute(_FIND_KEY, (claim.key_fingerprint,)).fetchall())
            gets = repeat_gets(known, claim.request_fingerprint, now)
            if known is not None and gets is not RepeatAnswer.SEND:
                return TakenKey(known, gets)
            connection.execute(_BEGIN, row)
            connection.execute(
                _CLAIM,
                (
                    claim.key_fingerprint,
                    claim.request_fingerprint,
                    intent.write_id,
                    iso_utc(claim.expires_at),
                ),
            )
            return None

        return self._database.submit(insert)

    def ending(self, intent: Intent, ended: WriteOutcome, at: datetime) -> Along:
        """Return the change that notes how a write ended, to be committed with its audit record."""
        row = _row(intent, ended.state, ended, at)
        answer = _answer_row(intent, ended)

        def note(connection: Statements) -> bool:
            connection.execute(_END, row)
            if answer is not None:
                connection.execute(_ANSWER, answer)
            return True

        return note

    def resolving(
        self,
        write_id: str,
        state: WriteState,
        *,
        key: str | None,
        found_in: str | None = None,
        by: str,
        at: datetime,
    ) -> Along:
        """Return the change that notes what became of an unknown write; it says no where that is known.

        From then on its idempotency key is kept for a full time: whoever waited for this asks again now.
        """

        def note(connection: Statements) -> bool:
            cursor = connection.execute(
                "UPDATE ledger_write SET state = ?, key = COALESCE(key, ?), found_in = ?, ended_at = ?, "
                "ended_by = ?, next_look_at = NULL WHERE id = ? AND state = 'unknown'",
                (state.value, key, found_in, iso_utc(at), by, write_id),
            )
            if cursor.rowcount != 1:
                return False
            for row in connection.execute(_KEY_OF, (write_id,)).fetchall():
                kept_for = datetime.fromisoformat(row["expires_at"]) - datetime.fromisoformat(row["at"])
                connection.execute(
                    "UPDATE ledger_key SET expires_at = ? WHERE write_id = ?",
                    (iso_utc(at + kept_for), write_id),
                )
            return True

        return note

    async def find_key(self, key_fingerprint: bytes) -> Known | None:
        """Return what is known of an idempotency key.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        return _read_known(await self._database.read(_FIND_KEY, [key_fingerprint]))

    async def find_answer(self, write_id: str) -> WriteAnswer | None:
        """Return the recorded answer of a write, without its body where that was too large.

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

    async def find_due(self, now: datetime) -> list[DueLook]:
        """Return the unknown writes to be looked up by now, those due first first, a few at a time.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read(
            "SELECT * FROM ledger_write WHERE next_look_at IS NOT NULL AND next_look_at <= ? "
            "ORDER BY next_look_at LIMIT ?",  # unknown ones alone have it; by their state all would be read
            [iso_utc(now), _LOOKS_AT_A_TIME],
        )
        return [
            DueLook(
                _read_item(row), row["looks"], datetime.fromisoformat(row["ended_at"]), row["trace_field"]
            )
            for row in rows
        ]

    async def put_off(self, write_id: str, looks: int, next_look_at: datetime | None) -> None:
        """Note how often a write was looked up, and when to look again; None for never.

        Raises:
            StoreUnavailable: nothing was changed.
        """

        def note(connection: Statements) -> None:
            connection.execute(
                "UPDATE ledger_write SET looks = ?, next_look_at = ? WHERE id = ? AND state = 'unknown'",
                (looks, None if next_look_at is None else iso_utc(next_look_at), write_id),
            )

        await self._database.write(note)

    async def forget_looks(self) -> None:
        """Let unknown writes wait for people: nothing looks them up any more.

        Raises:
            StoreUnavailable: the store refused.
        """

        def forget(connection: Statements) -> None:
            connection.execute("UPDATE ledger_write SET next_look_at = NULL WHERE next_look_at IS NOT NULL")

        await self._database.write(forget)

    async def find_page(
        self, conditions: WriteFilter, *, page: int, page_size: int
    ) -> tuple[tuple[WriteItem, ...], int]:
        """Return page `page` (from 1) of the writes that meet the conditions, newest first, and their number.

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
        """Return one write, None where there is none of this number.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT * FROM ledger_write WHERE id = ?", [write_id])
        return _read_item(rows[0]) if rows else None

    async def delete_expired(self, now: datetime) -> int:
        """Delete recorded answers and keys whose time is over; return how many answers those were.

        A key is kept whose write may have been done.

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
        """Delete writes that ended and are older than `moment`, a few hundred at a time; return how many.

        Those are kept of which nobody knows what became of them, and those that a key still stands for.

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
        """Return the resources with writes whose outcome was unknown at this moment or since.

        One that somebody said something about since is among them: the ERP has not been heard of it. So are
        open ones: at the start they are those of a process before this one, and may be under way.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read(FIND_UNSURE, [iso_utc(since)])
        return frozenset(row["resource"] for row in rows)

    async def find_open(self) -> list[Intent]:
        """Return the writes whose end is not noted, oldest first.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT * FROM ledger_write WHERE state = 'open' ORDER BY id")
        return [_read_intent(row) for row in rows]


def _read_item(row: Row) -> WriteItem:
    members = {name: row["state" if name == "result" else name] for name in attrs.fields_dict(WriteItem)}
    return WriteItem(**{**members, "fields": tuple(json.loads(row["fields"]))})


def _row(
    intent: Intent, state: WriteState, ended: WriteOutcome | None = None, at: datetime | None = None
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
        intent.body_fingerprint,
        int(intent.traced),
        intent.trace_field,
        state.value,
        None if ended is None else ended.reason,
        None if at is None else iso_utc(at),
        None if ended is None or ended.look_at is None else iso_utc(ended.look_at),
    )


def _read_known(rows: Sequence[Row]) -> Known | None:
    if not rows:
        return None
    (row,) = rows
    look_at = row["next_look_at"]
    return Known(
        request_fingerprint=row["request_mac"],
        write_id=row["write_id"],
        state=WriteState(row["state"]),
        reason=row["reason"],
        expires_at=datetime.fromisoformat(row["expires_at"]),
        look_at=None if look_at is None else datetime.fromisoformat(look_at),
    )


def _answer_row(intent: Intent, ended: WriteOutcome) -> tuple[object, ...] | None:
    """Return what is kept of an answer that the next request with the same key gets, None for nothing."""
    if intent.claim is None or not is_replayed(ended.state, ended.reason):
        return None
    answer = ended.told()
    return (
        intent.write_id,
        answer.status,
        answer.media_type,
        json.dumps(dict(answer.headers)),
        answer.body if len(answer.body) <= MAX_KEPT_BODY_BYTES else None,
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
    )
