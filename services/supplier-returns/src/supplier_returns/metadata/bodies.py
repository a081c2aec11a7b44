"""What is sent to the ERP to create or change a definition (SAP manual 1.22, 3.15 and 3.16)."""

from collections.abc import Mapping
from typing import Any

from supplier_returns.metadata.comparison import NO, YES, ChangedField, ChangedObject, NewField
from supplier_returns.metadata.definitions import FieldDefinition, ObjectDefinition, TableDefinition


def table_body(table: TableDefinition) -> Mapping[str, Any]:
    """Return the body that creates a table."""
    return {
        "TableName": table.name,
        "TableDescription": table.description,
        "TableType": table.type,
    }


def field_body(new: NewField) -> Mapping[str, Any]:
    """Return the body that creates a field."""
    needed = new.definition
    body: dict[str, Any] = {
        "TableName": new.table,
        "Name": needed.name,
        "Description": needed.description,
        "Type": needed.type,
        "SubType": needed.sub_type,
        "Mandatory": YES if needed.mandatory else NO,
    }
    if needed.size is not None:
        body |= {"Size": needed.size, "EditSize": needed.size}
    if needed.default is not None:
        body["DefaultValue"] = needed.default
    if needed.valid_values:
        body["ValidValuesMD"] = _values({}, needed)
    return body


def field_change(change: ChangedField) -> Mapping[str, Any]:
    """Return the body that changes a field: longer, with more values, never the other way.

    The values that the ERP has come first and in their order, so that it makes no difference whether it
    merges them by position or replaces them all.
    """
    installed, needed = change.installed, change.definition
    body: dict[str, Any] = {}
    if needed.type == "db_Alpha" and needed.size is not None and installed.length < needed.size:
        body |= {"Size": needed.size, "EditSize": needed.size}
    if needed.valid_values:
        present = {value.value: value.description or "" for value in installed.values}
        body["ValidValuesMD"] = _values(present, needed)
    return body


def object_body(needed: ObjectDefinition) -> Mapping[str, Any]:
    """Return the body that creates the object."""
    return {
        "Code": needed.code,
        "Name": needed.name,
        "TableName": needed.table,
        "ObjectType": needed.type,
        **{name: YES if can else NO for name, can in needed.can.items()},
        "UserObjectMD_ChildTables": [_child(name) for name in needed.children],
        "UserObjectMD_FindColumns": [
            {"ColumnAlias": column.column, "ColumnDescription": column.description}
            for column in needed.find_columns
        ],
    }


def object_change(change: ChangedObject) -> Mapping[str, Any]:
    """Return the body that gives the object what it lacks; nothing is taken from it."""
    present = [child.table for child in change.installed.children]
    children = [*present, *(name for name in change.definition.children if name not in present)]
    return {
        **{name: YES for name, can in change.definition.can.items() if can},
        "UserObjectMD_ChildTables": [_child(name) for name in children],
    }


def _child(name: str) -> Mapping[str, str]:
    return {"TableName": name, "ObjectName": name}


def _values(present: Mapping[str, str], needed: FieldDefinition) -> list[Mapping[str, str]]:
    merged = dict(present) | {
        value.value: value.description for value in needed.valid_values if value.value not in present
    }
    return [{"Value": value, "Description": description} for value, description in merged.items()]
