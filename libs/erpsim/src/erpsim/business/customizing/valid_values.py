"""User fields with a list of valid values take nothing else, not even an empty text (-1004, seen live)."""

from __future__ import annotations

from collections.abc import Iterable

from erpsim.company.company import Company
from erpsim.company.errors import bad_value
from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.row_types import RowType


def check_valid_values(company: Company, row_type: RowType, fields: Fields) -> None:
    """Check the user fields of a body, the rows of its collections included.

    Raises:
        SlError: -1004 for a value that the field's definition does not list.
    """
    for name, value in fields.items():
        if name in row_type.collections:
            for row in rows_of(fields, name):
                check_valid_values(company, row_type.collections[name], row)
        elif name.startswith("U_") and value is not None:
            allowed = _valid_values(company, row_type.type.tables, name.removeprefix("U_"))
            if allowed and value not in allowed:
                raise bad_value(value, name)


def _valid_values(company: Company, tables: Iterable[str], name: str) -> frozenset[str]:
    return next((valid for table in tables if (valid := company.valid_values(table, name))), frozenset())
