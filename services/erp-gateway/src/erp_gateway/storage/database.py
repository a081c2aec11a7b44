"""The store: one SQLite file, one writing connection, one reading connection.

Writes that wait at the same moment share one commit. The file survives the end of the process at any
point (write-ahead log); with `synchronous=NORMAL` a power cut may lose the last commits, never the file.
"""

import asyncio
import sqlite3
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import structlog
from attrs import frozen

from erp_gateway.storage.connection import (
    BUSY_TIMEOUT_S,
    StoreConnection,
    check_and_upgrade,
    damaged,
    open_connection,
    prepare_file,
)
from erp_gateway.storage.errors import StoreNotUsable, StoreUnavailable
from erp_gateway.storage.migrations import Migration, load_migrations
from erp_gateway.storage.transaction import Outcome, Work, commit_together
from servicekit.tasks import finish

T = TypeVar("T")

_MAX_JOBS_PER_COMMIT: Final = 256

_log = structlog.get_logger(__name__)


@frozen(eq=False)
class _Job:
    """One piece of work that waits for its transaction."""

    work: Work
    outcome: asyncio.Future[Any]

    def settle(self, found: Outcome) -> None:
        """Tell the caller, unless the caller has gone."""
        error = found.error
        if isinstance(error, sqlite3.Error):
            _log.error("store_write_failed", reason=str(error), jobs=1)
            error = _unavailable(error)
        if self.outcome.done():
            return
        if error is None:
            self.outcome.set_result(found.result)
        else:
            self.outcome.set_exception(error)


class Database:
    """An open store; made by `open_database`."""

    def __init__(self, writer: StoreConnection, reader: StoreConnection) -> None:
        self._writer = writer
        self._reader = reader
        self._waiting: deque[_Job] = deque()
        self._wake = asyncio.Event()
        self._closing = False

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` inside a transaction and return its result after the commit.

        A caller that is cancelled before its turn has come leaves no trace; later, its work is done.

        Args:
            work: runs on the thread of the connection it is given, waits for nothing else, and neither begins
                nor ends a transaction. Where somebody else's fails it is undone and run again.

        Raises:
            StoreUnavailable: the store refused (disk full, locked, closed); nothing of `work` was kept.
            Exception: whatever `work` raised; nothing of it was kept.
        """
        if self._closing:
            raise StoreUnavailable
        job = _Job(work, asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._wake.set()
        result: T = await job.outcome
        return result

    async def read(self, sql: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Return the rows of one SELECT, from a connection of its own that never blocks a writer.

        Raises:
            StoreUnavailable: the store refused or is closed.
        """
        if self._closing:
            raise StoreUnavailable
        try:
            return await self._reader.rows(sql, parameters)
        except sqlite3.Error as error:
            _log.error("store_read_failed", reason=str(error))
            raise StoreUnavailable from error

    async def data_version(self) -> int:
        """Return a number that changes when another connection, such as a command's, has committed.

        It is asked on the writing connection, so this process's own commits do not change it.

        Raises:
            StoreUnavailable: the store refused or is closed.
        """
        if self._closing:
            raise StoreUnavailable
        try:
            rows = await self._writer.rows("PRAGMA data_version")
        except sqlite3.Error as error:
            raise StoreUnavailable from error
        return int(rows[0][0])

    async def run(self) -> None:
        """Commit what waits, batch by batch, until `stop` was called and nothing waits any more."""
        while self._waiting or not self._closing:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                batch = [
                    self._waiting.popleft() for _ in range(min(len(self._waiting), _MAX_JOBS_PER_COMMIT))
                ]
                wanted = [job for job in batch if not job.outcome.done()]
                if wanted:
                    await self._commit(wanted)

    def stop(self) -> None:
        """Take no new work; `run` ends after the work that waits."""
        self._closing = True
        self._wake.set()

    async def _commit(self, batch: Sequence[_Job]) -> None:
        works = [job.work for job in batch]
        try:
            outcomes = await self._writer.run(lambda connection: commit_together(connection, works))
        except sqlite3.Error as error:
            _log.error("store_write_failed", reason=str(error), jobs=len(batch))
            outcomes = [Outcome(error=_unavailable(error))] * len(batch)
        for job, outcome in zip(batch, outcomes, strict=True):
            job.settle(outcome)


def _unavailable(cause: BaseException) -> StoreUnavailable:
    error = StoreUnavailable()
    error.__cause__ = cause
    return error


@asynccontextmanager
async def open_database(
    path: Path,
    *,
    migrations: Sequence[Migration] | None = None,
    may_upgrade: bool = True,
    busy_timeout_s: float = BUSY_TIMEOUT_S,
    write_timeout_s: float | None = None,
) -> AsyncIterator[Database]:
    """Open the store at `path`, new or existing; finish waiting writes and close it on leaving.

    Args:
        path: the store file; made, with its folder, where missing.
        migrations: the scripts of this code; None for those shipped with it.
        may_upgrade: whether an older store may be brought up to date (not while another process serves it).
        busy_timeout_s: how long opening, and a write, wait for another process that writes.
        write_timeout_s: how long a write waits once the store is open; None for the same.

    Raises:
        StoreNotUsable: no permission, not a store, damaged, or written by a newer version.
    """
    prepare_file(path)
    scripts = load_migrations() if migrations is None else migrations
    async with AsyncExitStack() as stack:
        try:
            writer = await stack.enter_async_context(
                open_connection(path, read_only=False, busy_timeout_s=busy_timeout_s)
            )
            await check_and_upgrade(writer, path, scripts, may_upgrade=may_upgrade)
            await writer.rows("BEGIN IMMEDIATE")  # a store that cannot be written is found out now
            await writer.rows("ROLLBACK")
            if write_timeout_s is not None:
                await writer.rows(f"PRAGMA busy_timeout = {write_timeout_s * 1000:.0f}")
            reader = await stack.enter_async_context(
                open_connection(path, read_only=True, busy_timeout_s=busy_timeout_s)
            )
        except sqlite3.Error as error:
            raise StoreNotUsable(_explain(path, error)) from error
        database = Database(writer, reader)
        runner = asyncio.create_task(database.run(), name="store-writer")
        try:
            yield database
        finally:
            database.stop()
            await finish(_result_of(runner))


async def _result_of(task: asyncio.Task[None]) -> None:
    await task


def _explain(path: Path, error: sqlite3.Error) -> str:
    if isinstance(error, sqlite3.OperationalError):
        return (
            f"cannot use the store {path}: {error}; it must lie on a local disk with free space, in a folder "
            "this process may write to"
        )
    return damaged(path, str(error))
