"""Rules of the definitions themselves: creating, changing and removing tables, fields, keys and objects.

What exists already is refused with -2035 (seen for fields and tables); types can't change and sizes can't
shrink (SAP manual 1.22; practice).
"""

from __future__ import annotations

from typing import Final

from erpsim.business.rules import Answer, Modification, Operation, changed_row, unknown_action
from erpsim.company.company import Company
from erpsim.company.errors import (
    NotSimulatedError,
    already_exists,
    field_fixed,
    in_use,
    invalid,
    no_match,
)
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.overlay import (
    NO_OBJECT,
    NUMBERED,
    TABLE_PREFIX,
    related_tables,
    tables_of,
)
from erpsim.company.rows.keys import key_of
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_int
from erpsim.facts.model import TypeFacts

TABLES: Final = "UserTablesMD"
FIELDS: Final = "UserFieldsMD"
OBJECTS: Final = "UserObjectsMD"
KEYS: Final = "UserKeysMD"
CHILDREN: Final = "UserObjectMD_ChildTables"

_TABLE_NAME_LENGTH: Final = 19
_FIELD_NAME_LENGTH: Final = 50
_ALPHA_LENGTH: Final = 254
_ALPHA_DEFAULT: Final = 10
_NUMERIC_LENGTH: Final = 11


class UserTableRules:
    """`UserTablesMD`: the name is stored in capitals and without `@` (SAP manual 1.22, 3.15)."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Define a table.

        Raises:
            SlError: no or too long a name, or a table of this name.
        """
        name = str(fields.get("TableName") or "").removeprefix(TABLE_PREFIX).upper()
        if not name or len(name) > _TABLE_NAME_LENGTH:
            raise invalid(f"Invalid table name  [OUTB.TableName] , '{name}'")  # the text is ours
        if at.company.find(TABLES, name) is not None:
            raise already_exists()
        kind = fields.get("TableType") or NO_OBJECT
        if kind == NUMBERED:
            raise NotSimulatedError("user tables that number their rows")
        return at.company.insert(TABLES, {**fields, "TableName": name, "TableType": kind})

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change the description; name and type stay."""
        keep(row, change, "TableName", "TableType")
        at.company.update(TABLES, changed_row(at.row_type, row, change))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a table with its fields and keys, unless an object uses it or it holds rows."""
        company, name = at.company, str(row["TableName"])
        if any(name in tables_of_object(each) for each in company.rows(OBJECTS)):
            raise in_use()
        if len(company.database.table(f"U_{name}")):
            raise in_use()
        for set_name in (FIELDS, KEYS):
            for each in list(company.rows(set_name)):
                if each.get("TableName") == TABLE_PREFIX + name:
                    company.remove(set_name, key_of(company.entity_set(set_name), each))
        company.remove(TABLES, (name,))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        """Refuse: there are no actions."""
        raise unknown_action(at, action)


class UserFieldRules:
    """`UserFieldsMD`: a field shows once for each table that shares it (SAP manual 1.22)."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Define a field in its table and all tables that share it.

        Raises:
            SlError: no such table, a field of this name, an impossible size.
        """
        company, table = at.company, str(fields.get("TableName") or "")
        if table.startswith(TABLE_PREFIX):
            table = table.upper()
            if company.find(TABLES, table.removeprefix(TABLE_PREFIX)) is None:
                raise no_match()
        elif not any(table in known.tables for known in company.database_facts.types.values()) and (
            related_tables(company.database_facts, table) == (table,)
        ):
            raise no_match()
        name = str(fields.get("Name") or "")
        if not name or len(name) > _FIELD_NAME_LENGTH:
            raise invalid(f"Invalid field name  [CUFD.AliasID] , '{name}'")  # the text is ours
        row = _sized({"Type": "db_Alpha", "SubType": "st_None", **given(fields)})
        tables = related_tables(company.database_facts, table)
        existing = [each for each in company.rows(FIELDS) if each.get("TableName") in tables]
        if any(str(each.get("Name")).upper() == name.upper() for each in existing):
            raise already_exists()
        for each in tables:
            numbers = [as_int(other.get("FieldID")) for other in existing if other.get("TableName") == each]
            company.insert(FIELDS, {**row, "TableName": each, "FieldID": max(numbers, default=-1) + 1})
        return (table, _field(company, table, name)["FieldID"])  # type: ignore[return-value]

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change description, default, size (it only grows) and valid values, in all tables that share it."""
        keep(row, change, "Name", "TableName", "Type", "SubType")
        for name in ("Size", "EditSize"):
            if as_int(change.fields.get(name, row.get(name))) < as_int(row.get(name)):
                raise field_fixed()
        for each in _shared(at.company, row):
            at.company.update(FIELDS, _sized(changed_row(at.row_type, each, change)))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a field from all tables that share it."""
        if any(f"U_{row['Name']}" in known.properties for known in _packaged_types(at.company, row)):
            raise NotSimulatedError("the removal of a user field that the metadata export brought along")
        for each in _shared(at.company, row):
            at.company.remove(FIELDS, key_of(at.entity_set, each))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        """Refuse: there are no actions."""
        raise unknown_action(at, action)


class UserKeyRules:
    """`UserKeysMD`: the index is assigned, whatever was asked for (SAP manual 1.22: asked 1, got 0)."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Define a key over columns of a user table.

        Raises:
            SlError: no such table or column, or a key of this name.
        """
        company, table = at.company, str(fields.get("TableName") or "").upper()
        if company.find(TABLES, table.removeprefix(TABLE_PREFIX)) is None:
            raise no_match()
        known = company.database_facts.types[table.removeprefix(TABLE_PREFIX)].properties
        elements = rows_of(fields, "UserKeysMD_Elements")
        aliases = [str(each.get("ColumnAlias")) for each in elements]
        if not aliases or any(f"U_{alias}" not in known and alias not in known for alias in aliases):
            raise no_match()
        others = [each for each in company.rows(KEYS) if each.get("TableName") == table]
        if any(each.get("KeyName") == fields.get("KeyName") for each in others):
            raise already_exists()
        index = max((as_int(each.get("KeyIndex")) for each in others), default=-1) + 1
        numbered: list[Value] = [{**each, "SubKeyIndex": number} for number, each in enumerate(elements)]
        row = {**fields, "TableName": table, "KeyIndex": index, "UserKeysMD_Elements": numbered}
        return company.insert(KEYS, row)

    def modify(self, at: Operation, _row: Fields, _change: Modification, /) -> None:
        """Refuse: 501, nobody tells what a changed key does."""
        raise NotSimulatedError(f"changes of {at.set_name}")

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a key."""
        at.company.remove(KEYS, key_of(at.entity_set, row))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        """Refuse: there are no actions."""
        raise unknown_action(at, action)


def given(fields: Fields) -> Fields:
    """Return what a body really says: null is nothing."""
    return {name: value for name, value in fields.items() if value is not None}


def keep(row: Fields, change: Modification, *names: str) -> None:
    """Refuse a change of what stays.

    Raises:
        SlError: -1029.
    """
    for name in names:
        if name in change.fields and change.fields[name] not in {row.get(name), None}:
            raise field_fixed()


def _sized(row: Fields) -> Fields:
    """Return a field with both of its sizes: the one that was given stands for the other.

    Raises:
        SlError: too long, or a `db_Float` without its kind of number; the texts are ours.
    """
    kind = row["Type"]
    if kind == "db_Float" and row.get("SubType") in {None, "st_None"}:
        raise invalid("Enter a valid structure for the field  [CUFD.EditType]")
    size = as_int(row.get("EditSize")) or as_int(row.get("Size"))
    if kind == "db_Alpha":
        size = max(size, as_int(row.get("Size"))) or _ALPHA_DEFAULT
        if size > _ALPHA_LENGTH:
            raise invalid(f"Field size is too large  [CUFD.SizeID] , '{size}'")
    elif kind == "db_Numeric":
        size = size or _NUMERIC_LENGTH
        if size > _NUMERIC_LENGTH:
            raise invalid(f"Field size is too large  [CUFD.SizeID] , '{size}'")
    return {**row, "Size": size, "EditSize": size}


def _field(company: Company, table: str, name: str) -> Fields:
    return next(
        row for row in company.rows(FIELDS) if row.get("TableName") == table and row.get("Name") == name
    )


def _shared(company: Company, row: Fields) -> list[Fields]:
    tables = related_tables(company.database_facts, str(row["TableName"]))
    return [
        each
        for each in company.rows(FIELDS)
        if each.get("Name") == row["Name"] and each.get("TableName") in tables
    ]


def _packaged_types(company: Company, row: Fields) -> list[TypeFacts]:
    return [known for known in company.packaged_facts.types.values() if row["TableName"] in tables_of(known)]


def tables_of_object(row: Fields) -> set[str]:
    """Return the names of all tables of an object."""
    return {str(row.get("TableName")), *(str(each.get("TableName")) for each in rows_of(row, CHILDREN))}
