"""The tables and columns that stored queries may use."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from importlib import resources
from typing import Any

import attrs

from erpsim.company.errors import NotSimulatedError
from erpsim.sql import SqlColumn, SqlTable
from erpsim.stored_queries.refusals import column_refused, table_refused


@functools.cache
def published_list() -> Mapping[str, Any]:
    """Return the packaged allow-list, in the form of the real `b1s_sqltable.conf`."""
    content: Mapping[str, Any] = json.loads(
        resources.files("erpsim").joinpath("data/b1s_sqltable.json").read_bytes()
    )
    return content


@attrs.frozen(eq=False)
class Catalogue:
    """Tables and columns visible to a query.

    Args:
        tables: all tables of the company.
        added, removed: differences between this installation's allow-list and the published one.
    """

    tables: Mapping[str, SqlTable]
    added: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()

    def table(self, name: str) -> SqlTable:
        """Return a table by its name in any case.

        Raises:
            SlError: 702 for a table that is not on the list; 501 for a listed table that is not simulated.
        """
        true_name = self._true_names.get(name.upper(), name.upper())
        if not self._allowed(true_name):
            raise table_refused(name)
        if true_name not in self.tables:
            raise NotSimulatedError(f"the table {true_name} in stored queries")
        return self.tables[true_name]

    def column(self, table: SqlTable, name: str) -> SqlColumn:
        """Return a column by its name in any case.

        Raises:
            SlError: 703.
        """
        column = find_column(table, name)
        listed = published_list()
        included = listed["ColumnIncludeList"].get(table.name)
        if (
            column is None
            or column.name in listed["ColumnExcludeList"].get(table.name, ())
            or (included is not None and column.name not in included)
        ):
            raise column_refused(name if column is None else column.name, table.name)
        return column

    @property
    def _true_names(self) -> Mapping[str, str]:
        return {name.upper(): name for name in self.tables}

    def _allowed(self, name: str) -> bool:
        if name in self.removed:
            return False
        # User tables work from feature pack 2102 on.
        return (
            name in published_list()["TableList"]
            or name in self.added
            or (name.startswith("@") and name in self.tables)
        )


def find_column(table: SqlTable, name: str) -> SqlColumn | None:
    """Return a table's column by its name in any case, None if there is none."""
    folded = name.upper()
    return next((each for each in table.columns if each.name.upper() == folded), None)
