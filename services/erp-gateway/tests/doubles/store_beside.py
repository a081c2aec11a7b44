"""A store as somebody else sees it: another process that asks it, changes it, or holds it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Protocol

import psycopg

from erp_gateway.store.places import PostgresPlace, StorePlace
from erp_gateway.store.postgresql.dialect import LOCK_SPACE, WRITING


class Beside(Protocol):
    """Changes that tests make to a store from outside."""

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """Run one statement, commit it, and return its rows."""
        ...

    def hold(self) -> Any:
        """Return a block in which nobody else can write."""
        ...


def beside(place: StorePlace) -> Beside:
    """Return somebody else at this store."""
    return _BesideSqlite(place) if isinstance(place, Path) else _BesidePostgres(place)


class _BesideSqlite:
    def __init__(self, path: Path) -> None:
        self._path = path

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            return connection.execute(sql).fetchall()

    @contextmanager
    def hold(self) -> Iterator[None]:
        with closing(sqlite3.connect(self._path, isolation_level=None)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield
            connection.execute("ROLLBACK")


class _BesidePostgres:
    def __init__(self, place: PostgresPlace) -> None:
        self._url = place.url.reveal()

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self._url, autocommit=True) as connection:
            cursor = connection.execute(sql.encode())
            return cursor.fetchall() if cursor.description else []

    @contextmanager
    def hold(self) -> Iterator[None]:
        with psycopg.connect(self._url) as connection:
            connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCK_SPACE, WRITING))
            yield
            connection.rollback()
