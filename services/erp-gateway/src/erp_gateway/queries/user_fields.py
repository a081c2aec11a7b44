"""Definitions of user-defined fields, read from the ERP's own tables `CUFD`, `UFD1` and `OUTB`.

Naming in those tables (SAP Business One SDK 10.0, and public programs that read them): `AliasID` has no `U_`
prefix. A user table has its `@` in `CUFD.TableID` and in its own name, but not in `CUFD.RTable` and
`OUTB.TableName`. A field of one marketing document is a field of all of them, so a document's table without a
row of its own is looked up under `OINV`, its lines under `INV1`.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Final

import structlog
from attrs import frozen

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.errors import UnknownColumn, UnknownTable, UserFieldNotFound
from erp_gateway.queries.sql.statement import quoted_name
from erp_gateway.queries.values import Value
from servicekit.errors import FieldProblem, InvalidPath

MAX_NAME: Final = 50
"""Characters of a table's or field's name: the length of `CUFD.AliasID`, the longer of the two."""

_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_QUEUE: Final = "user fields"
_BAD_NAME: Final = f"Solo se admiten letras sin acento, números y '_', hasta {MAX_NAME}."
_DOCUMENTS: Final = (
    "CPI|CPV|CSI|CSV|DLN|DPI|DPO|DRF|IGE|IGN|INV|PCH|PDN|POR|PQT|PRQ|PRR|QUT|RDN|RDR|RIN|RPC|RPD|RRR|WTQ|WTR"
)
_HEADER: Final = re.compile(f"O(?:{_DOCUMENTS})")
_LINES: Final = re.compile(f"(?:{_DOCUMENTS})1")


def _select(table: str, *columns: str, rest: str = "") -> str:
    """Build a query of columns that must exist."""
    # SQLite treats a quoted name that is not a column as a text
    # (https://www.sqlite.org/quirks.html#dblquote), unless it is qualified with its table. It also names a
    # result column as the table does, in any letter case.
    columns_sql = ", ".join(f'T."{column}" AS "{column}"' for column in columns)
    return f"SELECT {columns_sql} FROM {quoted_name(table)} T {rest}"  # noqa: S608 - quoted, and checked where foreign


_FIELD_SQL: Final = _select(
    "CUFD",
    *("TableID", "FieldID", "AliasID", "Descr", "TypeID", "EditType", "SizeID", "EditSize", "RTable"),
    rest='WHERE UPPER(T."TableID") IN (?, ?, ?) AND UPPER(T."AliasID") IN (?, ?)',
)
_VALUES_SQL: Final = _select(
    "UFD1",
    *("FldValue", "Descr"),
    rest='WHERE T."TableID" = ? AND T."FieldID" = ? ORDER BY T."IndexID"',
)
_TABLE_SQL: Final = _select("OUTB", "TableName", rest='WHERE UPPER(T."TableName") IN (?, ?)')

_TYPES: Final = {"A": "text", "M": "memo", "N": "integer", "D": "date", "B": "decimal"}
_TIME: Final = "T"
_PREFIX: Final = "U_"

_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class ValidValue:
    """One value that the field may have."""

    value: str
    description: str


@frozen(kw_only=True)
class LinkedRow:
    """One row of the linked user table."""

    code: str
    name: str


@frozen(kw_only=True)
class LinkedTable:
    """User table with the allowed values of a field.

    Attributes:
        table: without its `@`.
        rows: empty for a table that has no `Code` and `Name`, as those of document objects.
        truncated: whether it has more rows than `ERPDB_MAX_ROWS`.
    """

    table: str
    rows: tuple[LinkedRow, ...]
    truncated: bool


@frozen(kw_only=True)
class UserField:
    """A user-defined field.

    Attributes:
        table: the requested table in the ERP's spelling, without `@`.
        alias: without `U_`.
        description: its title.
        type: `text`, `memo`, `integer`, `decimal`, `date` or `time`.
        size: maximum characters or digits.
        valid_values: empty when any value is allowed.
        linked_table: None for a field without one.
    """

    table: str
    alias: str
    description: str
    type: str
    size: int
    valid_values: tuple[ValidValue, ...]
    linked_table: LinkedTable | None


def check_names(table: str, alias: str) -> None:
    """Refuse names that can't be those of a table and a field.

    Raises:
        InvalidPath: with `errors`.
    """
    problems = [
        FieldProblem(path, _BAD_NAME)
        for path, name in (("table", table), ("alias", alias))
        if len(name) > MAX_NAME or not _NAME.fullmatch(name)
    ]
    if problems:
        raise InvalidPath(errors=problems)


class UserFieldSource:
    """Reads definitions from the database.

    Args:
        client: runs the reads, each on a connection of its own.
    """

    def __init__(self, client: DatabaseClient) -> None:
        self._client = client

    async def read(self, table: str, alias: str) -> UserField:
        """Read one definition with its values.

        Args:
            table: `ORDR`, or a user table with neither `@` nor regard to letter case.
            alias: with or without `U_`.

        Raises:
            InvalidPath: one of them is not a valid name.
            UserFieldNotFound: there is no such field.
            ServiceError: a failure of the database.
        """
        check_names(table, alias)
        row = await self._field(table, alias)
        where: list[Value] = [_text(row["TableID"]), Decimal(_number(row["FieldID"]))]
        values = await self._client.read(_QUEUE, _VALUES_SQL, where)
        return UserField(
            table=_shown_table(_text(row["TableID"]), table),
            alias=_text(row["AliasID"]),
            description=_text(row["Descr"]),
            type=_type(_text(row["TypeID"]), _text(row["EditType"])),
            size=_number(row["EditSize"]) or _number(row["SizeID"]),
            valid_values=tuple(
                ValidValue(value=_text(each["FldValue"]), description=_text(each["Descr"]))
                for each in values.rows
            ),
            linked_table=await self._linked_table(_text(row["RTable"]).strip()),
        )

    async def _field(self, table: str, alias: str) -> Mapping[str, object]:
        """Return the row of `CUFD` that fits best: first as a table, then as a user table or document."""
        tables, aliases = _table_names(table), _alias_names(alias)
        definitions = await self._client.read(_QUEUE, _FIELD_SQL, [*tables, *aliases])

        def rank(row: Mapping[str, object]) -> tuple[object, ...]:
            table_id, alias_id = _text(row["TableID"]), _text(row["AliasID"])
            return (
                tables.index(table_id.upper()),
                aliases.index(alias_id.upper()),
                table_id.removeprefix("@") != table,
                alias_id not in (alias, alias[len(_PREFIX) :]),
            )

        if not definitions.rows:
            raise UserFieldNotFound
        return min(definitions.rows, key=rank)

    async def _linked_table(self, linked_name: str) -> LinkedTable | None:
        """Read the codes of a linked user table."""
        # Its name comes from the field's definition and becomes part of the SQL, where it can't be bound, so
        # it must be a plain name of a user table.
        name = linked_name.removeprefix("@")
        if not name:
            return None
        if not _NAME.fullmatch(name):
            _log.warning("linked_table_refused", table=name)
            return None
        tables = await self._client.read(_QUEUE, _TABLE_SQL, [name.upper(), f"@{name.upper()}"])
        if not tables.rows:
            _log.warning("linked_table_unknown", table=name)
            return None
        names = [_text(row["TableName"]).removeprefix("@") for row in tables.rows]
        stored = name if name in names else names[0]
        sql = _select(f"@{stored}", "Code", "Name", rest='ORDER BY T."Code"')
        try:
            rows = await self._client.read(_QUEUE, sql, [])
        except UnknownColumn:
            return LinkedTable(table=stored, rows=(), truncated=False)
        except UnknownTable:
            _log.warning("linked_table_missing", table=stored)
            return None
        linked = tuple(
            LinkedRow(code=_text(row["Code"]), name=_text(row["Name"]))
            for row in rows.rows
            if row["Code"] is not None  # A file may contain such a row, but the field can't have that value.
        )
        return LinkedTable(table=stored, rows=linked, truncated=rows.truncated)


def _table_names(table: str) -> list[str]:
    name = table.upper()
    fallback = "OINV" if _HEADER.fullmatch(name) else "INV1" if _LINES.fullmatch(name) else name
    return [name, f"@{name}", fallback]


def _alias_names(alias: str) -> list[str]:
    """Return both interpretations of an alias: its own name may begin with `U_`."""
    name = alias.upper()
    return [name, name.removeprefix(_PREFIX) or name]


def _shown_table(table_id: str, requested: str) -> str:
    name = table_id.removeprefix("@")
    return name if name.upper() == requested.upper() else requested.upper()


def _type(type_id: str, edit_type: str) -> str:
    return "time" if (type_id, edit_type) == ("D", _TIME) else _TYPES.get(type_id, "text")


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _number(value: object) -> int:
    return int(value) if isinstance(value, int | float | Decimal) else 0
