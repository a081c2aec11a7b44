"""Merges a company's metadata with its own definitions. Pure: definitions in, facts out.

Names, order and spelling of a user object's own fields follow the metadata of real companies (`Handwrtten`,
`Transfered`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

import attrs

from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.facts.document_kinds import KINDS
from erpsim.facts.model import (
    EDM_DATE,
    EDM_DOUBLE,
    EDM_INT32,
    EDM_STRING,
    EDM_TIME,
    EntitySetFacts,
    Facts,
    PropertyFacts,
    TypeFacts,
)

NO_OBJECT: Final = "bott_NoObject"
MASTER_DATA: Final = "bott_MasterData"
MASTER_DATA_ROWS: Final = "bott_MasterDataLines"
DOCUMENT: Final = "bott_Document"
DOCUMENT_ROWS: Final = "bott_DocumentLines"
NUMBERED: Final = "bott_NoObjectAutoIncrement"
USER_PREFIX: Final = "U_"
TABLE_PREFIX: Final = "@"

_STAMPS: Final = (
    ("CreateDate", EDM_DATE),
    ("CreateTime", EDM_TIME),
    ("UpdateDate", EDM_DATE),
    ("UpdateTime", EDM_TIME),
    ("DataSource", EDM_STRING),
)
_OWN: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    NO_OBJECT: (("Code", EDM_STRING), ("Name", EDM_STRING)),
    NUMBERED: (("Code", EDM_STRING), ("Name", EDM_STRING)),
    MASTER_DATA: (
        ("Code", EDM_STRING),
        ("Name", EDM_STRING),
        ("DocEntry", EDM_INT32),
        ("Canceled", EDM_STRING),
        ("Object", EDM_STRING),
        ("LogInst", EDM_INT32),
        ("UserSign", EDM_INT32),
        ("Transfered", EDM_STRING),
        *_STAMPS,
    ),
    MASTER_DATA_ROWS: (
        ("Code", EDM_STRING),
        ("LineId", EDM_INT32),
        ("Object", EDM_STRING),
        ("LogInst", EDM_INT32),
    ),
    DOCUMENT: (
        ("DocNum", EDM_INT32),
        ("Period", EDM_INT32),
        ("Instance", EDM_INT32),
        ("Series", EDM_INT32),
        ("Handwrtten", EDM_STRING),
        ("Status", EDM_STRING),
        ("RequestStatus", EDM_STRING),
        ("Creator", EDM_STRING),
        ("Remark", EDM_STRING),
        ("DocEntry", EDM_INT32),
        ("Canceled", EDM_STRING),
        ("Object", EDM_STRING),
        ("LogInst", EDM_INT32),
        ("UserSign", EDM_INT32),
        ("Transfered", EDM_STRING),
        *_STAMPS,
    ),
    DOCUMENT_ROWS: (
        ("DocEntry", EDM_INT32),
        ("LineId", EDM_INT32),
        ("VisOrder", EDM_INT32),
        ("Object", EDM_STRING),
        ("LogInst", EDM_INT32),
    ),
}
_KEYS: Final = {NO_OBJECT: ("Code",), NUMBERED: ("Code",), MASTER_DATA: ("Code",), DOCUMENT: ("DocEntry",)}
# Properties that only the system writes. In a body they are ignored, like all read-only properties.
_READ_ONLY: Final = frozenset(
    {
        "DocEntry", "Period", "Instance", "Object", "LogInst", "UserSign", "Transfered", "Status",
        "RequestStatus", "Creator", "Canceled", "DataSource", *(name for name, _ in _STAMPS),
    }
)  # fmt: skip
_TYPES: Final = {
    "db_Alpha": EDM_STRING,
    "db_Memo": EDM_STRING,
    "db_Numeric": EDM_INT32,
    "db_Date": EDM_DATE,
    "db_Float": EDM_DOUBLE,
}


def related_tables(facts: Facts, table: str) -> tuple[str, ...]:
    """Return all tables that share user fields with this one, including itself.

    A field of one marketing document is a field of all of them (SAP manual 1.22, chapter on user fields).
    """
    for row_type in facts.types.values():
        tables = tables_of(row_type)
        if table in tables:
            return tables
    return (table,)


def tables_of(row_type: TypeFacts) -> tuple[str, ...]:
    """Return the database tables of a type, including those missing in the metadata."""
    extra: Iterable[str] = ()
    if row_type.name == "Document":
        extra = [kind.table for kind in KINDS.values()]
    elif row_type.name == "DocumentLine":
        extra = [kind.line_table for kind in KINDS.values()]
    return tuple(dict.fromkeys([*row_type.tables, *extra]))


def overlaid(
    facts: Facts, tables: Iterable[Fields], fields: Iterable[Fields], objects: Iterable[Fields]
) -> Facts:
    """Return the metadata with a company's own tables, fields and objects.

    Args:
        facts: the metadata before.
        tables, fields, objects: rows of `UserTablesMD`, `UserFieldsMD` and `UserObjectsMD`.
    """
    by_table: dict[str, list[PropertyFacts]] = defaultdict(list)
    for row in fields:
        by_table[str(row.get("TableName"))].append(_property(row))
    types = {name: _with_fields(base, by_table) for name, base in facts.types.items()}
    kinds: dict[str, str] = {}
    for row in tables:
        name = str(row["TableName"])
        kinds[name] = str(row.get("TableType"))
        types[name] = _table_type(name, kinds[name], by_table[TABLE_PREFIX + name])
    sets = {name: attrs.evolve(base, type=types[base.type.name]) for name, base in facts.entity_sets.items()}
    used: set[str] = set()
    for row in objects:
        main = str(row["TableName"])
        if main in kinds:
            types[main], children = _object_type(row, types)
            used |= {main, *children}
            sets[str(row["Code"])] = EntitySetFacts(str(row["Code"]), types[main])
    for name, kind in kinds.items():
        if kind in {NO_OBJECT, NUMBERED} and name not in used:
            sets[USER_PREFIX + name] = EntitySetFacts(USER_PREFIX + name, types[name])
    return attrs.evolve(facts, types=types, entity_sets=sets)


def _with_fields(row_type: TypeFacts, by_table: Mapping[str, list[PropertyFacts]]) -> TypeFacts:
    added = {
        prop.name: prop
        for table in tables_of(row_type)
        for prop in by_table.get(table, ())
        if prop.name not in row_type.properties
    }
    return attrs.evolve(row_type, properties={**row_type.properties, **added}) if added else row_type


def _property(row: Fields) -> PropertyFacts:
    name = f"{USER_PREFIX}{row.get('Name')}"
    type_name = _TYPES.get(str(row.get("Type")), EDM_STRING)
    if row.get("SubType") == "st_Time":
        type_name = EDM_TIME
    default = row.get("DefaultValue")
    size = row.get("Size")
    return PropertyFacts(
        name,
        type_name,
        default=str(default) if default not in {None, ""} else None,
        nullable=row.get("Mandatory") != "tYES",
        column=name,
        user_field=True,
        max_length=size if row.get("Type") == "db_Alpha" and isinstance(size, int) else None,
    )


def _table_type(name: str, kind: str, fields: Iterable[PropertyFacts]) -> TypeFacts:
    key = _KEYS.get(kind, ())
    own = [
        PropertyFacts(each, type_name, nullable=each not in key, writable=each not in _READ_ONLY, column=each)
        for each, type_name in _OWN[kind]
    ]
    properties = {prop.name: prop for prop in (*own, *fields)}
    return TypeFacts(name, properties, key=key, tables=(TABLE_PREFIX + name,))


def _object_type(row: Fields, types: Mapping[str, TypeFacts]) -> tuple[TypeFacts, list[str]]:
    """Return an object's type: that of its main table with a collection for each child, and the children."""
    main_type = types[str(row["TableName"])]
    children: list[str] = []
    collections: dict[str, PropertyFacts] = {}
    for child in rows_of(row, "UserObjectMD_ChildTables"):
        table = str(child.get("TableName"))
        if table in types:
            children.append(table)
            # The collection is called after the child's object name, by default the table's (real metadata).
            name = f"{str(child.get('ObjectName') or '').strip() or table}Collection"
            collections[name] = PropertyFacts(name, table, collection=True)
    actions = frozenset({"Close", "Cancel"} if main_type.key == ("DocEntry",) else {"Cancel"})
    return attrs.evolve(
        main_type, properties={**main_type.properties, **collections}, actions=actions
    ), children
