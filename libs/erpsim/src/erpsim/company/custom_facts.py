"""Facts derived from a company's own definitions, cached by version of the definitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

from erpsim.company.overlay import USER_PREFIX, overlaid
from erpsim.company.rows.merging import rows_of
from erpsim.company.tables import Database
from erpsim.facts.model import Facts

_DEFINED_BY: Final = ("UserTablesMD", "UserFieldsMD", "UserObjectsMD", "UserKeysMD")


class CustomFacts:
    """Facts of the metadata including the company's own definitions.

    Args:
        packaged: the metadata without them.
        database: the company's rows.
    """

    def __init__(self, packaged: Facts, database: Database) -> None:
        self._packaged = packaged
        self._database = database
        self._versions: tuple[int, ...] = ()
        self._facts = packaged
        self._valid_values: Mapping[tuple[str, str], frozenset[str]] = {}
        self._unique_keys: Mapping[str, tuple[tuple[str, ...], ...]] = {}

    @property
    def facts(self) -> Facts:
        """The metadata of the database's current state."""
        self._read()
        return self._facts

    @property
    def valid_values(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """Values that a field takes, by table and name without `U_`; only fields that have a list."""
        self._read()
        return self._valid_values

    @property
    def unique_keys(self) -> Mapping[str, tuple[tuple[str, ...], ...]]:
        """Properties of each unique key, by table with `@`."""
        self._read()
        return self._unique_keys

    def _read(self) -> None:
        tables = [self._database.table(name) for name in _DEFINED_BY]
        # Version plus one: a table that was only loaded must also count as changed on the first read.
        versions = tuple(table.version + 1 for table in tables)
        if versions == self._versions:
            return
        self._versions = versions
        user_tables, fields, objects, keys = tables
        self._facts = overlaid(self._packaged, user_tables, fields, objects)
        self._valid_values = {
            (str(row["TableName"]), str(row["Name"])): frozenset(
                str(each.get("Value")) for each in rows_of(row, "ValidValuesMD")
            )
            for row in fields
            if row.get("ValidValuesMD")
        }
        unique: dict[str, list[tuple[str, ...]]] = defaultdict(list)
        for row in keys:
            if row.get("Unique") == "tYES":
                table = str(row["TableName"])
                properties = self._facts.types[table.removeprefix("@")].properties
                names = [str(each.get("ColumnAlias")) for each in rows_of(row, "UserKeysMD_Elements")]
                unique[table].append(
                    tuple(name if name in properties else f"{USER_PREFIX}{name}" for name in names)
                )
        self._unique_keys = {table: tuple(each) for table, each in unique.items()}
