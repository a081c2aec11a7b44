"""Comparison of the ERP's definitions with the required ones, and the resulting steps. Pure functions."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import Any, Final

from attrs import frozen

from erpclient.odata import StrKey
from supplier_returns.metadata.definitions import (
    Definitions,
    FieldDefinition,
    ObjectDefinition,
)
from supplier_returns.metadata.installed import NO, YES, Installed, InstalledField, InstalledObject

TABLES: Final = "UserTablesMD"
FIELDS: Final = "UserFieldsMD"
OBJECTS: Final = "UserObjectsMD"

OBJECT_KEY: Final = StrKey("Code")


class State(StrEnum):
    """State of a definition in the ERP. The value is its API name."""

    OK = "ok"
    MISSING = "falta"
    DIFFERENT = "distinto"
    RESTART = "pendiente_reinicio"


@frozen(kw_only=True)
class Step:
    """Definition to create or change.

    Attributes:
        name: name for users, like `campo @LIB_ODEV.U_Motivo`.
        entity_set: entity set of the Service Layer.
        key: key of the record to change. None creates one.
        body: request body (SAP manual 1.22, 3.15 and 3.16).
        needs: names of tables that must exist first.
    """

    name: str
    entity_set: str
    key: str | None = None
    body: Mapping[str, Any]
    needs: tuple[str, ...] = ()


@frozen(kw_only=True)
class Finding:
    """State of one definition.

    Attributes:
        table: table of a field, as field definitions name it.
        detail: difference in Spanish, if there is one.
        step: step that resolves it. None if there is nothing to do, or only an administrator can resolve it.
    """

    name: str
    state: State
    table: str = ""
    detail: str | None = None
    step: Step | None = None

    @property
    def is_stuck(self) -> bool:
        """True if only the ERP's administrator can resolve the difference."""
        return self.state is State.DIFFERENT and self.step is None


def compare(needed: Definitions, installed: Installed) -> list[Finding]:
    """Return the state of every definition except queries, in the order of creation."""
    return [
        *compare_tables(needed, installed),
        *compare_fields(needed, installed),
        compare_object(needed.user_object, installed),
    ]


def compare_tables(needed: Definitions, installed: Installed) -> Iterator[Finding]:
    """Yield the state of each table."""
    for table in needed.tables:
        existing = installed.tables.get(table.name)
        if existing is None:
            body = {
                "TableName": table.name,
                "TableDescription": table.description,
                "TableType": table.type,
            }
            step = Step(name=_table_name(table.name), entity_set=TABLES, body=body)
            yield Finding(name=table.name, state=State.MISSING, step=step)
        elif existing.type != table.type:
            detail = f"es de tipo {existing.type} y debe ser {table.type}"
            yield Finding(name=table.name, state=State.DIFFERENT, detail=detail)
        else:
            is_hidden = f"U_{table.name}" in installed.invisible
            yield Finding(name=table.name, state=State.RESTART if is_hidden else State.OK)


def compare_fields(needed: Definitions, installed: Installed) -> Iterator[Finding]:
    """Yield the state of each field."""
    for group in needed.groups:
        is_hidden = group.field_table.lstrip("@") in installed.invisible
        needs = () if group.table is None else (_table_name(group.table.name),)
        for definition in group.fields:
            existing = installed.fields.get((group.field_table, definition.name))
            finding = partial(Finding, table=group.field_table, name=f"U_{definition.name}")
            name = f"campo {group.field_table}.U_{definition.name}"
            if existing is None:
                body = field_body(group.field_table, definition)
                step = Step(name=name, entity_set=FIELDS, body=body, needs=needs)
                yield finding(state=State.MISSING, step=step)
                continue
            detail, can_change = difference_of(existing, definition)
            if detail is None:
                yield finding(state=State.RESTART if is_hidden else State.OK)
                continue
            key = f"(TableName='{existing.table}',FieldID={existing.id})"
            change = Step(name=name, entity_set=FIELDS, key=key, body=field_change(existing, definition))
            yield finding(state=State.DIFFERENT, detail=detail, step=change if can_change else None)


def compare_object(needed: ObjectDefinition, installed: Installed) -> Finding:
    """Return the state of the object."""
    existing, name = installed.user_object, f"objeto {needed.code}"
    if existing is None:
        needs = tuple(_table_name(table) for table in (needed.table, *needed.children))
        step = Step(name=name, entity_set=OBJECTS, body=object_body(needed), needs=needs)
        return Finding(name=needed.code, state=State.MISSING, step=step)
    if (existing.table, existing.type) != (needed.table, needed.type):
        detail = (
            f"es un {existing.type} sobre {existing.table} y debe ser un {needed.type} sobre {needed.table}"
        )
        return Finding(name=needed.code, state=State.DIFFERENT, detail=detail)
    present = {child.table for child in existing.children}
    missing = [
        name for name, is_needed in needed.can.items() if is_needed and not existing.can.get(name, False)
    ]
    missing += [name for name in needed.children if name not in present]
    if missing:
        body = object_change(existing, needed)
        step = Step(name=name, entity_set=OBJECTS, key=OBJECT_KEY.predicate(existing.code), body=body)
        detail = f"falta {', '.join(missing)}"
        return Finding(name=needed.code, state=State.DIFFERENT, detail=detail, step=step)
    return Finding(name=needed.code, state=State.RESTART if needed.code in installed.invisible else State.OK)


def difference_of(installed: InstalledField, needed: FieldDefinition) -> tuple[str | None, bool]:
    """Return the difference of a field in Spanish, if there is one, and whether the ERP can change it.

    A field may be longer and have more values than required. Its type can't be changed (SAP manual 1.22).
    """
    sub_type = installed.sub_type or "st_None"
    if (installed.type, sub_type) != (needed.type, needed.sub_type):
        return f"es {installed.type}/{sub_type} y debe ser {needed.type}/{needed.sub_type}", False
    if _is_too_short(installed, needed):
        return f"admite {installed.length} caracteres y debe admitir {needed.size}", True
    present = {value.value for value in installed.values}
    missing = [value.value for value in needed.valid_values if value.value not in present]
    if missing and present:
        return f"faltan valores válidos: {', '.join(missing)}", True
    return "no tiene valores válidos" if missing else None, True


def _is_too_short(installed: InstalledField, needed: FieldDefinition) -> bool:
    return needed.type == "db_Alpha" and needed.size is not None and installed.length < needed.size


def _table_name(table: str) -> str:
    return f"tabla @{table}"


def field_body(table: str, needed: FieldDefinition) -> Mapping[str, Any]:
    """Return the body that creates a field."""
    body: dict[str, Any] = {
        "TableName": table,
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


def field_change(installed: InstalledField, needed: FieldDefinition) -> Mapping[str, Any]:
    """Return the body that extends a field: its length and its values.

    The existing values come first in their order. So the result is the same whether the ERP merges the values
    by position or replaces all of them.
    """
    body: dict[str, Any] = {}
    if _is_too_short(installed, needed):
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


def object_change(installed: InstalledObject, needed: ObjectDefinition) -> Mapping[str, Any]:
    """Return the body that adds missing parts to the object, without removing any."""
    present = [child.table for child in installed.children]
    children = [*present, *(name for name in needed.children if name not in present)]
    return {
        **{name: YES for name, can in needed.can.items() if can},
        "UserObjectMD_ChildTables": [_child(name) for name in children],
    }


def _child(name: str) -> Mapping[str, str]:
    return {"TableName": name, "ObjectName": name}


def _values(present: Mapping[str, str], needed: FieldDefinition) -> list[Mapping[str, str]]:
    merged = dict(present) | {
        value.value: value.description for value in needed.valid_values if value.value not in present
    }
    return [{"Value": value, "Description": description} for value, description in merged.items()]
