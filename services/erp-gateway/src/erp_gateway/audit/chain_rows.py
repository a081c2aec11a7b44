"""The chain of audit records in the store: read its head, walk it, delete its oldest records."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final

from attrs import frozen

from erp_gateway.store.chain_hash import START, ChainPosition, link
from erp_gateway.store.database import Database
from erp_gateway.store.statements import Statements
from servicekit.clock import iso_utc

CHAINED_COLUMNS: Final = (
    "id, at, web_user, ip, action, resource, key, result, fields, detail, reason, request_id"
)
"""Columns that `link` hashes, in its order."""

_BATCH: Final = 500
_NO_VALUES: Final = ", ".join(["NULL"] * len(CHAINED_COLUMNS.split()))
# The cut and the next records in one statement, so that retention cannot delete between two reads.
_NEXT_RECORDS: Final = (
    f"SELECT 0 AS is_record, id, chain, {_NO_VALUES} FROM audit_chain WHERE place = 'cut' "  # noqa: S608 - fixed texts
    f"UNION ALL SELECT * FROM (SELECT 1, id, chain, {CHAINED_COLUMNS} FROM audit_log "
    "WHERE id > ? ORDER BY id LIMIT ?) AS next_records ORDER BY 1, 2"
)


@frozen(kw_only=True)
class ChainedRecord:
    """A stored record as a link of the chain.

    Attributes:
        position: its number and its stored hash.
        row: the hashed columns, in the order of `link`.
    """

    position: ChainPosition
    row: tuple[object, ...]

    def follows(self, previous: ChainPosition) -> bool:
        """Return True if the stored hash is that of this record after `previous`."""
        try:
            return link(previous.chain, *self.row) == self.position.chain
        except (ValueError, RecursionError):  # the stored JSON was changed by hand
            return False


class AuditChain:
    """Reads the chain of a store, and deletes its oldest records."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def head(self) -> ChainPosition | None:
        """Return the last record written, which the next one follows, or None if its row was removed by hand.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT id, chain FROM audit_chain WHERE place = 'head'")
        return ChainPosition(*rows[0]) if rows else None

    async def walk(self) -> AsyncIterator[ChainPosition | ChainedRecord]:
        """Yield the cut of the chain, then every record, oldest first.

        If retention deletes records ahead of the walk, the new cut is yielded before the records that follow
        it.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        last_id = -1
        while True:
            records = 0
            for is_record, entry_id, chain, *row in await self._database.read(
                _NEXT_RECORDS, [last_id, _BATCH]
            ):
                position = ChainPosition(entry_id, chain)
                if is_record:
                    records += 1
                    yield ChainedRecord(position=position, row=tuple(row))
                elif entry_id > last_id:
                    yield position
                last_id = max(last_id, entry_id)
            if records < _BATCH:
                return

    async def cut_before(self, moment: datetime, *, now: datetime) -> tuple[int, ChainPosition | None]:
        """Delete the oldest records, up to the first one that is not older than `moment`.

        The rest stays one chain, because the last deleted record is stored as its cut. An older record behind
        a newer one therefore stays until that one is deleted. A record with a time in the future (from a
        wrong clock) does not stop the deletion. Small transactions let other writers run in between.

        Returns:
            the number of deleted records, and the last of them.

        Raises:
            StoreUnavailable: the store refused; earlier batches stay deleted.
        """
        since, until = iso_utc(moment), iso_utc(now)
        first_kept = await self._database.read(
            "SELECT COALESCE((SELECT id FROM audit_log WHERE COALESCE(at, '') BETWEEN ? AND ? "
            "ORDER BY id LIMIT 1), (SELECT MAX(id) + 1 FROM audit_log WHERE at < ?))",
            (since, until, since),
        )

        def cut_batch(connection: Statements) -> list[ChainPosition]:
            rows = connection.execute(
                "SELECT id, chain FROM audit_log WHERE id < ? ORDER BY id LIMIT ?", (first_kept[0][0], _BATCH)
            )
            oldest = [ChainPosition(*row) for row in rows]
            if oldest:
                connection.execute("DELETE FROM audit_log WHERE id <= ?", (oldest[-1].entry_id,))
                save_position(connection, "cut", oldest[-1])
            return oldest

        deleted, last = 0, None
        while batch := await self._database.write(cut_batch):
            deleted, last = deleted + len(batch), batch[-1]
        return deleted, last


def read_head(connection: Statements) -> tuple[ChainPosition, int]:
    """Return the position that the next record follows, and that record's number, never used before."""
    ((entry_id, chain, used),) = connection.execute(
        "SELECT (SELECT id FROM audit_chain WHERE place = 'head'), "
        "(SELECT chain FROM audit_chain WHERE place = 'head'), "
        "(SELECT used FROM audit_number)"
    )
    head = ChainPosition(entry_id or 0, chain or START)
    return head, max(head.entry_id, used or 0) + 1


def save_position(connection: Statements, place: str, position: ChainPosition) -> None:
    """Store a position: `head`, the last record, or `cut`, the last deleted one."""
    connection.execute(
        "INSERT INTO audit_chain (place, id, chain) VALUES (?, ?, ?) "
        "ON CONFLICT (place) DO UPDATE SET id = excluded.id, chain = excluded.chain",
        (place, position.entry_id, position.chain),
    )
