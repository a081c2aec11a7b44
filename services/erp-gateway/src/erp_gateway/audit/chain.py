"""The chain of audit records in the store: its two ends, a walk along it, its check, and retention."""

from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from typing import Final

import structlog
from attrs import Factory, define, frozen

from erp_gateway.audit.log_lines import LoggedChain
from erp_gateway.store.audit_chain import START, ChainEnd, link
from erp_gateway.store.database import Database
from erp_gateway.store.statements import Statements
from servicekit.clock import Clock, iso_utc

_log = structlog.get_logger(__name__)


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


async def apply_retention(chain: AuditChain, clock: Clock, *, keep_days: int) -> int:
    """Delete what is older than so many days and return how many records that were.

    Raises:
        StoreUnavailable: the store refused; the next run goes on.
    """
    now = clock.now()
    deleted, last = await chain.cut_before(now - timedelta(days=keep_days), now=now)
    if last is not None:
        _log.info("audit_records_deleted", records=deleted, keep_days=keep_days, last=last.as_text())
    return deleted


_BEFORE_ALL: Final = ChainEnd(0, START)


@define(kw_only=True)
class ChainCheck:
    """Takes a chain record by record, oldest first, and keeps what is wrong with it.

    Attributes:
        head: the last record written, by the store's own word when the walk began; None where it has none.
        logged: records that must be there, given by hand.
        log: what log lines say.
        records: how many records were seen.
        compared: how many of them the log has.
        older: how many records of the log were deleted by retention since.
        last: what was seen last.
        faults: what is wrong, a sentence each.
    """

    head: ChainEnd | None
    logged: tuple[ChainEnd, ...] = ()
    log: LoggedChain = Factory(LoggedChain)
    records: int = 0
    compared: int = 0
    older: int = 0
    last: ChainEnd = _BEFORE_ALL
    faults: list[str] = Factory(list)
    _met_head: bool = False
    _pending: dict[int, list[ChainEnd]] = Factory(dict)
    _from_log: dict[int, set[str]] = Factory(dict)

    def __attrs_post_init__(self) -> None:
        self._from_log = dict(self.log.heads)
        for end in self.logged:
            self._pending.setdefault(end.entry_id, []).append(end)

    def begin(self, cut: ChainEnd) -> None:
        """Take where the chain begins: the last record that retention has deleted."""
        self._compare(cut)
        self._met_head = self._met_head or (self.head is not None and cut.entry_id > self.head.entry_id)
        for entry_id in [number for number in self._pending if number < cut.entry_id]:
            self.faults.append(
                f"record {entry_id}: deleted since by retention (up to {cut.entry_id}), so the head given "
                "can't be compared; give a later one"
            )
            del self._pending[entry_id]
        self._set_aside(cut)

    def _set_aside(self, cut: ChainEnd) -> None:
        """Set aside what the log has of deleted records. The log must tell of the deletion, too."""
        deleted = [number for number in self._from_log if number < cut.entry_id]
        for number in deleted:
            del self._from_log[number]
        self.older += len(deleted)
        if deleted and cut not in self.log.deletions:
            self.faults.append(
                f"records up to {cut.entry_id}: deleted, but the log has no line audit_records_deleted for "
                "them: they were removed by hand, or the log is not complete"
            )

    def take(self, record: ChainedRecord) -> None:
        """Take the next record."""
        end, previous = record.end, self.last
        self.records += 1
        self.compared += end.entry_id in self._from_log
        if not record.follows(previous):
            self.faults.append(_broken(previous.entry_id, end.entry_id))
        self._compare(end)

    def finish(self) -> None:
        """Look at what is wrong as a whole, after the last record."""
        if self.head is None:
            self.faults.append("the store does not say which record was written last: that was removed")
        elif not self._met_head:
            self.faults.append(
                f"the last record is {self.last.entry_id}, but record {self.head.entry_id} was written last: "
                "the newest records were removed or changed"
            )
        for entry_id in sorted(self._pending):
            self.faults.append(
                f"record {entry_id}: not there, but it was the last one written when the head given was "
                "logged: the newest records were removed"
            )
        cut_off = sorted(number for number in self._from_log if number > self.last.entry_id)
        if cut_off:
            self.faults.append(
                f"records {cut_off[0]} to {cut_off[-1]}: not there, but the log has {len(cut_off)} of them: "
                "the newest records were removed"
            )

    def _compare(self, end: ChainEnd) -> None:
        """Hold a record against what is known of it from elsewhere, and go on from it."""
        self.last = end
        self._met_head = self._met_head or end == self.head
        for logged in self._pending.pop(end.entry_id, ()):
            if logged != end:
                self.faults.append(
                    f"record {end.entry_id}: not the one whose chain was logged: records up to this one were "
                    "replaced"
                )
        if self._from_log.pop(end.entry_id, {end.chain}) != {end.chain}:
            self.faults.append(
                f"record {end.entry_id}: not the one that the log has: it, or one before it, was replaced"
            )


async def check_chain(chain: AuditChain, *logged: ChainEnd, log: LoggedChain | None = None) -> ChainCheck:
    """Walk along the whole chain; `logged` and `log` as of `ChainCheck`.

    Raises:
        StoreUnavailable: the store can't be read.
    """
    check = ChainCheck(head=await chain.head(), logged=logged, log=log or LoggedChain())
    async for step in chain.walk():
        check.take(step) if isinstance(step, ChainedRecord) else check.begin(step)
    check.finish()
    return check


def _broken(previous: int, number: int) -> str:
    missing = range(previous + 1, number)
    if len(missing) == 1:
        return f"record {missing[0]}: missing"
    if missing:
        return f"records {missing[0]} to {missing[-1]}: missing"
    return f"record {number}: changed, or not the one that was written after record {previous}"
