"""Record audit events: one log line and one row each, without ever failing the recorded operation."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final, Protocol, TypeVar

import structlog
from attrs import define, field

from erp_gateway.audit.record_line import log_head_after, log_record, write_line
from erp_gateway.audit.repeats import Repeats
from erp_gateway.audit.store import AuditedChange, AuditStore
from erp_gateway.store.chain_hash import ChainPosition
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import WRITES, AuditAction, AuditEvent
from servicekit.clock import Clock
from servicekit.tasks import every, finish

ResultT = TypeVar("ResultT")

_log = structlog.get_logger(__name__)


MAX_PENDING: Final = 1000
"""Limit of rows kept in memory while the store is unavailable, and again as many outcomes of writes."""

PENDING_INTERVAL_S: Final = 0.5
"""Interval between attempts to write them."""


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
    """The record of an event, or the records of several that are committed together.

    `written` gets the last one's number after the commit, or None if they are dropped.
    """

    events: tuple[AuditEvent, ...]
    at: datetime
    change: AuditedChange | None
    written: "asyncio.Future[int | None]"
    is_logged: bool = False

    @property
    def is_outcome(self) -> bool:
        """True if it records how writes of the ledger ended, and ends their rows with it."""
        return self.change is not None and self.events[0].action in WRITES

    @property
    def is_refusal(self) -> bool:
        """True if it records a rejected request."""
        return self.events[0].action is AuditAction.PERMISSION_DENIED


@define(eq=False, repr=False)
class AuditRecorder:
    """Writes an `AUDIT` log line and an `audit_log` row for each event.

    If the store does not take a row in time, the row stays pending: it is kept in memory, in order, and
    written later. Outcomes of writes have their own limit. When memory is full, the recorder drops rejected
    requests first, because any client can cause those. Use `open_recorder`.

    Args:
        store: writes the rows.
        clock: time.
        observer: counts rows.
        limit_s: longest time that a request waits for its row.
        max_pending: limit of pending rows, and again of pending outcomes of writes; more are only logged.
    """

    _store: AuditStore
    _clock: Clock
    _observer: AuditObserver | None = field(default=None, kw_only=True)
    _limit_s: float = field(default=1.0, kw_only=True)
    _max_pending: int = field(default=MAX_PENDING, kw_only=True)
    _pending: deque[_Row] = field(init=False, factory=deque)
    _pending_lock: asyncio.Lock = field(init=False, factory=asyncio.Lock)
    _repeats: Repeats = field(init=False)
    _add_tasks: set[asyncio.Task[int | None]] = field(init=False, factory=set)

    def __attrs_post_init__(self) -> None:
        self._repeats = Repeats(self._clock)

    @property
    def pending(self) -> int:
        """Number of rows that the store has not taken yet."""
        return len(self._pending)

    async def record(self, event: AuditEvent, change: AuditedChange | None = None) -> int | None:
        """Commit the event; if that takes longer than `limit_s` seconds, leave it pending. Never raises.

        Rejected requests beyond `OWN_RECORDS` in a minute, and repeats of a service action, are only counted;
        `write_counts` puts the count into the first record.

        Args:
            event: the event.
            change: a change committed together with the record, now or later.

        Returns:
            the number of the record; None if it is pending (logged and counted), or needs none.
        """
        written: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        if change is None:
            admitted = self._repeats.admit(event, written)
            if admitted is None:
                return None
            event = admitted
        return await self._record(_Row((event,), self._clock.now(), change, written))

    async def record_all(self, events: Sequence[AuditEvent], change: AuditedChange) -> int | None:
        """Commit events and their change together, as `record` does; return the last record's number."""
        written: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        return await self._record(_Row(tuple(events), self._clock.now(), change, written))

    async def commit(self, event: AuditEvent, change: AuditedChange) -> bool:
        """Commit a change and its event, both or neither.

        Returns:
            whether they are committed; False if `change` no longer applies.

        Raises:
            StoreUnavailable: the store refused; nothing was changed.
        """
        return await self.commit_all((event,), change)

    async def commit_all(self, events: Sequence[AuditEvent], change: AuditedChange) -> bool:
        """Commit a change and its events, all or none, as `commit` does."""
        positions = await self._store.add_all(events, self._clock.now(), change)
        if positions is None:
            return False
        for event, position in zip(events, positions, strict=True):
            log_record(event, position)
            log_head_after(event, position)
            self._count_recorded(event)
        return True

    async def recount(self, entry_id: int, event: AuditEvent) -> None:
        """Replace the counts in a record by those of the newer event. Never raises."""
        await self._within_limit((event,), self._store.set_detail(entry_id, event.detail_json()))

    async def write_pending(self) -> int:
        """Write the pending rows in order until the store refuses one; return the number written."""
        written = 0
        async with self._pending_lock:  # two at once would write the first row twice
            while self._pending:
                if not await finish(self._write_first_pending()):
                    break
                written += 1
        if written:
            _log.info("audit_rows_written_late", rows=written, still_owed=len(self._pending))
        return written

    async def write_counts(self, *, is_final: bool = False) -> None:
        """Write the counts of repeats whose minute is over.

        Args:
            is_final: write those of running minutes as well.
        """
        for number, event in self._repeats.take_counted(is_final=is_final):
            await self.recount(number, event)

    async def close(self) -> None:
        """Write the pending rows once more; rows that the store still refuses are only in the log."""
        await self.write_pending()
        if self._add_tasks:
            await asyncio.wait(self._add_tasks, timeout=self._limit_s)
            await self.write_pending()
        while self._pending:
            _drop(self._pending.popleft())
        await self.write_counts(is_final=True)

    async def _record(self, row: _Row) -> int | None:
        # In a task of its own: cancelling it on the timeout could not undo a commit under way, and the row
        # would then be written twice.
        task = asyncio.create_task(self._add(row))
        self._add_tasks.add(task)
        task.add_done_callback(self._add_finished)
        return await self._within_limit(row.events, asyncio.shield(task), row)

    async def _add(self, row: _Row) -> int | None:
        if self._pending:  # older ones first
            self._keep_pending(row)
            number = await row.written
            if number is None:
                raise _RowDroppedError
            return number
        try:
            positions = await self._store.add_all(row.events, row.at, row.change)
        except Exception:
            self._keep_pending(row)
            raise
        return self._mark_committed(row, positions)

    def _mark_committed(self, row: _Row, positions: Sequence[ChainPosition] | None) -> int:
        number = 0 if positions is None else positions[-1].entry_id
        row.written.set_result(number)
        none: Sequence[None] = [None] * len(row.events)
        for event, position in zip(row.events, positions or none, strict=True):
            self._count_recorded(event)
            if not row.is_logged:
                log_record(event, position)
            log_head_after(event, position)
        row.is_logged = True
        return number

    def _add_finished(self, task: "asyncio.Task[int | None]") -> None:
        self._add_tasks.discard(task)
        if not task.cancelled():
            task.exception()  # marks it as retrieved; `record` has logged it

    def _keep_pending(self, row: _Row) -> None:
        """Keep a row for later. Above the limit, drop the newest rejected request, or the row itself."""
        _log_uncommitted(row)
        self._pending.append(row)
        same_kind = [index for index, each in enumerate(self._pending) if each.is_outcome is row.is_outcome]
        if len(same_kind) > self._max_pending:
            # Not the first row: its write may be in flight.
            refusals = (index for index in reversed(same_kind) if index and self._pending[index].is_refusal)
            dropped = next(refusals, same_kind[-1])
            row = self._pending[dropped]
            del self._pending[dropped]
            _drop(row)

    async def _write_first_pending(self) -> bool:
        row = self._pending[0]
        try:
            positions = await self._store.add_all(row.events, row.at, row.change)
        except StoreUnavailable:
            return False
        except Exception:  # noqa: BLE001 - a row that can never be written must not keep the others
            _drop(self._pending.popleft())
            return True
        self._pending.popleft()
        self._mark_committed(row, positions)
        return True

    async def _within_limit(
        self, events: Sequence[AuditEvent], writing: Awaitable[ResultT], row: _Row | None = None
    ) -> ResultT | None:
        try:
            async with asyncio.timeout(self._limit_s):
                return await writing
        except Exception as error:  # noqa: BLE001 - recording must not change the operation, whatever happens
            if row is not None:
                _log_uncommitted(row)
            for event in events:
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
    interval_s: float = PENDING_INTERVAL_S,
) -> AsyncIterator[AuditRecorder]:
    """Open a recorder that writes pending rows in the background, and once more on leaving.

    Args:
        store: writes the rows; must stay open longer.
        clock: time.
        observer: counts rows.
        interval_s: interval of attempts to write pending rows and counts of repeats.
    """
    recorder = AuditRecorder(store, clock, observer=observer)
    try:
        async with (
            every(interval_s, "audit_rows_owed", recorder.write_pending),
            every(interval_s, "audit_counts", recorder.write_counts),
        ):
            yield recorder
    finally:
        await finish(recorder.close())


class _RowDroppedError(Exception):
    """The limit of pending rows was reached."""


def _log_uncommitted(row: _Row) -> None:
    """Log a record that is not committed, and may never be."""
    if not row.is_logged:
        row.is_logged = True
        for event in row.events:
            log_record(event, None)


def _drop(row: _Row) -> None:
    row.written.set_result(None)
    for event in row.events:
        write_line(_log.error, "audit_row_lost", event)
