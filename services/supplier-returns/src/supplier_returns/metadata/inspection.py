"""Read the ERP's definitions with at most seven calls, none of which changes anything."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Final

import msgspec
from attrs import evolve

from erpclient import Caller, ErpClient, ErpRefused
from erpclient.odata import ListQuery, RecordQuery, quote_string
from supplier_returns.metadata.comparison import FIELDS, OBJECT_KEY, OBJECTS, TABLES
from supplier_returns.metadata.definitions import Definitions, FieldGroup
from supplier_returns.metadata.installed import Installed, InstalledField, InstalledObject, InstalledTable
from supplier_returns.saved_queries.installer import QueryInstaller

_MOST_FIELDS: Final = 500
_OWN_ENTITY_SETS: Final = {"ORPD": "PurchaseReturns"}


async def inspect(needed: Definitions, erp: ErpClient, caller: Caller, queries: QueryInstaller) -> Installed:
    """Read all definitions.

    Raises:
        ErpError: the request failed, or the user has no right to the definitions.
    """
    found = Installed(
        tables=await _read_tables(needed, erp, caller),
        fields=await _read_fields(needed, erp, caller),
        user_object=await _read_object(needed.user_object.code, erp, caller),
        queries=await queries.read_installed(erp, caller),
    )
    return evolve(found, invisible=await find_invisible(needed, found, erp, caller))


async def find_invisible(
    needed: Definitions, installed: Installed, erp: ErpClient, caller: Caller
) -> frozenset[str]:
    """Return existing definitions that the Service Layer does not show in this session.

    The Service Layer may show new tables, fields and objects at once, after the next login or after a
    restart, and each of its nodes on its own (SAP manual 1.22, 7.2, mentions the restart; integrators
    observed the others).

    Returns:
        the object's code, `U_<table>` for a table without object, and the table's name for a table of the
            ERP.
    """
    invisible = set()
    for name, entity_set, select in _probes(needed, installed):
        query = ListQuery(select=select, top=1)
        try:
            await erp.list(entity_set, query, caller=caller)
        except ErpRefused as error:
            # 400: unknown entity set or property. 404: some builds answer so for an unknown entity set.
            if error.status not in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND):
                raise
            invisible.add(name)
    return frozenset(invisible)


def _probes(needed: Definitions, installed: Installed) -> list[tuple[str, str, tuple[str, ...]]]:
    probes: list[tuple[str, str, tuple[str, ...]]] = []
    for group in needed.groups:
        names = _installed_names(group, installed)
        if group.table is None:
            entity_set = _OWN_ENTITY_SETS[group.field_table]
            if names:
                probes.append((group.field_table, entity_set, ("DocEntry", *names)))
        elif group.table.type == "bott_NoObject" and group.table.name in installed.tables:
            entity_set = f"U_{group.table.name}"
            probes.append((entity_set, entity_set, ("Code", *names)))
        elif group.table.name == needed.user_object.table and installed.user_object is not None:
            children = (f"{child}Collection" for child in needed.user_object.children)
            code = needed.user_object.code
            probes.append((code, code, ("DocEntry", *names, *children)))
    return probes


def _installed_names(group: FieldGroup, installed: Installed) -> tuple[str, ...]:
    return tuple(
        f"U_{each.name}" for each in group.fields if (group.field_table, each.name) in installed.fields
    )


async def _read_tables(needed: Definitions, erp: ErpClient, caller: Caller) -> Mapping[str, InstalledTable]:
    names = [table.name for table in needed.tables]
    query = ListQuery(select=("TableName", "TableType"), filter=_any_of("TableName", names), top=len(names))
    page = await erp.list(TABLES, query, caller=caller)
    return {table.name: table for table in msgspec.json.decode(page.rows, type=list[InstalledTable])}


async def _read_fields(
    needed: Definitions, erp: ErpClient, caller: Caller
) -> Mapping[tuple[str, str], InstalledField]:
    whole = [group.field_table for group in needed.groups if group.table is not None]
    conditions = [_any_of("TableName", whole)]
    for group in needed.groups:
        if group.table is None:
            names = _any_of("Name", [each.name for each in group.fields])
            conditions.append(f"(TableName eq {quote_string(group.field_table)} and ({names}))")
    query = ListQuery(
        select=("TableName", "Name", "FieldID", "Type", "SubType", "Size", "EditSize", "ValidValuesMD"),
        filter=" or ".join(conditions),
        # One page for all of them: the Service Layer's default page has 20 rows.
        top=_MOST_FIELDS,
    )
    page = await erp.list(FIELDS, query, caller=caller)
    fields = msgspec.json.decode(page.rows, type=list[InstalledField])
    return {(each.table, each.name): each for each in fields}


async def _read_object(code: str, erp: ErpClient, caller: Caller) -> InstalledObject | None:
    try:
        record = await erp.get(OBJECTS, OBJECT_KEY.predicate(code), RecordQuery(), caller=caller)
    except ErpRefused as error:
        if error.status == HTTPStatus.NOT_FOUND:
            return None
        raise
    return msgspec.json.decode(record.body, type=InstalledObject)


def _any_of(name: str, values: Sequence[str]) -> str:
    return " or ".join(f"{name} eq {quote_string(value)}" for value in values)
