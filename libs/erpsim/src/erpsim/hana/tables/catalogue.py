"""Simulated catalogue views with their most used columns.

The columns are those of SAP's "SQL Reference Guide for SAP HANA Platform", system views and monitoring views.
A real HANA filters their rows by the reader's rights; the simulator does not.
"""

from binascii import crc32
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from erpsim.hana.protocol.codes import Type
from erpsim.hana.protocol.columns import Column, Value
from erpsim.hana.tables.rights import Grants
from erpsim.hana.translation.scopes import SYSTEM_SCHEMA, Columns

VERSION: Final = "2.00.079.00.1718000000"
"""Written as HANA writes its own: release, service pack, revision, patch, build."""

_NOTHING: Final = (None, None, None, None)
_SYSTEM_ID: Final = "HDB"
_NAME: Final = 256
_TABLES: Final = [Column("SCHEMA_NAME", Type.NVARCHAR, _NAME), Column("TABLE_NAME", Type.NVARCHAR, _NAME)]
_VIEWS: Final = [Column("SCHEMA_NAME", Type.NVARCHAR, _NAME), Column("VIEW_NAME", Type.NVARCHAR, _NAME)]
_COLUMNS: Final = [
    Column("COLUMN_NAME", Type.NVARCHAR, _NAME),
    Column("POSITION", Type.INTEGER, 10),
    Column("DATA_TYPE_NAME", Type.VARCHAR, 16),
    Column("LENGTH", Type.INTEGER, 10),
    Column("SCALE", Type.INTEGER, 10),
    Column("IS_NULLABLE", Type.VARCHAR, 5),
    Column("DEFAULT_VALUE", Type.NVARCHAR, 5000),
    Column("COMMENTS", Type.NVARCHAR, 5000),
    Column("GENERATED_ALWAYS_AS", Type.NVARCHAR, 5000),
    Column("GENERATION_TYPE", Type.VARCHAR, 16),
]
_KEY_COLUMNS: Final = [
    *_TABLES,
    Column("COLUMN_NAME", Type.NVARCHAR, _NAME),
    Column("POSITION", Type.INTEGER, 10),
    Column("CONSTRAINT_NAME", Type.NVARCHAR, _NAME),
]
_INDEXES: Final = [
    *_TABLES,
    Column("INDEX_NAME", Type.NVARCHAR, _NAME),
    Column("CONSTRAINT", Type.VARCHAR, 16),
]
_GRANTS: Final = [
    Column("GRANTEE", Type.NVARCHAR, _NAME),
    Column("GRANTEE_TYPE", Type.VARCHAR, 4),
    Column("OBJECT_TYPE", Type.VARCHAR, 32),
    Column("SCHEMA_NAME", Type.NVARCHAR, _NAME),
    Column("OBJECT_NAME", Type.NVARCHAR, _NAME),
    Column("PRIVILEGE", Type.VARCHAR, _NAME),
    Column("IS_GRANTABLE", Type.VARCHAR, 5),
    Column("IS_VALID", Type.VARCHAR, 5),
]

CATALOGUE: Final[Mapping[str, list[Column]]] = {
    "SCHEMAS": [Column("SCHEMA_NAME", Type.NVARCHAR, _NAME)],
    "TABLES": [
        *_TABLES,
        Column("IS_USER_DEFINED_TYPE", Type.VARCHAR, 5),
        Column("IS_TEMPORARY", Type.VARCHAR, 5),
        Column("TABLE_OID", Type.BIGINT, 19),
        Column("COMMENTS", Type.NVARCHAR, 5000),
    ],
    "VIEWS": [*_VIEWS, Column("DEFINITION", Type.NCLOB)],
    "TABLE_COLUMNS": [*_TABLES, *_COLUMNS],
    "VIEW_COLUMNS": [*_VIEWS, *_COLUMNS],
    "CONSTRAINTS": [
        *_KEY_COLUMNS,
        Column("IS_PRIMARY_KEY", Type.VARCHAR, 5),
        Column("IS_UNIQUE_KEY", Type.VARCHAR, 5),
        Column("CHECK_CONDITION", Type.NVARCHAR, 5000),
    ],
    "REFERENTIAL_CONSTRAINTS": [
        *_KEY_COLUMNS,
        Column("REFERENCED_SCHEMA_NAME", Type.NVARCHAR, _NAME),
        Column("REFERENCED_TABLE_NAME", Type.NVARCHAR, _NAME),
        Column("REFERENCED_COLUMN_NAME", Type.NVARCHAR, _NAME),
        Column("UPDATE_RULE", Type.VARCHAR, 11),
        Column("DELETE_RULE", Type.VARCHAR, 11),
    ],
    "INDEXES": _INDEXES,
    "INDEX_COLUMNS": [
        *_INDEXES,
        Column("COLUMN_NAME", Type.NVARCHAR, _NAME),
        Column("POSITION", Type.INTEGER, 10),
    ],
    "SEQUENCES": [
        Column("SCHEMA_NAME", Type.NVARCHAR, _NAME),
        Column("SEQUENCE_NAME", Type.NVARCHAR, _NAME),
    ],
    "M_DATABASE": [
        Column("SYSTEM_ID", Type.VARCHAR, 16),
        Column("DATABASE_NAME", Type.NVARCHAR, _NAME),
        Column("VERSION", Type.VARCHAR, 32),
        Column("USAGE", Type.VARCHAR, 32),
    ],
    "GRANTED_PRIVILEGES": _GRANTS,
    "EFFECTIVE_PRIVILEGES": [Column("USER_NAME", Type.NVARCHAR, _NAME), *_GRANTS],
}
PUBLIC: Final = frozenset(
    (SYSTEM_SCHEMA, name) for name in ("DUMMY", "M_DATABASE", "GRANTED_PRIVILEGES", "EFFECTIVE_PRIVILEGES")
)
"""Views that every user may read regardless of grants."""


def catalogue_rows(
    schemas: Mapping[str, Mapping[str, Columns]], users: Mapping[str, Grants]
) -> dict[str, list[tuple[Value, ...]]]:
    """Return the rows of the views; views not listed are empty.

    Args:
        schemas: tables of every schema.
        users: grants of each user.
    """
    tables = [(schema, name) for schema, names in schemas.items() for name in sorted(names)]
    granted = [row for user, grants in users.items() for row in _granted(user, grants, schemas)]
    return {
        "SCHEMAS": [(name,) for name in schemas],
        "TABLES": [(*table, "FALSE", "FALSE", crc32(".".join(table).encode()), None) for table in tables],
        "TABLE_COLUMNS": [
            row for schema, name in tables for row in _columns(schema, name, schemas[schema][name])
        ],
        "M_DATABASE": [(_SYSTEM_ID, _SYSTEM_ID, VERSION, "DEVELOPMENT")],
        "GRANTED_PRIVILEGES": granted,
        "EFFECTIVE_PRIVILEGES": [(row[0], *row) for row in granted],
    }


def _columns(schema: str, table: str, columns: Columns) -> Iterator[tuple[Value, ...]]:
    for place, (name, kind) in enumerate(columns.items(), 1):
        scale = None if kind.is_floating_decimal else kind.scale
        yield schema, table, name, place, kind.name, kind.length, scale, "TRUE", *_NOTHING


def _granted(
    user: str, grants: Grants, schemas: Mapping[str, Sequence[str] | Mapping[str, Columns]]
) -> Iterator[tuple[Value, ...]]:
    for kind, schema, name, privilege in grants.listed(
        (schema, tables) for schema, tables in schemas.items() if schema != SYSTEM_SCHEMA
    ):
        yield user, "USER", kind, schema, name, privilege, "FALSE", "TRUE"
