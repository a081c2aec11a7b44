"""Columns of database tables: their types and the form of their values."""

from __future__ import annotations

import enum
from collections.abc import Callable
from decimal import Decimal
from typing import Final, TypeAlias

import attrs

from erpsim.company.exchange import Value
from erpsim.facts.lengths import COLUMN_LENGTHS
from erpsim.facts.model import EDM_DATE, EDM_DOUBLE, EDM_STRING, EDM_TIME, EnumFacts

SqlValue: TypeAlias = "str | int | Decimal | None"
"""A value in a table: text (timestamps as `2025-11-03 00:00:00`), whole numbers, exact decimals, NULL."""


class SqlType(enum.Enum):
    """Column types as HANA calls them."""

    INTEGER = "INTEGER"
    SMALLINT = "SMALLINT"
    DECIMAL = "DECIMAL"
    NVARCHAR = "NVARCHAR"
    NCLOB = "NCLOB"
    TIMESTAMP = "TIMESTAMP"


DECIMAL_DIGITS: Final = 21
DECIMAL_SCALE: Final = 6
"""Amounts and quantities are `DECIMAL(21,6)` (hdbcli users' reports on B1 tables)."""
TEXT_LENGTH: Final = 254
KNOWN_LENGTHS: Final = {
    **COLUMN_LENGTHS,
    "TableID": 20,
    "AliasID": 50,
    "TableName": 20,
    "Code": 50,
    "Name": 100,
}
"""Lengths of columns in tables; other text is `NVARCHAR(254)`."""


@attrs.frozen
class SqlColumn:
    """A column of a table.

    Args:
        name: as the database spells it.
        type: see `SqlType`.
        length: characters of a text, digits of a number.
        scale: decimals.
    """

    name: str
    type: SqlType
    length: int = 0
    scale: int = 0

    @classmethod
    def text(cls, name: str, length: int | None = None) -> SqlColumn:
        """Return a text column."""
        return cls(name, SqlType.NVARCHAR, length or KNOWN_LENGTHS.get(name, TEXT_LENGTH))

    @classmethod
    def integer(cls, name: str) -> SqlColumn:
        """Return a column of whole numbers."""
        return cls(name, SqlType.INTEGER, 10)

    @classmethod
    def decimal(cls, name: str) -> SqlColumn:
        """Return a column of amounts, prices or quantities."""
        return cls(name, SqlType.DECIMAL, DECIMAL_DIGITS, DECIMAL_SCALE)


def column_for(name: str, type_name: str, enum_facts: EnumFacts | None) -> SqlColumn:
    """Return the column that holds a property of this type."""
    if enum_facts is not None:
        longest = max((len(value) for value in enum_facts.members.values()), default=1)
        return SqlColumn(name, SqlType.NVARCHAR, max(1, longest))
    if type_name == EDM_STRING:
        return SqlColumn.text(name)
    if type_name == EDM_DOUBLE:
        return SqlColumn.decimal(name)
    if type_name == EDM_DATE:
        return SqlColumn(name, SqlType.TIMESTAMP, 27, 7)
    if type_name == EDM_TIME and not name.upper().endswith("TS"):
        return SqlColumn(name, SqlType.SMALLINT, 5)
    return SqlColumn.integer(name)


def converter(column: SqlColumn, type_name: str, enum_facts: EnumFacts | None) -> Callable[[Value], SqlValue]:
    """Return the function that turns a property's value into a column's."""
    if enum_facts is not None:
        members = enum_facts.members
        return lambda value: members.get(value) if isinstance(value, str) else None
    if type_name == EDM_DATE:
        return lambda value: f"{value} 00:00:00" if isinstance(value, str) else None
    if type_name == EDM_TIME:
        return _whole_time if column.type is SqlType.INTEGER else _short_time
    return _as_it_is


def _as_it_is(value: Value) -> SqlValue:
    return value if isinstance(value, str | int | Decimal) else None


def _short_time(value: Value) -> SqlValue:
    """Return a time of day in the tables' form: 18:30 is 1830."""
    return int(value[:5].replace(":", "")) if isinstance(value, str) else None


def _whole_time(value: Value) -> SqlValue:
    """Return a time with seconds in the form of columns `...TS`: 18:30:00 is 183000."""
    return int(value.replace(":", "")) if isinstance(value, str) else None
