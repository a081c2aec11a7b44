"""The company's tables in a HANA schema."""

from collections.abc import Iterable, Mapping
from typing import Final

import duckdb
from typing_extensions import override

from erpsim.company.exchange import Key
from erpsim.hana.protocol.codes import Type
from erpsim.hana.tables.database import Database
from erpsim.hana.tables.engine import fill_fast
from erpsim.hana.translation.hana_types import HanaType
from erpsim.hana.translation.scopes import Columns
from erpsim.hana.translation.typed import quoted_name, quoted_text
from erpsim.sql import Mirror, SqlColumn, SqlTable, SqlType, SqlValue
from erpsim.world import World

_TYPES: Final = {
    SqlType.INTEGER: Type.INTEGER,
    SqlType.SMALLINT: Type.SMALLINT,
    SqlType.DECIMAL: Type.FIXED12,
    SqlType.NVARCHAR: Type.NVARCHAR,
    SqlType.NCLOB: Type.NCLOB,
    SqlType.TIMESTAMP: Type.TIMESTAMP,
}


def add_company(database: Database, world: World) -> None:
    """Add the schema of a company, named like its database, and use the company's clock for the server.

    A table is copied on its first use and updated before every later one.
    """
    schema = world.switches.company
    database.clock = world.company.clock
    database.timezone = lambda: world.switches.timezone
    database.provide(schema, CompanyTables(database.cursor(), world, schema))


class CompanyTables(Mirror):
    """The company's tables inside the engine.

    Most columns of most tables contain only their default. A stored table therefore has only the others, and
    a view of the table's own name shows all of them.

    Args:
        connection: of the engine.
        world: the company.
        schema: schema of the tables.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, world: World, schema: str) -> None:
        super().__init__(world)
        self._connection = connection
        self._schema = quoted_name(schema)
        self._kept: dict[str, list[int]] = {}
        self._columns: Mapping[str, Columns] = {}
        self._columns_of: object = None

    @property
    def columns(self) -> Mapping[str, Columns]:
        """Columns of every table; a new object after each change of the company's metadata."""
        tables = self.tables
        if self._columns_of is not tables:
            self._columns = {
                name: {column.name: _type(column) for column in table.columns}
                for name, table in tables.items()
            }
            self._columns_of = tables
        return self._columns

    @override
    def refresh(self, names: Iterable[str] | None = None) -> None:
        """Bring tables up to the present state of the company, all in one transaction."""
        self._connection.execute("BEGIN")
        try:
            super().refresh(names)
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    @override
    def create(self, table: SqlTable) -> None:
        """Create an empty table."""
        owner = [place for place, column in enumerate(table.columns) if column.name in table.owner]
        self._make(table, owner or [0])

    @override
    def drop(self, name: str) -> None:
        """Remove a table if it exists."""
        self._connection.execute(f"DROP VIEW IF EXISTS {self._name(name)}")
        self._connection.execute(f"DROP TABLE IF EXISTS {self._name(_rows_of(name))}")

    @override
    def insert(self, table: SqlTable, places: list[int], rows: Iterable[list[SqlValue]]) -> None:
        """Add rows."""
        self._keep(table, places)
        columns = [(table.columns[place].name, _type(table.columns[place])) for place in places]
        target = self._name(_rows_of(table.name))
        fill_fast(self._connection, target, columns, ([row[place] for place in places] for row in rows))

    @override
    def delete(self, table: SqlTable, key: Key) -> None:
        """Remove the rows of one entity."""
        condition = " AND ".join(f"{quoted_name(each)} = ?" for each in table.owner)
        target = self._name(_rows_of(table.name))
        self._connection.execute(f"DELETE FROM {target} WHERE {condition}", list(key))  # noqa: S608 - our names

    def _make(self, table: SqlTable, places: list[int]) -> None:
        self._kept[table.name] = places
        declared = ", ".join(_declared(table, place) for place in places)
        self._connection.execute(f"CREATE TABLE {self._name(_rows_of(table.name))} ({declared})")
        self._show(table)

    def _keep(self, table: SqlTable, places: list[int]) -> None:
        stored = self._kept[table.name]
        missing = sorted(set(places) - set(stored))
        if not missing:
            return
        target = self._name(_rows_of(table.name))
        if not self._connection.execute(f"SELECT 1 FROM {target} LIMIT 1").fetchall():  # noqa: S608 - our names
            self.drop(table.name)
            self._make(table, sorted({*stored, *places}))
            return
        for place in missing:
            self._connection.execute(f"ALTER TABLE {target} ADD COLUMN {_declared(table, place)}")
        self._kept[table.name] = sorted({*stored, *missing})
        self._show(table)

    def _show(self, table: SqlTable) -> None:
        stored = set(self._kept[table.name])
        shown = ", ".join(
            quoted_name(column.name) if place in stored else _constant(table, place)
            for place, column in enumerate(table.columns)
        )
        rows = self._name(_rows_of(table.name))
        self._connection.execute(
            f"CREATE OR REPLACE VIEW {self._name(table.name)} AS SELECT {shown} FROM {rows}"  # noqa: S608 - our names
        )

    def _name(self, table: str) -> str:
        return f"{self._schema}.{quoted_name(table)}"


def _rows_of(table: str) -> str:
    return f"rows of {table}"


def _declared(table: SqlTable, place: int) -> str:
    column = table.columns[place]
    return f"{quoted_name(column.name)} {_type(column).kept_in} DEFAULT {_literal(table.defaults[place])}"


def _constant(table: SqlTable, place: int) -> str:
    column = table.columns[place]
    return f"CAST({_literal(table.defaults[place])} AS {_type(column).kept_in}) AS {quoted_name(column.name)}"


def _type(column: SqlColumn) -> HanaType:
    return HanaType(_TYPES[column.type], column.length, column.scale)


def _literal(value: SqlValue) -> str:
    if value is None:
        return "NULL"
    return quoted_text(value) if isinstance(value, str) else str(value)
