"""Rules of `UserFieldsMD`: the definitions of user fields."""

from __future__ import annotations

from typing import Final

from erpsim.business.customizing.definitions import FIELDS, TABLES, check_unchanged, without_nulls
from erpsim.business.rules import Answer, Modification, Operation, changed_row, unknown_action
from erpsim.company.company import Company
from erpsim.company.errors import (
    NotSimulatedError,
    already_exists,
    field_fixed,
    invalid,
    no_match,
)
from erpsim.company.exchange import Fields, Key
from erpsim.company.overlay import (
    TABLE_PREFIX,
    related_tables,
    tables_of,
)
from erpsim.company.rows.keys import key_of
from erpsim.company.rows.values import as_int
from erpsim.facts.model import TypeFacts

_FIELD_NAME_LENGTH: Final = 50
_ALPHA_LENGTH: Final = 254
_ALPHA_DEFAULT: Final = 10
_NUMERIC_LENGTH: Final = 11


class UserFieldRules:
    """Rules of `UserFieldsMD`. A field is listed once for each table that shares it (SAP manual 1.22)."""

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
        elif not any(table in row_type.tables for row_type in company.database_facts.types.values()) and (
            related_tables(company.database_facts, table) == (table,)
        ):
            raise no_match()
        name = str(fields.get("Name") or "")
        if not name or len(name) > _FIELD_NAME_LENGTH:
            raise invalid(f"Invalid field name  [CUFD.AliasID] , '{name}'")  # assumed text
        row = _sized({"Type": "db_Alpha", "SubType": "st_None", **without_nulls(fields)})
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
        check_unchanged(row, change, "Name", "TableName", "Type", "SubType")
        for name in ("Size", "EditSize"):
            if as_int(change.fields.get(name, row.get(name))) < as_int(row.get(name)):
                raise field_fixed()
        for each in _shared(at.company, row):
            at.company.update(FIELDS, _sized(changed_row(at.row_type, each, change)))

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a field from all tables that share it."""
        if any(f"U_{row['Name']}" in row_type.properties for row_type in _packaged_types(at.company, row)):
            raise NotSimulatedError("the removal of a user field that the metadata export brought along")
        for each in _shared(at.company, row):
            at.company.remove(FIELDS, key_of(at.entity_set, each))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        raise unknown_action(at, action)


def _sized(row: Fields) -> Fields:
    """Fill in the missing one of a field's two sizes with the other.

    Raises:
        SlError: too long, or a `db_Float` without its kind of number; the texts are assumed.
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
    return [
        row_type
        for row_type in company.packaged_facts.types.values()
        if row["TableName"] in tables_of(row_type)
    ]
