"""The chain of audit records in the store: its two ends, a walk along it, its check, and retention."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Final

from attrs import frozen

from erp_gateway.store.audit_chain import START, ChainEnd, link
from erp_gateway.store.database import Database
from erp_gateway.store.statements import Statements
from servicekit.clock import iso_utc

CHAINED_COLUMNS: Final = (
    "id, at, web_user, ip, action, resource, key, result, fields, detail, reason, request_id"
)
"""What `link` takes of a row, in its order."""

_BATCH: Final = 500
_NO_VALUES: Final = ", ".join(["NULL"] * len(CHAINED_COLUMNS.split()))
_NEXT_RECORDS: Final = (
    f"SELECT 0 AS is_record, id, chain, {_NO_VALUES} FROM audit_chain WHERE place = 'cut' "  # noqa: S608 - fixed texts
    f"UNION ALL SELECT * FROM (SELECT 1, id, chain, {CHAINED_COLUMNS} FROM audit_log "
    "WHERE id > ? ORDER BY id LIMIT ?) AS next_records ORDER BY 1, 2"
)
"""The beginning and the records after a number, in one statement: retention can't come between them."""


@frozen(kw_only=True)
class ChainedRecord:
    """One stored record as a link of the chain.

    Attributes:
        end: its number, and the chain that is stored with it.
        row: what the chain is made of, as `link` takes it.
    """

    end: ChainEnd
    row: tuple[object, ...]

    def follows(self, previous: ChainEnd) -> bool:
        """Tell whether its chain is that of this very record after `previous`."""
        try:
            return link(previous.chain, *self.row) == self.end.chain
        except (ValueError, RecursionError):  # a text that this program never wrote
            return False


class AuditChain:
    """Reads the chain of a store, and shortens it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def head(self) -> ChainEnd | None:
        """Return the last record written, from which the next one follows; None where somebody removed that.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        rows = await self._database.read("SELECT id, chain FROM audit_chain WHERE place = 'head'")
        return ChainEnd(*rows[0]) if rows else None

    async def walk(self) -> AsyncIterator[ChainEnd | ChainedRecord]:
        """Yield where the chain begins, then every record, oldest first.

        Where retention deletes meanwhile what was still to come, the new beginning is yielded before the
        records that follow from it.

        Raises:
            StoreUnavailable: the store cannot be read.
        """
        last_id = -1
        while True:
            records = 0
            for is_record, entry_id, chain, *row in await self._database.read(
                _NEXT_RECORDS, [last_id, _BATCH]
            ):
                end = ChainEnd(entry_id, chain)
                if is_record:
                    records += 1
                    yield ChainedRecord(end=end, row=tuple(row))
                elif entry_id > last_id:
                    yield end
                last_id = max(last_id, entry_id)
            if records < _BATCH:
                return

    async def cut_before(self, moment: datetime, *, now: datetime) -> tuple[int, ChainEnd | None]:
        """Delete the oldest records, up to the first one that is not older than `moment`.

        What is left stays one chain: the last record deleted is kept as its beginning. So an older record
        behind a younger one stays until that one goes. A record whose time is still to come (a clock was
        wrong) holds nothing back. Small transactions let other writers in between.

        Returns:
            how many were deleted, and the last of them.

        Raises:
            StoreUnavailable: the store refused; earlier batches stay deleted.
        """
        since, until = iso_utc(moment), iso_utc(now)
        kept = await self._database.read(
            "SELECT COALESCE((SELECT id FROM audit_log WHERE COALESCE(at, '') BETWEEN ? AND ? "
            "ORDER BY id LIMIT 1), (SELECT MAX(id) + 1 FROM audit_log WHERE at < ?))",
            (since, until, since),
        )

        def cut_batch(connection: Statements) -> list[ChainEnd]:
            rows = connection.execute(
                "SELECT id, chain FROM audit_log WHERE id < ? ORDER BY id LIMIT ?", (kept[0][0], _BATCH)
            )
            oldest = [ChainEnd(*row) for row in rows]
            if oldest:
                connection.execute("DELETE FROM audit_log WHERE id <= ?", (oldest[-1].entry_id,))
                set_end(connection, "cut", oldest[-1])
            return oldest

        deleted, last = 0, None
        while batch := await self._database.write(cut_batch):
            deleted, last = deleted + len(batch), batch[-1]
        return deleted, last


def read_head(connection: Statements) -> tuple[ChainEnd, int]:
    """Return what the next record follows from, and the number that it gets: one never used before."""
    ((entry_id, chain, used),) = connection.execute(
        "SELECT (SELECT id FROM audit_chain WHERE place = 'head'), "
        "(SELECT chain FROM audit_chain WHERE place = 'head'), "
        "(SELECT used FROM audit_number)"
    )
    head = ChainEnd(entry_id or 0, chain or START)
    return head, max(head.entry_id, used or 0) + 1


def set_end(connection: Statements, place: str, end: ChainEnd) -> None:
    """Keep a record as an end of the chain: `head`, which the next one follows from, or `cut`."""
    connection.execute(
        "INSERT INTO audit_chain (place, id, chain) VALUES (?, ?, ?) "
        "ON CONFLICT (place) DO UPDATE SET id = excluded.id, chain = excluded.chain",
        (place, end.entry_id, end.chain),
    )
