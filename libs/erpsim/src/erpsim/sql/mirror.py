"""An up-to-date copy of the company's tables in a database such as SQLite."""

from __future__ import annotations

import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final, Protocol

import attrs
from typing_extensions import override

from erpsim.company.company import Company
from erpsim.company.exchange import Fields, Key
from erpsim.company.tables import Database
from erpsim.sql.columns import SqlColumn, SqlType, SqlValue
from erpsim.sql.tables import CompanyTables, SqlTable

_AFFINITY: Final = {
    SqlType.INTEGER: "INTEGER",
    SqlType.SMALLINT: "INTEGER",
    SqlType.DECIMAL: "NUMERIC",
    SqlType.NVARCHAR: "TEXT",
    SqlType.NCLOB: "TEXT",
    SqlType.TIMESTAMP: "TEXT",
}


class CompanyOwner(Protocol):
    """Owner of a company: a `World`."""

    @property
    def company(self) -> Company:
        """The company."""
        ...


@attrs.frozen
class _Copy:
    """Version of a copied table."""

    columns: tuple[SqlColumn, ...]
    rows: Database
    version: int


class Mirror(ABC):
    """The company's tables in another database, copied on first use and kept up to date.

    Args:
        owner: owner of the company: a `World`.
    """

    def __init__(self, owner: CompanyOwner) -> None:
        self._owner = owner
        self._copies: dict[str, _Copy] = {}
        self._tables: Mapping[str, SqlTable] = {}
        self._tables_of: object = None

    @abstractmethod
    def create(self, table: SqlTable) -> None:
        """Create an empty table. Columns that an insert leaves out get their defaults."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Remove a table if it exists."""

    @abstractmethod
    def insert(self, table: SqlTable, places: list[int], rows: Iterable[list[SqlValue]]) -> None:
        """Add rows; only the columns in these places differ from the defaults."""

    @abstractmethod
    def delete(self, table: SqlTable, key: Key) -> None:
        """Remove the rows of one entity."""

    @property
    def tables(self) -> Mapping[str, SqlTable]:
        """All current tables of the company, by name."""
        facts = self._owner.company.database_facts
        if self._tables_of is not facts:
            self._tables, self._tables_of = CompanyTables(self._owner.company), facts
        return self._tables

    def refresh(self, names: Iterable[str] | None = None) -> None:
        """Update tables to the current state of the company.

        Args:
            names: names of tables; unknown ones are ignored. None for all.
        """
        tables = self.tables
        for gone in [name for name in self._copies if name not in tables]:
            self._drop(gone)
        for name in tables if names is None else set(names):
            if name in tables:
                self._refresh(tables[name])

    def _refresh(self, table: SqlTable) -> None:
        rows = self._owner.company.database
        entities = rows.table(table.source.set_name)
        copy = self._copies.get(table.name)
        version = entities.version
        if copy is not None and copy.columns == table.columns and copy.rows is rows:
            if copy.version == version:
                return
            changed = entities.changed_since(copy.version)
            if table.owner and len(changed) < len(entities):
                for key in changed:
                    self._replace(table, key, entities.get(key))
                self._copies[table.name] = attrs.evolve(copy, version=version)
                return
        self._drop(table.name)
        self.create(table)
        # Most columns are at their defaults in all rows: only the others travel.
        self._insert(table, entities, table.used(entities))
        self._copies[table.name] = _Copy(table.columns, rows, version)

    def _replace(self, table: SqlTable, key: Key, entity: Fields | None) -> None:
        self.delete(table, key)
        if entity is not None:
            self._insert(table, [entity], table.used([entity]))

    def _insert(self, table: SqlTable, entities: Iterable[Fields], places: list[int]) -> None:
        if places:
            self.insert(table, places, (row for entity in entities for row in table.rows(entity)))

    def _drop(self, name: str) -> None:
        self.drop(name)
        self._copies.pop(name, None)


class SqliteMirror(Mirror):
    """The company's tables inside a SQLite connection.

    Args:
        connection: target of the tables; the caller closes it.
        owner: owner of the company: a `World`.
    """

    def __init__(self, connection: sqlite3.Connection, owner: CompanyOwner) -> None:
        super().__init__(owner)
        self._connection = connection

    @override
    def create(self, table: SqlTable) -> None:
        """Create an empty table, with an index to find the rows of an entity."""
        name = quoted(table.name)
        declared = ", ".join(
            f"{quoted(column.name)} {_AFFINITY[column.type]} DEFAULT {_literal(default)}"
            for column, default in zip(table.columns, table.defaults, strict=True)
        )
        self._connection.execute(f"CREATE TABLE {name} ({declared})")
        if table.owner:
            columns = ", ".join(quoted(each) for each in table.owner)
            self._connection.execute(f"CREATE INDEX {quoted('own ' + table.name)} ON {name} ({columns})")

    @override
    def drop(self, name: str) -> None:
        """Remove a table if it exists."""
        self._connection.execute(f"DROP TABLE IF EXISTS {quoted(name)}")

    @override
    def insert(self, table: SqlTable, places: list[int], rows: Iterable[list[SqlValue]]) -> None:
        """Add rows."""
        columns = ", ".join(quoted(table.columns[place].name) for place in places)
        placeholders = ", ".join("?" * len(places))
        statement = f"INSERT INTO {quoted(table.name)} ({columns}) VALUES ({placeholders})"  # noqa: S608 - our names
        self._connection.executemany(statement, ([_bound(row[place]) for place in places] for row in rows))

    @override
    def delete(self, table: SqlTable, key: Key) -> None:
        """Remove the rows of one entity."""
        condition = " AND ".join(f"{quoted(each)} = ?" for each in table.owner)
        self._connection.execute(f"DELETE FROM {quoted(table.name)} WHERE {condition}", key)  # noqa: S608 - our names


def load_into_sqlite(connection: sqlite3.Connection, owner: CompanyOwner) -> SqliteMirror:
    """Copy all tables of the company into a SQLite database; commit them.

    Returns:
        the mirror: its `refresh` brings the copy up to date again.
    """
    mirror = SqliteMirror(connection, owner)
    mirror.refresh()
    connection.commit()
    return mirror


def quoted(name: str) -> str:
    """Quote an identifier."""
    return '"' + name.replace('"', '""') + '"'


def _bound(value: SqlValue) -> str | int | float | None:
    return float(value) if isinstance(value, Decimal) else value


def _literal(value: SqlValue) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else str(value)
