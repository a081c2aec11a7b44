"""Access to a store's writing connection, to watch it or to make it refuse."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TypeAlias

import pytest

from erp_gateway.store.database import Database
from erp_gateway.store.places import StorePlace
from erp_gateway.store.sqlite.connection import StoreConnection
from erp_gateway.store.sqlite.engine import SqliteEngine


def sqlite_writer(database: Database) -> StoreConnection:
    """Return the writing connection of a store that is a file."""
    engine = database._engine
    assert isinstance(engine, SqliteEngine)
    return engine._writer


NewStore: TypeAlias = Callable[[], AbstractContextManager[StorePlace]]

ENGINES = ("sqlite", "postgresql")

SQLITE_ONLY = pytest.mark.parametrize("store_engine", ["sqlite"])
"""Marks what only a file can do."""

POSTGRESQL_ONLY = pytest.mark.parametrize("store_engine", ["postgresql"])
"""Marks what only a server can do."""
