"""What a store's file says of itself, read without its lock and without a change: for a doctor."""

import sqlite3
from pathlib import Path

from attrs import frozen

from erp_gateway.storage.sqlite.connection import APPLICATION_ID, open_unchanged


@frozen
class StoreFacts:
    """What a store's file says.

    Attributes:
        ours: whether it is a store of this program.
        version: number of the newest migration that it has.
        sound: whether SQLite finds nothing wrong with it.
        empty: whether nothing was ever made in it; the service makes its store there.
    """

    ours: bool
    version: int
    sound: bool
    empty: bool


async def look_at(path: Path) -> StoreFacts | None:
    """Return what the file says; None where SQLite can't read it."""
    try:
        async with open_unchanged(path) as store:
            ((owner,),) = await store.rows("PRAGMA application_id")
            ((version,),) = await store.rows("PRAGMA user_version")
            ((found,),) = await store.rows("PRAGMA quick_check(1)")
            ((made,),) = await store.rows("SELECT COUNT(*) FROM sqlite_schema")
    except sqlite3.DatabaseError:
        return None
    return StoreFacts(
        ours=owner == APPLICATION_ID,
        version=version,
        sound=found == "ok",
        empty=not (owner or version or made),
    )
