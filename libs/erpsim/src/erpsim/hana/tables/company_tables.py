"""The simulated company's tables behind the wire: a schema of its own, and the catalogue that lists it."""

from collections.abc import Iterator

from erpsim.hana.protocol.codes import Type
from erpsim.hana.protocol.columns import Column, Value
from erpsim.hana.tables.database import Database
from erpsim.sql import SqlColumn, SqliteMirror, SqlTable, SqlType
from erpsim.world import World

_TYPES = {
    SqlType.INTEGER: Type.INTEGER,
    SqlType.SMALLINT: Type.SMALLINT,
    SqlType.DECIMAL: Type.FIXED12,
    SqlType.NVARCHAR: Type.NVARCHAR,
    SqlType.NCLOB: Type.NCLOB,
    SqlType.TIMESTAMP: Type.TIMESTAMP,
}
_CATALOGUE = "SYS"
_TABLES = [Column("SCHEMA_NAME", Type.NVARCHAR, 256), Column("TABLE_NAME", Type.NVARCHAR, 256)]
_TABLE_COLUMNS = [
    *_TABLES,
    Column("COLUMN_NAME", Type.NVARCHAR, 256),
    Column("POSITION", Type.INTEGER, 10),
    Column("DATA_TYPE_NAME", Type.VARCHAR, 16),
    Column("LENGTH", Type.INTEGER, 10),
    Column("SCALE", Type.INTEGER, 10),
]


def add_company(database: Database, world: World) -> None:
    """Add the schema of a company, named like its database, and the catalogue views of that schema.

    A table is copied when a statement first names it, and brought up to date with every later one.
    """
    schema = world.switches.company
    database.add_schema(schema)
    mirror = SqliteMirror(database.connection, world, schema=schema)
    database.before_statement(mirror.refresh)
    tables = mirror.tables
    for table in tables.values():
        database.declare([_column(each) for each in table.columns])
    database.add_schema(_CATALOGUE)
    database.add_table(_CATALOGUE, "TABLES", _TABLES, [(schema, name) for name in sorted(tables)])
    database.add_table(_CATALOGUE, "TABLE_COLUMNS", _TABLE_COLUMNS, _described(schema, tables))


def _column(column: SqlColumn) -> Column:
    return Column(column.name, _TYPES[column.type], column.length, column.scale)


def _described(schema: str, tables: dict[str, SqlTable]) -> Iterator[tuple[Value, ...]]:
    for name in sorted(tables):
        for position, column in enumerate(tables[name].columns, 1):
            yield schema, name, column.name, position, column.type.value, column.length, column.scale
