"""The store of one process: a queue of write jobs, several of which share a transaction, and reads."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar

from attrs import frozen

from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.migrations import Migration, load_migrations
from erp_gateway.store.places import StorePlace
from erp_gateway.store.sqlite.connection import BUSY_TIMEOUT_S
from erp_gateway.store.sqlite.engine import open_sqlite
from erp_gateway.store.sqlite.lock import hold_lock_file
from erp_gateway.store.statements import Outcome, Row, Work
from servicekit.logs.pace import FailureStreak
from servicekit.tasks import finish

T = TypeVar("T")


class Engine(Protocol):
    """An open store on one kind of engine."""

    @property
    def failure(self) -> type[Exception]:
        """Base class of its own errors, including those raised in pieces of work."""
        ...

    def batch_size(self, waiting: int) -> int:
        """Return how many of the waiting jobs go into the next transaction, at least one."""
        ...

    async def commit(self, works: Sequence[Work[Any]], *, may_take_long: bool = False) -> list[Outcome]:
        """Run pieces of work in one transaction, excluding other writers, and commit it.

        Args:
            works: the pieces of work.
            may_take_long: whether time limits are lifted.

        Returns:
            one outcome for each; failed pieces are rolled back.

        Raises:
            Exception: a `failure`; the transaction as a whole failed.
        """
        ...

    async def read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        """Return the rows of one SELECT; a change is refused with a `failure`."""
        ...

    async def foreign_changes(self) -> int:
        """Return a number that changes when another process has committed."""
        ...


@frozen(eq=False)
class _Job:
    """A piece of work that waits for its transaction."""

    work: Work[Any]
    outcome: asyncio.Future[Any]

    def finish_job(self, outcome: Outcome) -> None:
        """Pass the outcome to the caller, unless the caller was cancelled."""
        error = outcome.error
        if self.outcome.done():
            return
        if error is None:
            self.outcome.set_result(outcome.result)
        else:
            self.outcome.set_exception(error)


class Database:
    """An open store; created by `open_database`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: deque[_Job] = deque()
        self._wake = asyncio.Event()
        self._closing = False
        self._reads = FailureStreak("store_read_failed", "store_read_again")
        self._writes = FailureStreak("store_write_failed", "store_written_again")

    async def write(self, work: Work[T]) -> T:
        """Run `work` inside a transaction and return its result after the commit.

        If the caller is cancelled before its transaction starts, the work is dropped; later, it is done.

        Args:
            work: runs on the thread of the connection, waits for nothing else, and neither begins nor ends a
                transaction. If another piece of work in the same transaction fails, it is rolled back and run
                again.

        Raises:
            StoreUnavailable: the store refused (disk full, locked, closed); `work` was rolled back.
            Exception: an exception of `work`, which was rolled back.
        """
        return await self.submit(work)

    def submit(self, work: Work[T]) -> "asyncio.Future[T]":
        """Queue `work` at once, as `write` does, and return the future of its result."""
        outcome: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        if self._closing:
            outcome.set_exception(StoreUnavailable())
        else:
            self._waiting.append(_Job(work, outcome))
            self._wake.set()
        return outcome

    async def read(self, sql: str, parameters: Sequence[Any] = ()) -> Sequence[Row]:
        """Return the rows of one SELECT, from a connection of its own that never blocks a writer.

        Raises:
            StoreUnavailable: the store refused or is closed.
        """
        if self._closing:
            raise StoreUnavailable
        try:
            rows = await self._engine.read(sql, parameters)
        except self._engine.failure as error:
            self._reads.failed(reason=str(error))
            raise StoreUnavailable from error
        self._reads.succeeded()
        return rows

    async def load(self, work: Work[T]) -> T:
        """Run one long piece of work in its own transaction, outside the queue of writes.

        Raises:
            StoreUnavailable: the store refused or is closed; `work` was rolled back.
            Exception: an exception of `work`, which was rolled back.
        """
        if self._closing:
            raise StoreUnavailable
        outcome = asyncio.get_running_loop().create_future()
        await self._commit([_Job(work, outcome)], may_take_long=True)
        result: T = await outcome
        return result

    async def data_version(self) -> int:
        """Return a number that changes when another connection, such as a command's, has committed.

        This process's own commits do not change it.

        Raises:
            StoreUnavailable: the store refused or is closed.
        """
        if self._closing:
            raise StoreUnavailable
        try:
            return await self._engine.foreign_changes()
        except self._engine.failure as error:
            raise StoreUnavailable from error

    async def run(self) -> None:
        """Commit queued jobs, batch by batch, until `stop` is called and the queue is empty."""
        while self._waiting or not self._closing:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                size = self._engine.batch_size(len(self._waiting))
                batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), size))]
                jobs = [job for job in batch if not job.outcome.done()]
                if jobs:
                    await self._commit(jobs)

    def stop(self) -> None:
        """Accept no new work; `run` ends after the queued work."""
        self._closing = True
        self._wake.set()

    async def _commit(self, batch: Sequence[_Job], *, may_take_long: bool = False) -> None:
        works = [job.work for job in batch]
        try:
            outcomes = await self._engine.commit(works, may_take_long=may_take_long)
        except self._engine.failure as error:
            outcomes = [Outcome(error=error)] * len(batch)
        failures = [each.error for each in outcomes if isinstance(each.error, self._engine.failure)]
        if failures:
            self._writes.failed(reason=str(failures[0]), jobs=len(failures))
        else:
            self._writes.succeeded()
        for job, outcome in zip(batch, outcomes, strict=True):
            is_refused = isinstance(outcome.error, self._engine.failure)
            job.finish_job(Outcome(error=_unavailable(outcome.error)) if is_refused else outcome)


def _unavailable(cause: BaseException | None) -> StoreUnavailable:
    error = StoreUnavailable()
    error.__cause__ = cause
    return error


@asynccontextmanager
async def open_database(
    place: StorePlace,
    *,
    migrations: Sequence[Migration] | None = None,
    may_upgrade: bool = True,
    may_create: bool = True,
    busy_timeout_s: float = BUSY_TIMEOUT_S,
    write_timeout_s: float | None = None,
    keeps_reserve: bool = False,
) -> AsyncIterator[Database]:
    """Open the store at `place`, new or existing; finish queued writes and close it on leaving.

    Args:
        place: the store file, created with its folder if missing; or the database.
        migrations: the scripts; None for those shipped with this version.
        may_upgrade: whether an older store may be upgraded (not while another process serves it).
        may_create: whether an empty database becomes a store.
        busy_timeout_s: longest wait, at the opening of a file and for a write, for another process that
            writes.
        write_timeout_s: longest wait of a write once the store is open; None for the same, or one second in a
            database.
        keeps_reserve: whether disk space is reserved beside a file, for when its disk is full.

    Raises:
        StoreNotUsable: no permission, not a store, damaged, or written by a newer version.
    """
    scripts = load_migrations() if migrations is None else migrations
    opening: AbstractAsyncContextManager[Engine]
    if isinstance(place, Path):
        opening = open_sqlite(
            place,
            scripts,
            may_upgrade=may_upgrade,
            busy_timeout_s=busy_timeout_s,
            write_timeout_s=write_timeout_s,
            keeps_reserve=keeps_reserve,
        )
    else:
        from erp_gateway.store.postgresql.connection import LOCK_TIMEOUT_S  # noqa: PLC0415 - only for PostgreSQL
        from erp_gateway.store.postgresql.opening import open_postgresql  # noqa: PLC0415 - only for PostgreSQL

        lock_timeout_s = LOCK_TIMEOUT_S if write_timeout_s is None else write_timeout_s
        opening = open_postgresql(
            place, scripts, may_upgrade=may_upgrade, may_create=may_create, lock_timeout_s=lock_timeout_s
        )
    async with opening as engine:
        database = Database(engine)
        runner = asyncio.create_task(database.run(), name="store-writer")
        try:
            yield database
        finally:
            database.stop()
            await finish(runner)


def hold_process_lock(place: StorePlace) -> AbstractContextManager[object]:
    """Hold the store's lock while the block runs: a lock file, or a lock in the database.

    Raises:
        StoreInUse: another process has the lock.
        StoreNotUsable: the lock file can't be created, or the database can't be reached.
    """
    if isinstance(place, Path):
        return hold_lock_file(place)
    from erp_gateway.store.postgresql.watched_lock import hold_serving_lock  # noqa: PLC0415 - only for PostgreSQL

    return hold_serving_lock(place)
