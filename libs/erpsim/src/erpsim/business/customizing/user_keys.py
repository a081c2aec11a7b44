"""Rules of `UserKeysMD`: the definitions of keys of user tables."""

from __future__ import annotations

from erpsim.business.customizing.definitions import KEYS, TABLES
from erpsim.business.rules import Answer, Modification, Operation, unknown_action
from erpsim.company.errors import (
    NotSimulatedError,
    already_exists,
    no_match,
)
from erpsim.company.exchange import Fields, Key, Value
from erpsim.company.overlay import (
    TABLE_PREFIX,
)
from erpsim.company.rows.keys import key_of
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_int


class UserKeyRules:
    """Rules of `UserKeysMD`. The ERP assigns the index and ignores the one in the request (SAP manual 1.22: 1
    requested, 0 assigned).
    """

    def create(self, at: Operation, fields: Fields, /) -> Key:
        """Define a key over columns of a user table.

        Raises:
            SlError: no such table or column, or a key of this name.
        """
        company, table = at.company, str(fields.get("TableName") or "").upper()
        if company.find(TABLES, table.removeprefix(TABLE_PREFIX)) is None:
            raise no_match()
        columns = company.database_facts.types[table.removeprefix(TABLE_PREFIX)].properties
        elements = rows_of(fields, "UserKeysMD_Elements")
        aliases = [str(each.get("ColumnAlias")) for each in elements]
        if not aliases or any(f"U_{alias}" not in columns and alias not in columns for alias in aliases):
            raise no_match()
        others = [each for each in company.rows(KEYS) if each.get("TableName") == table]
        if any(each.get("KeyName") == fields.get("KeyName") for each in others):
            raise already_exists()
        index = max((as_int(each.get("KeyIndex")) for each in others), default=-1) + 1
        numbered: list[Value] = [{**each, "SubKeyIndex": number} for number, each in enumerate(elements)]
        row = {**fields, "TableName": table, "KeyIndex": index, "UserKeysMD_Elements": numbered}
        return company.insert(KEYS, row)

    def modify(self, at: Operation, _row: Fields, _change: Modification, /) -> None:
        """Refuse with 501: no source documents what a changed key does."""
        raise NotSimulatedError(f"changes of {at.set_name}")

    def delete(self, at: Operation, row: Fields, /) -> None:
        """Remove a key."""
        at.company.remove(KEYS, key_of(at.entity_set, row))

    def act(self, at: Operation, _row: Fields, action: str, /) -> Answer:
        raise unknown_action(at, action)
