"""Rules of the definitions themselves: creating, changing and removing tables, fields, keys and objects.

What exists already is refused with -2035 (seen for fields and tables); types can't change and sizes can't
shrink (SAP manual 1.22; practice).
"""

from __future__ import annotations

from typing import Final

from erpsim.company import Company
from erpsim.customizing.overlay import (
    DOCUMENT,
    DOCUMENT_ROWS,
    MASTER_DATA,
    MASTER_DATA_ROWS,
    NO_OBJECT,
    NUMBERED,
    TABLE_PREFIX,
    related_tables,
    tables_of,
)
from erpsim.entities import Answer, Modification, Operation, changed_row, unknown_action
from erpsim.errors import (
    NotSimulatedError,
    SlError,
    already_exists,
    field_fixed,
    in_use,
    invalid,
    no_match,
)
from erpsim.facts import TypeFacts
from erpsim.keys import key_of
from erpsim.merging import number_rows, rows_of
from erpsim.records import Fields, Key, Value
from erpsim.series import TABLE as SERIES
from erpsim.values import as_int

TABLES: Final = "UserTablesMD"
FIELDS: Final = "UserFieldsMD"
OBJECTS: Final = "UserObjectsMD"
KEYS: Final = "UserKeysMD"
CHILDREN: Final = "UserObjectMD_ChildTables"
_FIND_COLUMNS: Final = "UserObjectMD_FindColumns"

_TABLE_NAME_LENGTH: Final = 19
_FIELD_NAME_LENGTH: Final = 50
_ALPHA_LENGTH: Final = 254
_ALPHA_DEFAULT: Final = 10
_NUMERIC_LENGTH: Final = 11
_FIRST_OWN_SERIES: Final = 200


def _no_actions(at: Operation, action: str) -> SlError:
    return unknown_action(at, action)


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
        _keep(row, change, "TableName", "TableType")
        at.company.update(TABLES, changed_row(at.shape, row, change))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a table with its fields and keys, unless an object uses it or it holds rows."""
        company, name = at.company, str(row["TableName"])
        if any(name in _tables_of_object(each) for each in company.rows(OBJECTS)):
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
        raise _no_actions(at, action)


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
        row = _sized({"Type": "db_Alpha", "SubType": "st_None", **_given(fields)})
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
        _keep(row, change, "Name", "TableName", "Type", "SubType")
        for name in ("Size", "EditSize"):
            if as_int(change.fields.get(name, row.get(name))) < as_int(row.get(name)):
                raise field_fixed()
        for each in _shared(at.company, row):
            at.company.update(FIELDS, _sized(changed_row(at.shape, each, change)))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a field from all tables that share it."""
        if any(f"U_{row['Name']}" in known.properties for known in _packaged_types(at.company, row)):
            raise NotSimulatedError("the removal of a user field that the metadata export brought along")
        for each in _shared(at.company, row):
            at.company.remove(FIELDS, key_of(at.entity_set, each))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        """Refuse: there are no actions."""
        raise _no_actions(at, action)


class UserObjectDefinitionRules:
    """`UserObjectsMD`: an object over a main table and its children (SAP manual 1.22, 3.16)."""

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Register an object.

        Raises:
            SlError: the code is taken, a table is missing, of the wrong type or used by another object.
        """
        company, code = at.company, str(fields.get("Code") or "")
        if not code:
            raise invalid("Enter a code  [OUDO.Code]")  # the text is ours
        if company.find(OBJECTS, code) is not None:
            raise already_exists()
        row = _named({"ObjectType": "boud_MasterData", **_given(fields)})
        row.setdefault("Name", code)
        _check_tables(company, row)
        row = _numbered(at, row)
        if row.get("ManageSeries") == "tYES":
            _add_series(company, code)
        return company.insert(OBJECTS, row)

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change what an object can do, add children and columns; main table and type stay."""
        _keep(row, change, "Code", "TableName", "ObjectType")
        changed = _named(changed_row(at.shape, row, change))
        if len(rows_of(changed, CHILDREN)) < len(rows_of(row, CHILDREN)):
            raise NotSimulatedError("an object that loses a child table")
        _check_tables(at.company, changed)
        if changed.get("ManageSeries") == "tYES" and row.get("ManageSeries") != "tYES":
            _add_series(at.company, str(row["Code"]))
        at.company.update(OBJECTS, _numbered(at, changed))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Unregister an object that has no data."""
        if len(at.company.database.table(str(row["Code"]))):
            raise in_use()
        at.company.remove(OBJECTS, (str(row["Code"]),))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        """Refuse: there are no actions."""
        raise _no_actions(at, action)


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
        raise _no_actions(at, action)


def _given(fields: Fields) -> Fields:
    return {name: value for name, value in fields.items() if value is not None}


def _keep(row: Fields, change: Modification, *names: str) -> None:
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


def _tables_of_object(row: Fields) -> set[str]:
    return {str(row.get("TableName")), *(str(each.get("TableName")) for each in rows_of(row, CHILDREN))}


def _named(row: Fields) -> Fields:
    """Return an object whose tables are named as they are stored: without `@`, in capitals."""
    main = str(row.get("TableName") or "").removeprefix(TABLE_PREFIX).upper()
    children: list[Value] = []
    for child in rows_of(row, CHILDREN):
        table = str(child.get("TableName") or "").removeprefix(TABLE_PREFIX).upper()
        children.append({**child, "TableName": table, "ObjectName": child.get("ObjectName") or table})
    return {**row, "TableName": main, CHILDREN: children}


def _numbered(at: Operation, row: Fields) -> Fields:
    """Return an object with the numbers and the code on its children and columns."""
    code = row["Code"]
    numbered = {**row}
    for name, number in ((CHILDREN, "SonNumber"), (_FIND_COLUMNS, "ColumnNumber")):
        rows: list[Value] = [
            {**each, number: position, "Code": code} for position, each in enumerate(rows_of(row, name), 1)
        ]
        numbered[name] = rows
    return {
        **numbered,
        **{
            name: list[Value](number_rows(at.shape.collections[name], rows_of(row, name)))
            for name in at.shape.collections
            if name not in {CHILDREN, _FIND_COLUMNS} and row.get(name)
        },
    }


def _check_tables(company: Company, row: Fields) -> None:
    """Check that the tables of an object exist, fit its type and belong to no other.

    Raises:
        SlError: -2028 for a missing table, -5002 (our text) for one that does not fit.
    """
    document = row.get("ObjectType") == "boud_Document"
    main, rows = (DOCUMENT, DOCUMENT_ROWS) if document else (MASTER_DATA, MASTER_DATA_ROWS)
    wanted = [(str(row["TableName"]), main)]
    wanted += [(str(each["TableName"]), rows) for each in rows_of(row, CHILDREN)]
    taken = set().union(
        *(_tables_of_object(each) for each in company.rows(OBJECTS) if each["Code"] != row["Code"])
    )
    for name, kind in wanted:
        table = company.find(TABLES, name)
        if table is None:
            raise no_match()
        if table.get("TableType") != kind or name in taken:
            raise invalid(f"Table does not fit the object  [OUDO.TableName] , '{name}'")


def _add_series(company: Company, code: str) -> None:
    """Give an object that numbers its documents its first series, as the ERP does."""
    number = max(_FIRST_OWN_SERIES, company.database.table(SERIES).next_number())
    company.database.put(
        SERIES,
        (number,),
        {
            "Series": number,
            "Document": code,
            "DocumentSubType": "--",
            "Name": "Primario",
            "InitialNumber": 1,
            "NextNumber": 1,
            "PeriodIndicator": "Predet.",
            "GroupCode": "sg_Group1",
            "Locked": "tNO",
            "SeriesType": "stDocument",
            "$default": True,
        },
    )
