"""A SQLite copy of the company's tables that always shows the present state."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from decimal import Decimal
from typing import Final, Protocol

import attrs

from erpsim.company.company import Company
from erpsim.company.exchange import Fields, Key
from erpsim.company.tables import Database
from erpsim.sql.columns import SqlColumn, SqlType, SqlValue
from erpsim.sql.tables import SqlTable, company_tables

_AFFINITY: Final = {
    SqlType.INTEGER: "INTEGER",
    SqlType.SMALLINT: "INTEGER",
    SqlType.DECIMAL: "NUMERIC",
    SqlType.NVARCHAR: "TEXT",
    SqlType.NCLOB: "TEXT",
    SqlType.TIMESTAMP: "TEXT",
}


class CompanyOwner(Protocol):
    """Whoever has a company: a `World`."""

    @property
    def company(self) -> Company:
        """The company as it is now."""
        ...


@attrs.frozen
class _Copy:
    """What a copied table is a copy of."""

    columns: tuple[SqlColumn, ...]
    rows: Database
    version: int


class SqliteMirror:
    """The company's tables inside a SQLite connection, copied when asked for and kept up with changes.

    Args:
        connection: where the tables go; the caller closes it.
        owner: who has the company: a `World`.
        schema: name of an attached database; None is the connection's own.
    """

    def __init__(
        self, connection: sqlite3.Connection, owner: CompanyOwner, *, schema: str | None = None
    ) -> None:
        self._connection = connection
        self._owner = owner
        self._prefix = "" if schema is None else f"{quoted(schema)}."
        self._copies: dict[str, _Copy] = {}
        self._tables: dict[str, SqlTable] = {}
        self._tables_of: object = None

    @property
    def tables(self) -> dict[str, SqlTable]:
        """All tables of the company as they are now, by name."""
        facts = self._owner.company.database_facts
        if self._tables_of is not facts:
            self._tables, self._tables_of = company_tables(self._owner.company), facts
        return self._tables

    def refresh(self, names: Iterable[str] | None = None) -> None:
        """Bring tables up to the present state of the company.

        Args:
            names: which; unknown ones are ignored. None is all.
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
        self._fill(table, entities)
        self._copies[table.name] = _Copy(table.columns, rows, version)

    def _fill(self, table: SqlTable, entities: Iterable[Fields]) -> None:
        self._drop(table.name)
        name = self._name(table.name)
        declared = ", ".join(
            f"{quoted(column.name)} {_AFFINITY[column.type]} DEFAULT {_literal(default)}"
            for column, default in zip(table.columns, table.defaults, strict=True)
        )
        self._connection.execute(f"CREATE TABLE {name} ({declared})")
        # Most columns are at their defaults in all rows: only the others travel.
        self._insert(table, entities, table.used(entities))
        if table.owner:
            columns = ", ".join(quoted(each) for each in table.owner)
            index = f"{self._prefix}{quoted('own ' + table.name)}"
            self._connection.execute(f"CREATE INDEX {index} ON {quoted(table.name)} ({columns})")

    def _replace(self, table: SqlTable, key: Key, entity: Fields | None) -> None:
        condition = " AND ".join(f"{quoted(each)} = ?" for each in table.owner)
        self._connection.execute(f"DELETE FROM {self._name(table.name)} WHERE {condition}", key)  # noqa: S608
        if entity is not None:
            self._insert(table, [entity], table.used([entity]))

    def _insert(self, table: SqlTable, entities: Iterable[Fields], places: list[int]) -> None:
        columns = ", ".join(quoted(table.columns[place].name) for place in places)
        marks = ", ".join("?" * len(places))
        statement = f"INSERT INTO {self._name(table.name)} ({columns}) VALUES ({marks})"  # noqa: S608 - our names
        rows = (row for entity in entities for row in table.rows(entity))
        if places:
            self._connection.executemany(
                statement, ([_bound(row[place]) for place in places] for row in rows)
            )

    def _drop(self, name: str) -> None:
        self._connection.execute(f"DROP TABLE IF EXISTS {self._name(name)}")
        self._copies.pop(name, None)

    def _name(self, table: str) -> str:
        return self._prefix + quoted(table)


def load_into_sqlite(connection: sqlite3.Connection, owner: CompanyOwner) -> SqliteMirror:
    """Copy all tables of the company into a SQLite database; commit them.

    Returns:
        The mirror: its `refresh` brings the copy up to date again.
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
