"""What the ERP has beside what we need, and what there is to do about it: values only."""

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
    """How a thing stands; the value is its name on the wire."""

    OK = "ok"
    MISSING = "falta"
    DIFFERENT = "distinto"
    RESTART = "pendiente_reinicio"


@frozen(kw_only=True)
class Step:
    """One thing to create or change.

    Attributes:
        name: for people, like `campo @LIB_ODEV.U_Motivo`.
        entity_set: where.
        key: of the record to change; None to create one.
        body: what is sent (SAP manual 1.22, 3.15 and 3.16).
        needs: the names of tables without which it makes no sense.
    """

    name: str
    entity_set: str
    key: str | None = None
    body: Mapping[str, Any]
    needs: tuple[str, ...] = ()


@frozen(kw_only=True)
class Finding:
    """How one thing stands.

    Attributes:
        table: the table of a field, as fields name it.
        detail: what is different, in Spanish; None when nothing is.
        step: what brings it in order; None when it is, or when only the ERP's administrator can.
    """

    name: str
    state: State
    table: str = ""
    detail: str | None = None
    step: Step | None = None

    @property
    def is_stuck(self) -> bool:
        """Whether it differs in a way that only the ERP's administrator can bring in order."""
        return self.state is State.DIFFERENT and self.step is None


def compare(needed: Definitions, installed: Installed) -> list[Finding]:
    """Return how everything but the queries stands, in the order in which it has to be created."""
    return [
        *compare_tables(needed, installed),
        *compare_fields(needed, installed),
        compare_object(needed.user_object, installed),
    ]


def compare_tables(needed: Definitions, installed: Installed) -> Iterator[Finding]:
    """Yield how each of our tables stands."""
    for table in needed.tables:
        found = installed.tables.get(table.name)
        if found is None:
            body = {
                "TableName": table.name,
                "TableDescription": table.description,
                "TableType": table.type,
            }
            step = Step(name=_table_name(table.name), entity_set=TABLES, body=body)
            yield Finding(name=table.name, state=State.MISSING, step=step)
        elif found.type != table.type:
            detail = f"es de tipo {found.type} y debe ser {table.type}"
            yield Finding(name=table.name, state=State.DIFFERENT, detail=detail)
        else:
            is_hidden = f"U_{table.name}" in installed.invisible
            yield Finding(name=table.name, state=State.RESTART if is_hidden else State.OK)


def compare_fields(needed: Definitions, installed: Installed) -> Iterator[Finding]:
    """Yield how each of our fields stands."""
    for group in needed.groups:
        is_hidden = group.field_table.lstrip("@") in installed.invisible
        needs = () if group.table is None else (_table_name(group.table.name),)
        for definition in group.fields:
            found = installed.fields.get((group.field_table, definition.name))
            finding = partial(Finding, table=group.field_table, name=f"U_{definition.name}")
            name = f"campo {group.field_table}.U_{definition.name}"
            if found is None:
                body = field_body(group.field_table, definition)
                step = Step(name=name, entity_set=FIELDS, body=body, needs=needs)
                yield finding(state=State.MISSING, step=step)
                continue
            detail, mendable = difference_of(found, definition)
            if detail is None:
                yield finding(state=State.RESTART if is_hidden else State.OK)
                continue
            key = f"(TableName='{found.table}',FieldID={found.id})"
            change = Step(name=name, entity_set=FIELDS, key=key, body=field_change(found, definition))
            yield finding(state=State.DIFFERENT, detail=detail, step=change if mendable else None)


def compare_object(needed: ObjectDefinition, installed: Installed) -> Finding:
    """Return how the object stands."""
    found, name = installed.user_object, f"objeto {needed.code}"
    if found is None:
        needs = tuple(_table_name(table) for table in (needed.table, *needed.children))
        step = Step(name=name, entity_set=OBJECTS, body=object_body(needed), needs=needs)
        return Finding(name=needed.code, state=State.MISSING, step=step)
    if (found.table, found.type) != (needed.table, needed.type):
        detail = f"es un {found.type} sobre {found.table} y debe ser un {needed.type} sobre {needed.table}"
        return Finding(name=needed.code, state=State.DIFFERENT, detail=detail)
    present = {child.table for child in found.children}
    missing = [name for name, wanted in needed.can.items() if wanted and not found.can.get(name, False)]
    missing += [name for name in needed.children if name not in present]
    if missing:
        body = object_change(found, needed)
        step = Step(name=name, entity_set=OBJECTS, key=OBJECT_KEY.predicate(found.code), body=body)
        detail = f"falta {', '.join(missing)}"
        return Finding(name=needed.code, state=State.DIFFERENT, detail=detail, step=step)
    return Finding(name=needed.code, state=State.RESTART if needed.code in installed.invisible else State.OK)


def difference_of(installed: InstalledField, needed: FieldDefinition) -> tuple[str | None, bool]:
    """Say in Spanish how a field differs, None when it will do, and whether that can be mended.

    A field may be longer than we need and offer more values. Its type can't be changed (SAP manual 1.22).
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
    """Return the body that changes a field: longer, with more values, never the other way.

    The values that the ERP has come first and in their order, so that it makes no difference whether it
    merges them by position or replaces them all.
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
    """Return the body that gives the object what it lacks; nothing is taken from it."""
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
