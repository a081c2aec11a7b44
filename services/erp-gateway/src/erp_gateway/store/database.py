"""The store of one process: pieces of work in turn; some that wait at the same moment share a commit."""

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
    """An open store of one kind."""

    @property
    def failure(self) -> type[Exception]:
        """What its own failures are, in pieces of work too."""
        ...

    def most_together(self, waiting: int) -> int:
        """Return how many of so many that wait go into the next transaction, at least one."""
        ...

    async def commit(self, works: Sequence[Work[Any]], *, may_take_long: bool = False) -> list[Outcome]:
        """Run pieces of work in one transaction, the only one to write, and commit it.

        Args:
            works: what to run.
            may_take_long: whether no limit of time holds.

        Returns:
            one outcome for each; what failed left nothing behind.

        Raises:
            Exception: a `failure`; the transaction as a whole failed.
        """
        ...

    async def read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        """Return the rows of one SELECT; a change is refused with a `failure`."""
        ...

    async def foreign_changes(self) -> int:
        """Return a number that changes when somebody else has committed something."""
        ...


@frozen(eq=False)
class _Job:
    """One piece of work that waits for its transaction."""

    work: Work[Any]
    outcome: asyncio.Future[Any]

    def settle(self, found: Outcome) -> None:
        """Tell the caller, unless the caller has gone."""
        error = found.error
        if self.outcome.done():
            return
        if error is None:
            self.outcome.set_result(found.result)
        else:
            self.outcome.set_exception(error)


class Database:
    """An open store; made by `open_database`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._waiting: deque[_Job] = deque()
        self._wake = asyncio.Event()
        self._closing = False
        self._reads = FailureStreak("store_read_failed", "store_read_again")
        self._writes = FailureStreak("store_write_failed", "store_written_again")

    async def write(self, work: Work[T]) -> T:
        """Run `work` inside a transaction and return its result after the commit.

        A caller that is cancelled before its turn has come leaves no trace; later, its work is done.

        Args:
            work: runs on the thread of the connection it is given, waits for nothing else, and neither begins
                nor ends a transaction. Where somebody else's fails it is undone and run again.

        Raises:
            StoreUnavailable: the store refused (disk full, locked, closed); nothing of `work` was kept.
            Exception: whatever `work` raised; nothing of it was kept.
        """
        return await self.submit(work)

    def submit(self, work: Work[T]) -> "asyncio.Future[T]":
        """Line `work` up at once, as `write` does, and return the future of its result."""
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
        """Run one long piece of work in a transaction of its own, beside the line of writes.

        Raises:
            StoreUnavailable: the store refused or is closed; nothing of `work` was kept.
            Exception: whatever `work` raised; nothing of it was kept.
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
        """Commit what waits, batch by batch, until `stop` was called and nothing waits any more."""
        while self._waiting or not self._closing:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                together = self._engine.most_together(len(self._waiting))
                batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), together))]
                wanted = [job for job in batch if not job.outcome.done()]
                if wanted:
                    await self._commit(wanted)

    def stop(self) -> None:
        """Take no new work; `run` ends after the work that waits."""
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
            job.settle(Outcome(error=_unavailable(outcome.error)) if is_refused else outcome)


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
    """Open the store at `place`, new or existing; finish waiting writes and close it on leaving.

    Args:
        place: the store file, made, with its folder, where missing; or the database.
        migrations: the scripts of this code; None for those shipped with it.
        may_upgrade: whether an older store may be brought up to date (not while another process serves it).
        may_create: whether a database without anything in it becomes a store.
        busy_timeout_s: how long opening a file, and a write, wait for another process that writes.
        write_timeout_s: how long a write waits once the store is open; None for the same, in a database for a
            second.
        keeps_reserve: whether disk space is kept back beside a file, for when its disk is full.

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
        from erp_gateway.store.postgresql.connection import LOCK_TIMEOUT_S  # noqa: PLC0415 - needed here alone
        from erp_gateway.store.postgresql.opening import open_postgresql  # noqa: PLC0415 - the same

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
    """Hold the store's lock for as long as the block runs: a lock file beside a file, a lock in a database.

    Raises:
        StoreInUse: another process holds it.
        StoreNotUsable: there is no place to hold it.
    """
    if isinstance(place, Path):
        return hold_lock_file(place)
    from erp_gateway.store.postgresql.watched_lock import hold_serving_lock  # noqa: PLC0415 - needed here alone

    return hold_serving_lock(place)
