"""Recording: the log line and the row, without ever disturbing the operation that is recorded."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final, Protocol, TypeVar

import structlog
from attrs import define, field

from erp_gateway.audit.record_line import log_head_after, log_record, write_line
from erp_gateway.audit.repeats import Repeats
from erp_gateway.audit.store import AuditedChange, AuditStore
from erp_gateway.store.audit_chain import ChainEnd
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import WRITES, AuditAction, AuditEvent
from servicekit.clock import Clock
from servicekit.tasks import every, finish

T = TypeVar("T")

_log = structlog.get_logger(__name__)


MAX_OWED: Final = 1000
"""Rows that are kept for a store that does not take them, and so many outcomes of writes besides."""

OWED_INTERVAL_S: Final = 0.5
"""How often those are tried."""


class AuditObserver(Protocol):
    """Counts for the metrics page."""

    def audit_recorded(self, action: AuditAction) -> None:
        """Count a record that was committed."""
        ...

    def audit_failed(self, action: AuditAction) -> None:
        """Count a record that could not be written in time."""
        ...


@define(eq=False)
class _Row:
    """A record; `written` gets its number when the store has taken it, None when it is lost."""

    event: AuditEvent
    at: datetime
    along: AuditedChange | None
    written: "asyncio.Future[int | None]"
    is_logged: bool = False

    @property
    def is_outcome(self) -> bool:
        """Whether it tells how a write of the ledger ended, and ends the ledger's row with it."""
        return self.along is not None and self.event.action in WRITES

    @property
    def is_refusal(self) -> bool:
        """Whether it tells of a request that was refused."""
        return self.event.action is AuditAction.PERMISSION_DENIED


@define(eq=False, repr=False)
class AuditRecorder:
    """Writes an `AUDIT` log line and an `audit_log` row from the same event.

    A row that the store does not take in time is owed: it is kept in memory, in order, and written as soon as
    the store takes it. Outcomes of writes have places of their own among those, and of the others refused
    requests, which anybody can make, give theirs up first. Use `open_recorder`.

    Args:
        store: where the rows go.
        clock: time.
        observer: counts rows.
        limit_s: how long a request waits for its row.
        max_owed: rows kept in memory, and as many outcomes of writes; further ones are in the log only.
    """

    _store: AuditStore
    _clock: Clock
    _observer: AuditObserver | None = field(default=None, kw_only=True)
    _limit_s: float = field(default=1.0, kw_only=True)
    _max_owed: int = field(default=MAX_OWED, kw_only=True)
    _owed: deque[_Row] = field(init=False, factory=deque)
    _owed_writing: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _repeats: Repeats = field(init=False)
    _adding: set[asyncio.Task[int | None]] = field(init=False, factory=set)

    def __attrs_post_init__(self) -> None:
        self._repeats = Repeats(self._clock)

    @property
    def owed(self) -> int:
        """Rows that wait for the store."""
        return len(self._owed)

    async def record(self, event: AuditEvent, along: AuditedChange | None = None) -> int | None:
        """Commit the event before returning; after `limit_s` seconds, leave it owed. Never raises.

        Denied requests beyond `OWN_RECORDS` in a minute, and repeats of a service action, are only counted;
        `write_counts` puts the count into the record that was written first.

        Args:
            event: what happened.
            along: a change that is committed together with the record, whenever that is.

        Returns:
            the number of the record, or None when it is not written yet (logged and counted), or needs none.
        """
        written: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        if along is None:
            admitted = self._repeats.admit(event, written)
            if admitted is None:
                return None
            event = admitted
        row = _Row(event, self._clock.now(), along, written)
        # A task of its own: a write that was given up might be done all the same, and then a second time.
        adding = asyncio.create_task(self._add(row))
        self._adding.add(adding)
        adding.add_done_callback(self._added)
        return await self._in_time(event, asyncio.shield(adding), row)

    async def commit(self, event: AuditEvent, along: AuditedChange) -> bool:
        """Commit a change and the event that tells of it, both or neither.

        Returns:
            whether they are committed; False when `along` said no.

        Raises:
            StoreUnavailable: the store refused; nothing was changed.
        """
        end = await self._store.add(event, self._clock.now(), along)
        if end is None:
            return False
        log_record(event, end)
        log_head_after(event, end)
        self._count_recorded(event)
        return True

    async def recount(self, entry_id: int, event: AuditEvent) -> None:
        """Put the counts of a newer form of the event into the record of its first form. Never raises."""
        await self._in_time(event, self._store.set_detail(entry_id, event.detail_json()))

    async def write_owed(self) -> int:
        """Write the rows owed, in their order, until the store refuses one; return how many were written."""
        written = 0
        async with self._owed_writing:  # two at once would write the first row twice
            while self._owed:
                if not await finish(self._write_first_owed()):
                    break
                written += 1
        if written:
            _log.info("audit_rows_written_late", rows=written, still_owed=len(self._owed))
        return written

    async def write_counts(self, *, at_the_end: bool = False) -> None:
        """Put the counts into the records that count repeats, once their minute is over.

        Args:
            at_the_end: put in those whose minute is not over, too.
        """
        for number, event in self._repeats.take_counted(at_the_end=at_the_end):
            await self.recount(number, event)

    async def close(self) -> None:
        """Write what is owed once more; what the store still refuses is in the log only."""
        await self.write_owed()
        if self._adding:
            await asyncio.wait(self._adding, timeout=self._limit_s)
            await self.write_owed()
        while self._owed:
            _lose(self._owed.popleft())
        await self.write_counts(at_the_end=True)

    async def _add(self, row: _Row) -> int | None:
        if self._owed:  # older ones first
            self._owe(row)
            owed_number = await row.written
            if owed_number is None:
                raise _RowLostError
            return owed_number
        try:
            end = await self._store.add(row.event, row.at, row.along)
        except Exception:
            self._owe(row)
            raise
        return self._committed(row, end)

    def _committed(self, row: _Row, end: ChainEnd | None) -> int:
        number = 0 if end is None else end.entry_id
        row.written.set_result(number)
        self._count_recorded(row.event)
        if not row.is_logged:
            row.is_logged = True
            log_record(row.event, end)
        log_head_after(row.event, end)
        return number

    def _added(self, adding: "asyncio.Task[int | None]") -> None:
        self._adding.discard(adding)
        if not adding.cancelled():
            adding.exception()  # the request knows it, unless it has gone on

    def _owe(self, row: _Row) -> None:
        """Keep a row for later; without a place for it lose the newest refusal in its stead, or itself."""
        _log_uncommitted(row)
        self._owed.append(row)
        of_its_kind = [at for at, each in enumerate(self._owed) if each.is_outcome is row.is_outcome]
        if len(of_its_kind) > self._max_owed:
            # The first one may be under way to the store.
            refusals = (at for at in reversed(of_its_kind) if at and self._owed[at].is_refusal)
            lost = next(refusals, of_its_kind[-1])
            row = self._owed[lost]
            del self._owed[lost]
            _lose(row)

    async def _write_first_owed(self) -> bool:
        row = self._owed[0]
        try:
            end = await self._store.add(row.event, row.at, row.along)
        except StoreUnavailable:
            return False
        except Exception:  # noqa: BLE001 - a row that can never be written must not keep the others
            _lose(self._owed.popleft())
            return True
        self._owed.popleft()
        self._committed(row, end)
        return True

    async def _in_time(self, event: AuditEvent, writing: Awaitable[T], row: _Row | None = None) -> T | None:
        try:
            async with asyncio.timeout(self._limit_s):
                return await writing
        except Exception as error:  # noqa: BLE001 - recording must not change the operation, whatever happens
            if row is not None:
                _log_uncommitted(row)
            write_line(_log.error, "audit_write_failed", event, error=type(error).__name__)
            if self._observer is not None:
                self._observer.audit_failed(event.action)
            return None

    def _count_recorded(self, event: AuditEvent) -> None:
        if self._observer is not None:
            self._observer.audit_recorded(event.action)


@asynccontextmanager
async def open_recorder(
    store: AuditStore,
    clock: Clock,
    *,
    observer: AuditObserver | None = None,
    interval_s: float = OWED_INTERVAL_S,
) -> AsyncIterator[AuditRecorder]:
    """Open a recorder that looks after the rows it owes; they are tried once more on leaving.

    Args:
        store: where the rows go; open until after this.
        clock: time.
        observer: counts rows.
        interval_s: how often rows that are owed are tried, and counts of repeats written.
    """
    recorder = AuditRecorder(store, clock, observer=observer)
    try:
        async with (
            every(interval_s, "audit_rows_owed", recorder.write_owed),
            every(interval_s, "audit_counts", recorder.write_counts),
        ):
            yield recorder
    finally:
        await finish(recorder.close())


class _RowLostError(Exception):
    """More rows are owed than are kept."""


def _log_uncommitted(row: _Row) -> None:
    """Write the line of a record that the store has not taken yet, and may never take."""
    if not row.is_logged:
        row.is_logged = True
        log_record(row.event, None)


def _lose(row: _Row) -> None:
    row.written.set_result(None)
    write_line(_log.error, "audit_row_lost", row.event)
