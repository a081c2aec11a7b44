"""Rules of `UserTablesMD`: the definitions of user tables."""

from __future__ import annotations

from typing import Final

from erpsim.business.customizing.definitions import (
    FIELDS,
    KEYS,
    OBJECTS,
    TABLES,
    check_unchanged,
    tables_of_object,
)
from erpsim.business.rules import Answer, Modification, Operation, changed_row, unknown_action
from erpsim.company.errors import (
    NotSimulatedError,
    already_exists,
    in_use,
    invalid,
)
from erpsim.company.exchange import Fields, Key
from erpsim.company.overlay import (
    NO_OBJECT,
    NUMBERED,
    TABLE_PREFIX,
)
from erpsim.company.rows.keys import key_of

_TABLE_NAME_LENGTH: Final = 19


class UserTableRules:
    """Rules of `UserTablesMD`. The ERP stores the name in capitals and without `@` (SAP manual 1.22,
    3.15).
    """

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Define a table.

        Raises:
            SlError: no or too long a name, or a table of this name.
        """
        name = str(fields.get("TableName") or "").removeprefix(TABLE_PREFIX).upper()
        if not name or len(name) > _TABLE_NAME_LENGTH:
            raise invalid(f"Invalid table name  [OUTB.TableName] , '{name}'")  # assumed text
        if at.company.find(TABLES, name) is not None:
            raise already_exists()
        kind = fields.get("TableType") or NO_OBJECT
        if kind == NUMBERED:
            raise NotSimulatedError("user tables that number their rows")
        return at.company.insert(TABLES, {**fields, "TableName": name, "TableType": kind})

    def modify(self, at: Operation, row: Fields, change: Modification, /) -> None:
        """Change the description; name and type stay."""
        check_unchanged(row, change, "TableName", "TableType")
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
        raise unknown_action(at, action)
