"""Opening the store's file: made where missing, refused where it is not ours, brought up to date."""

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from erp_gateway.storage.errors import StoreNotUsable
from erp_gateway.storage.migrations import Migration
from erp_gateway.storage.sqlite.connection import (
    check_and_upgrade,
    damaged,
    open_connection,
    prepare_file,
)
from erp_gateway.storage.sqlite.engine import SqliteEngine


@asynccontextmanager
async def open_sqlite(
    path: Path,
    migrations: Sequence[Migration],
    *,
    may_upgrade: bool,
    busy_timeout_s: float,
    write_timeout_s: float | None,
) -> AsyncIterator[SqliteEngine]:
    """Open the store at `path`, new or existing, and close it on leaving; see `database.open_database`.

    Raises:
        StoreNotUsable: no permission, not a store, damaged, or written by a newer version.
    """
    prepare_file(path)
    async with AsyncExitStack() as stack:
        try:
            writer = await stack.enter_async_context(
                open_connection(path, read_only=False, busy_timeout_s=busy_timeout_s)
            )
            await check_and_upgrade(writer, path, migrations, may_upgrade=may_upgrade)
            await writer.rows("BEGIN IMMEDIATE")  # a store that cannot be written is found out now
            await writer.rows("ROLLBACK")
            if write_timeout_s is not None:
                await writer.rows(f"PRAGMA busy_timeout = {write_timeout_s * 1000:.0f}")
            reader = await stack.enter_async_context(
                open_connection(path, read_only=True, busy_timeout_s=busy_timeout_s)
            )
        except sqlite3.Error as error:
            raise StoreNotUsable(_explain(path, error)) from error
        yield SqliteEngine(writer, reader)


def _explain(path: Path, error: sqlite3.Error) -> str:
    if isinstance(error, sqlite3.OperationalError):
        return (
            f"cannot use the store {path}: {error}; it must lie on a local disk with free space, in a folder "
            "this process may write to"
        )
    return damaged(path, str(error))
