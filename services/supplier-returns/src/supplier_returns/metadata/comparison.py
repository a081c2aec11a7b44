"""What the ERP has beside what we need, and what there is to do about it: values only."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Final

import msgspec
from attrs import field, frozen

from supplier_returns.metadata.definitions import (
    Definitions,
    FieldDefinition,
    ObjectDefinition,
    TableDefinition,
    ValidValue,
)
from supplier_returns.saved_queries.installer import InstalledQuery, QueryState

YES: Final = "tYES"
NO: Final = "tNO"


class State(StrEnum):
    """How a thing stands; the value is its name on the wire."""

    OK = "ok"
    MISSING = "falta"
    DIFFERENT = "distinto"
    RESTART = "pendiente_reinicio"


class InstalledValue(msgspec.Struct):
    """A valid value as the ERP has it."""

    value: str = msgspec.field(name="Value")
    description: str | None = msgspec.field(name="Description", default=None)


class InstalledField(msgspec.Struct, kw_only=True):
    """A user field as the ERP has it."""

    table: str = msgspec.field(name="TableName")
    name: str = msgspec.field(name="Name")
    id: int = msgspec.field(name="FieldID")
    type: str = msgspec.field(name="Type")
    sub_type: str | None = msgspec.field(name="SubType", default=None)
    size: int | None = msgspec.field(name="Size", default=None)
    edit_size: int | None = msgspec.field(name="EditSize", default=None)
    values: list[InstalledValue] = msgspec.field(name="ValidValuesMD", default_factory=list)

    @property
    def length(self) -> int:
        """The longest text that fits."""
        return max(self.size or 0, self.edit_size or 0)


class InstalledTable(msgspec.Struct):
    """A user table as the ERP has it."""

    name: str = msgspec.field(name="TableName")
    type: str = msgspec.field(name="TableType")


class InstalledChild(msgspec.Struct):
    """A child table of an object as the ERP has it."""

    table: str = msgspec.field(name="TableName")


class InstalledObject(msgspec.Struct, kw_only=True):
    """A user-defined object as the ERP has it."""

    code: str = msgspec.field(name="Code")
    table: str = msgspec.field(name="TableName")
    type: str = msgspec.field(name="ObjectType")
    can_find: str | None = msgspec.field(name="CanFind", default=NO)
    can_log: str | None = msgspec.field(name="CanLog", default=NO)
    can_close: str | None = msgspec.field(name="CanClose", default=NO)
    children: list[InstalledChild] = msgspec.field(name="UserObjectMD_ChildTables", default_factory=list)

    @property
    def can(self) -> Mapping[str, bool]:
        """What it can do, of what we ask for."""
        flags = {"CanFind": self.can_find, "CanLog": self.can_log, "CanClose": self.can_close}
        return {name: value == YES for name, value in flags.items()}


@frozen(kw_only=True)
class Installed:
    """What the ERP has of what we need.

    Attributes:
        fields: by table and name.
        invisible: entity sets that the Service Layer does not show, or not with all their fields, although
            they are defined.
    """

    tables: Mapping[str, InstalledTable]
    fields: Mapping[tuple[str, str], InstalledField]
    user_object: InstalledObject | None
    queries: tuple[InstalledQuery, ...]
    invisible: frozenset[str] = field(factory=frozenset)


@frozen(kw_only=True)
class Finding:
    """How one thing stands.

    Attributes:
        table: the table of a field, as fields name it.
        detail: what is different, in Spanish; None when nothing is.
        mendable: whether the rebuild can bring it in order.
    """

    name: str
    state: State
    table: str = ""
    detail: str | None = None
    mendable: bool = True


@frozen
class Step:
    """One thing to create or change.

    Attributes:
        kind: what has to be sent.
        name: for people, like `campo @LIB_ODEV.U_Motivo`.
        creates: whether it is new.
        needs: the names of tables without which it makes no sense.
    """

    kind: "TableDefinition | NewField | ChangedField | ObjectDefinition | ChangedObject | InstalledQuery"
    name: str
    creates: bool
    needs: tuple[str, ...] = ()


@frozen
class NewField:
    """A field to create."""

    table: str
    definition: FieldDefinition


@frozen
class ChangedField:
    """A field to make longer, or to give more valid values."""

    installed: InstalledField
    definition: FieldDefinition


@frozen
class ChangedObject:
    """An object to give more rights or more children."""

    installed: InstalledObject
    definition: ObjectDefinition


def compare_tables(needed: Definitions, installed: Installed) -> Iterator[Finding]:
    """Yield how each of our tables stands."""
    for table in needed.tables:
        found = installed.tables.get(table.name)
        if found is None:
            yield Finding(name=table.name, state=State.MISSING)
        elif found.type != table.type:
            detail = f"es de tipo {found.type} y debe ser {table.type}"
            yield Finding(name=table.name, state=State.DIFFERENT, detail=detail, mendable=False)
        elif f"U_{table.name}" in installed.invisible:
            yield Finding(name=table.name, state=State.RESTART)
        else:
            yield Finding(name=table.name, state=State.OK)


def compare_fields(needed: Definitions, installed: Installed) -> Iterator[Finding]:
    """Yield how each of our fields stands."""
    for group in needed.groups:
        hidden = group.field_table.lstrip("@") in installed.invisible
        for definition in group.fields:
            found = installed.fields.get((group.field_table, definition.name))
            name = f"U_{definition.name}"
            if found is None:
                yield Finding(table=group.field_table, name=name, state=State.MISSING)
                continue
            detail, mendable = difference_of(found, definition)
            fine = State.RESTART if hidden else State.OK
            state = fine if detail is None else State.DIFFERENT
            yield Finding(table=group.field_table, name=name, state=state, detail=detail, mendable=mendable)


def compare_object(needed: ObjectDefinition, installed: Installed) -> Finding:
    """Return how the object stands."""
    found = installed.user_object
    if found is None:
        return Finding(name=needed.code, state=State.MISSING)
    if (found.table, found.type) != (needed.table, needed.type):
        detail = f"es un {found.type} sobre {found.table} y debe ser un {needed.type} sobre {needed.table}"
        return Finding(name=needed.code, state=State.DIFFERENT, detail=detail, mendable=False)
    missing = [name for name, wanted in needed.can.items() if wanted and not found.can.get(name, False)]
    missing += missing_children(found, needed)
    if missing:
        return Finding(
            name=needed.code, state=State.DIFFERENT, detail=f"falta {', '.join(missing)}", mendable=True
        )
    return Finding(name=needed.code, state=State.RESTART if needed.code in installed.invisible else State.OK)


def missing_children(installed: InstalledObject, needed: ObjectDefinition) -> list[str]:
    """Return the child tables that an object lacks."""
    present = {child.table for child in installed.children}
    return [name for name in needed.children if name not in present]


def difference_of(installed: InstalledField, needed: FieldDefinition) -> tuple[str | None, bool]:
    """Say in Spanish how a field differs, None when it will do, and whether that can be mended.

    A field may be longer than we need and offer more values. Its type can't be changed (SAP manual 1.22).
    """
    sub_type = installed.sub_type or "st_None"
    if (installed.type, sub_type) != (needed.type, needed.sub_type):
        return f"es {installed.type}/{sub_type} y debe ser {needed.type}/{needed.sub_type}", False
    if needed.type == "db_Alpha" and needed.size is not None and installed.length < needed.size:
        return f"admite {installed.length} caracteres y debe admitir {needed.size}", True
    missing = missing_values(installed, needed)
    if missing and installed.values:
        return f"faltan valores válidos: {', '.join(value.value for value in missing)}", True
    if missing:
        return "no tiene valores válidos", True
    return None, True


def missing_values(installed: InstalledField, needed: FieldDefinition) -> list[ValidValue]:
    """Return the values that we offer and the ERP does not."""
    present = {value.value for value in installed.values}
    return [value for value in needed.valid_values if value.value not in present]


def plan_steps(needed: Definitions, installed: Installed) -> list[Step]:
    """Return what there is to do, in order: tables, fields, the object, the queries."""
    return [
        *_table_steps(needed, installed),
        *_field_steps(needed, installed),
        *_object_steps(needed.user_object, installed),
        *_query_steps(installed),
    ]


def find_unmendable(needed: Definitions, installed: Installed) -> list[Finding]:
    """Return what differs in a way that only the ERP's administrator can bring in order."""
    found = [
        *compare_tables(needed, installed),
        *compare_fields(needed, installed),
        compare_object(needed.user_object, installed),
    ]
    return [finding for finding in found if not finding.mendable]


def _table_steps(needed: Definitions, installed: Installed) -> Iterator[Step]:
    for table in needed.tables:
        if table.name not in installed.tables:
            yield Step(table, f"tabla @{table.name}", creates=True)


def _field_steps(needed: Definitions, installed: Installed) -> Iterator[Step]:
    for group in needed.groups:
        needs = () if group.table is None else (f"tabla @{group.table.name}",)
        for definition in group.fields:
            name = f"campo {group.field_table}.U_{definition.name}"
            found = installed.fields.get((group.field_table, definition.name))
            if found is None:
                yield Step(NewField(group.field_table, definition), name, creates=True, needs=needs)
                continue
            detail, mendable = difference_of(found, definition)
            if detail is not None and mendable:
                yield Step(ChangedField(found, definition), name, creates=False)


def _object_steps(needed: ObjectDefinition, installed: Installed) -> Iterator[Step]:
    name = f"objeto {needed.code}"
    finding = compare_object(needed, installed)
    if finding.state is State.MISSING:
        tables = tuple(f"tabla @{table}" for table in (needed.table, *needed.children))
        yield Step(needed, name, creates=True, needs=tables)
    elif finding.state is State.DIFFERENT and finding.mendable and installed.user_object is not None:
        yield Step(ChangedObject(installed.user_object, needed), name, creates=False)


def _query_steps(installed: Installed) -> Iterator[Step]:
    for query in installed.queries:
        if query.state in (QueryState.MISSING, QueryState.OLDER):
            yield Step(query, f"consulta {query.query.name}", creates=query.state is QueryState.MISSING)
