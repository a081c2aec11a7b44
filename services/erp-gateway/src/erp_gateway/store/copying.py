"""Copy a whole store into an empty one, on the same engine or another."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

from attrs import frozen

from erp_gateway.store.chain_hash import ChainPosition
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.statements import Row, Statements

_BATCH: Final = 200
_CHAIN: Final = "audit_chain"


@frozen
class Table:
    """A table of the store.

    Attributes:
        name: its name.
        key: columns of its primary key.
        others: all other columns.
    """

    name: str
    key: tuple[str, ...]
    others: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, the key's first."""
        return (*self.key, *self.others)


def _table(name: str, key: str, others: str) -> Table:
    return Table(name, tuple(key.split()), tuple(others.split()))


TABLES: Final = (
    _table("menu_permission", "web_user", "paths updated_at updated_by"),
    _table("gateway_reports", "code", "title category enabled parameters updated_at updated_by missing"),
    _table("gateway_report_screens", "code screen", "position is_default"),
    _table(
        "audit_log",
        "id",
        "at web_user ip action resource key result fields detail reason request_id chain",
    ),
    _table(_CHAIN, "place", "id chain"),
    _table(
        "ledger_write",
        "id",
        "at kind web_user ip request_id resource key fields fields_omitted body_mac state reason ended_at "
        "ended_by traced found_in looks next_look_at trace_field set_id "
        "position",
    ),
    _table("ledger_secret", "id", "secret"),
    _table("ledger_key", "key_mac", "request_mac write_id expires_at"),
    _table("ledger_answer", "write_id", "status media_type headers body expires_at"),
    _table(
        "web_session",
        "web_user",
        "token_digest employee_id first_name last_name email password_mark signed_in_at used_at",
    ),
    _table("web_session_clock", "id", "written_at"),
    _table("web_user_seen", "web_user", "signed_in_at seen_active"),
    _table("login_failure", "scope counted", "failed_at last_at"),
    _table("login_block_lift", "scope counted", ""),
    _table("serving", "id", "generation released"),
)
"""All tables with data. A test compares this list with the schema."""


class _Read(Protocol):
    """Runs a SELECT and returns its rows."""

    def __call__(self, sql: str, values: Sequence[object] = (), /) -> Sequence[Row]: ...


@frozen
class Copied:
    """Result of a copy.

    Attributes:
        rows: number of rows by table.
        head: position of the last audit record; None if its row was removed by hand.
    """

    rows: Mapping[str, int]
    head: ChainPosition | None


async def copy_store(source: Database, target: Database) -> Copied:
    """Copy everything in one transaction of the target; both stores must be unused.

    Row counts and the head of the chain are compared before the commit.

    Raises:
        StoreNotUsable: the target is not empty, or the copy differs: nothing was copied.
        StoreUnavailable: a store refused; nothing was copied.
    """
    loop = asyncio.get_running_loop()

    def read(sql: str, values: Sequence[object] = (), /) -> Sequence[Row]:
        # runs on the thread of the target's connection; the event loop reads from the source
        return asyncio.run_coroutine_threadsafe(source.read(sql, values), loop).result()

    def copy(statements: Statements) -> Copied:
        _reject_filled(statements)
        statements.execute(f"DELETE FROM {_CHAIN}")  # noqa: S608 - a fixed text: the ends of an empty chain
        for table in TABLES:
            for rows in _batches(read, table):
                _insert(statements, table, rows)
        copied = _summarize(lambda sql, values=(), /: statements.execute(sql, values).fetchall())
        original = _summarize(read)
        if copied != original:
            raise StoreNotUsable(f"the copy does not equal the store: {copied} instead of {original}")
        return copied

    return await target.load(copy)


def _reject_filled(statements: Statements) -> None:
    for table in TABLES:
        written = " WHERE id > 0" if table.name == _CHAIN else ""
        if statements.execute(f"SELECT 1 FROM {table.name}{written} LIMIT 1").fetchall():  # noqa: S608 - fixed texts
            raise StoreNotUsable(f"the target is not empty: there is something in {table.name}")


def _batches(read: _Read, table: Table) -> Iterator[Sequence[Row]]:
    """Yield all rows in the order of the key, in batches."""
    columns, key = ", ".join(table.columns), ", ".join(table.key)
    after = ""
    values: tuple[object, ...] = ()
    while True:
        rows = read(
            f"SELECT {columns} FROM {table.name}{after} ORDER BY {key} LIMIT ?",  # noqa: S608 - fixed texts
            (*values, _BATCH),
        )
        if rows:
            yield rows
        if len(rows) < _BATCH:
            return
        after = f" WHERE ({key}) > ({', '.join('?' for _ in table.key)})"
        values = tuple(rows[-1])[: len(table.key)]


def _insert(statements: Statements, table: Table, rows: Sequence[Row]) -> None:
    places = f"({', '.join('?' for _ in table.columns)})"
    statements.execute(
        f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES {', '.join([places] * len(rows))}",  # noqa: S608 - fixed texts
        [value for row in rows for value in row],
    )


def _summarize(read: _Read) -> Copied:
    counts = {table.name: int(read(f"SELECT COUNT(*) FROM {table.name}")[0][0]) for table in TABLES}  # noqa: S608 - fixed texts
    heads = read(f"SELECT id, chain FROM {_CHAIN} WHERE place = 'head'")  # noqa: S608 - fixed texts
    return Copied(counts, ChainPosition(*heads[0]) if heads else None)
