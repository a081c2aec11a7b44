"""Open a connection to the store's file: file mode, settings, checks, upgrade.

aiosqlite runs each connection on its own thread, and the interpreter waits for that thread at exit. An open
connection is therefore always closed, even if its opening or closing is cancelled.
"""

import os
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

import aiosqlite
import structlog

from erp_gateway.store.chain_hash import SQL_NAME, link
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.migrations import Migration, plan_upgrade
from servicekit.tasks import finish

APPLICATION_ID: Final = 0x45_52_50_47
"""Identifies the file as ours in its header ("ERPG")."""

BUSY_TIMEOUT_S: Final = 5.0
"""Longest wait of a statement for another process that writes."""

_QUICK_CHECK_MAX_BYTES: Final = 64 * 1024 * 1024

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class StoreConnection:
    """A connection and its thread, which runs pieces of work one after another.

    Changing threads costs more than most statements, so related statements run as one piece of work. Use
    `open_connection`.

    Args:
        connection: an open connection.
    """

    def __init__(self, connection: aiosqlite.Connection) -> None:
        self._connection = connection

    async def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run `work` on the connection's thread; its exceptions are raised here."""
        # aiosqlite has public methods for single statements only. Its private ones, which those use, run
        # several statements with one change of threads. A test checks what we expect of them.
        connection: Any = self._connection
        result: T = await connection._execute(work, connection._conn)  # noqa: SLF001
        return result

    async def rows(self, sql: str, parameters: Sequence[object] = ()) -> list[sqlite3.Row]:
        """Run one statement and return all its rows."""
        return await self.run(lambda connection: connection.execute(sql, parameters).fetchall())


@asynccontextmanager
async def open_connection(
    path: Path, *, read_only: bool, busy_timeout_s: float = BUSY_TIMEOUT_S
) -> AsyncIterator[StoreConnection]:
    """Open the existing store file and close it on leaving.

    Args:
        path: the store file.
        read_only: whether changing statements are refused.
        busy_timeout_s: longest wait of a statement for another process that writes.
    """
    async with _open(aiosqlite.connect(path, isolation_level=None, timeout=busy_timeout_s)) as connection:
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL"):
            await connection.rows(f"PRAGMA {pragma}")
        if read_only:
            await connection.rows("PRAGMA query_only = ON")
        yield connection


def read_only_uri(path: Path) -> str:
    """Return the URI that opens a file read-only in SQLite."""
    return f"{path.absolute().as_uri()}?mode=ro"


def open_read_only(path: Path) -> AbstractAsyncContextManager[StoreConnection]:
    """Open an existing store file read-only, and close it on leaving.

    Raises:
        sqlite3.Error: it can't be opened.
    """
    return _open(
        aiosqlite.connect(read_only_uri(path), uri=True, isolation_level=None, timeout=BUSY_TIMEOUT_S)
    )


@asynccontextmanager
async def _open(connection: aiosqlite.Connection) -> AsyncIterator[StoreConnection]:
    try:
        await finish(connection)
        connection.row_factory = sqlite3.Row
        yield StoreConnection(connection)
    finally:
        await finish(connection.close())


def prepare_file(path: Path) -> None:
    """Create the store file and its folder if they are missing; only their owner may read them.

    Raises:
        StoreNotUsable: that is not possible.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    except OSError as error:
        raise StoreNotUsable(
            f"cannot open the store {path} for writing: {error.strerror}; SQLITE_PATH must name a file in a "
            "folder this process may write to"
        ) from error
    try:
        path.chmod(0o600)
    except PermissionError:
        _log.warning("store_mode_not_private", path=str(path), mode=oct(path.stat().st_mode & 0o777))


async def check_and_upgrade(
    connection: StoreConnection, path: Path, migrations: Sequence[Migration], *, may_upgrade: bool
) -> None:
    """Reject a store that is not ours, damaged or too new; upgrade an older one.

    Raises:
        StoreNotUsable: with the remedy.
    """
    version = await _read_version(connection, path)
    if _is_small(path):  # checking a large file would delay the start
        await _refuse_damaged(connection, path)
    try:
        pending = plan_upgrade(version, migrations)
    except LookupError as error:
        raise StoreNotUsable(
            f"the store {path} was written by a newer version of this program (store version {version}, this "
            f"program knows {len(migrations)}); start the newer version, or restore a backup made before it"
        ) from error
    if not pending:
        return
    if not may_upgrade:
        raise StoreNotUsable(
            f"the store {path} has version {version} and this program needs {len(migrations)}, but the "
            "running service still uses it; restart the service with this version first"
        )

    def upgrade(store: sqlite3.Connection) -> None:
        store.create_function(SQL_NAME, -1, link, deterministic=True)
        store.executescript(_upgrade_script(pending))

    await connection.run(upgrade)
    _log.info("store_upgraded", path=str(path), from_version=version, to_version=pending[-1].number)


def _upgrade_script(pending: Sequence[Migration]) -> str:
    """Return one script that runs all pending migrations in a single transaction."""
    # The version changes in the same transaction, so the upgrade is complete or has no effect.
    return "\n".join(
        [
            "BEGIN IMMEDIATE;",
            *(migration.script for migration in pending),
            f"PRAGMA application_id = {APPLICATION_ID};",
            f"PRAGMA user_version = {pending[-1].number};",
            "COMMIT;",
        ]
    )


def _is_small(path: Path) -> bool:
    return path.stat().st_size <= _QUICK_CHECK_MAX_BYTES


async def _read_version(connection: StoreConnection, path: Path) -> int:
    version = await _pragma(connection, "user_version")
    owner = await _pragma(connection, "application_id")
    tables = await connection.rows("SELECT name FROM sqlite_schema LIMIT 1")
    if owner != APPLICATION_ID and (version or tables):
        raise StoreNotUsable(
            f"{path} is a database of another program; SQLITE_PATH must name a file of its own"
        )
    return version


async def _refuse_damaged(connection: StoreConnection, path: Path) -> None:
    rows = await connection.rows("PRAGMA quick_check(1)")
    if rows[0][0] != "ok":
        raise StoreNotUsable(damaged(path, str(rows[0][0])))


def damaged(path: Path, reason: str) -> str:
    """Return the message for a file that SQLite cannot read."""
    return (
        f"the store {path} is damaged or not a database ({reason.strip()}); move it away, with the files "
        "of its name that end in -wal and -shm, and restore the latest backup (see docs/operate.md#restore)"
    )


async def _pragma(connection: StoreConnection, name: str) -> int:
    rows = await connection.rows(f"PRAGMA {name}")
    return int(rows[0][0])
