"""Shared parts of the rules for user tables, fields, keys and objects.

The ERP refuses a definition that already exists with -2035 (seen for fields and tables). Types cannot change
and sizes cannot shrink (SAP manual 1.22; practice).
"""

from __future__ import annotations

from typing import Final

from erpsim.business.rules import Modification
from erpsim.company.errors import (
    field_fixed,
)
from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of

TABLES: Final = "UserTablesMD"
FIELDS: Final = "UserFieldsMD"
OBJECTS: Final = "UserObjectsMD"
KEYS: Final = "UserKeysMD"
CHILDREN: Final = "UserObjectMD_ChildTables"


def without_nulls(fields: Fields) -> Fields:
    """Drop null values: the ERP treats a null in a definition as absent."""
    return {name: value for name, value in fields.items() if value is not None}


def check_unchanged(row: Fields, change: Modification, *names: str) -> None:
    """Refuse a change of these fields with -1029."""
    for name in names:
        if name in change.fields and change.fields[name] not in {row.get(name), None}:
            raise field_fixed()


def tables_of_object(row: Fields) -> set[str]:
    """Return the names of all tables of an object."""
    return {str(row.get("TableName")), *(str(each.get("TableName")) for each in rows_of(row, CHILDREN))}
