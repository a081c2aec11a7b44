"""Declared tables of a report, and their rows."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, time
from decimal import Decimal
from typing import Final

from attrs import field, frozen

from erp_gateway.files.exports.options import ExportFormat, ExportOptions
from erp_gateway.values.declarations import ADD_A_COMMA
from servicekit.errors import FieldProblem, InvalidQuery

TABLE: Final = "tabla"
"""The parameter of a request that chooses among them."""

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
_CELLS: Final = (bool, int, float, Decimal, str, bytes, date, time)


@frozen(kw_only=True)
class ReportColumn:
    """A column of a table.

    Attributes:
        name: key of the value in a row that is a mapping; otherwise an attribute.
        title: its heading.
    """

    name: str
    title: str


def _columns_in_order(columns: Iterable[ReportColumn]) -> tuple[ReportColumn, ...]:
    if isinstance(columns, ReportColumn):
        raise TypeError(f"columns must be a tuple: {ADD_A_COMMA}")
    return tuple(columns)  # a function of ours, because mypy cannot infer the class as a converter


@frozen(kw_only=True)
class ReportTable:
    """A table of a report that can be exported as CSV or XLSX.

    Attributes:
        name: key of the row list in the result of the data function, and value of `tabla` in a request.
        title: displayed title, also of the sheet of an XLSX.
        columns: from left to right.
    """

    name: str
    title: str
    columns: tuple[ReportColumn, ...] = field(converter=_columns_in_order)


@frozen(kw_only=True)
class TableRows:
    """A table, and each of its rows as a list of values in the order of its columns."""

    table: ReportTable
    rows: list[list[object]]


class TableFailedError(Exception):
    """A data function did not return the rows that its report declares.

    Attributes:
        table: name of the table.
        missing: the missing name; None if it exists with an invalid value.
        existing: the existing names.
    """

    def __init__(
        self, table: ReportTable, reason: str, *, missing: str | None = None, existing: Iterable[str] = ()
    ) -> None:
        super().__init__(f"table {table.name!r}: {reason}")
        self.table = table
        self.missing = missing
        self.existing = tuple(existing)


def table_problems(tables: Sequence[ReportTable]) -> Iterator[str]:
    """Yield the problems of the tables that one report declares, one sentence each."""
    names: set[str] = set()
    for table in tables:
        if table.name in names:
            yield f"table {table.name!r} is declared twice"
        names.add(table.name)
        yield from (f"table {table.name!r}: {problem}" for problem in _table_faults(table))


def _table_faults(table: ReportTable) -> Iterator[str]:
    if not _NAME.fullmatch(table.name):
        yield "the name must be 1 to 64 letters, digits and underscores, and begin with no digit"
    if not table.title.strip():
        yield "it has no title"
    if not table.columns:
        yield "it has no columns"
    names = [column.name for column in table.columns]
    titles = [column.title for column in table.columns]
    for column in table.columns:
        if not column.title.strip():
            yield f"the column {column.name!r} has no title"
    yield from (f"the column {name!r} stands there twice" for name in _repeated(names))
    yield from (f"two columns are called {title!r}" for title in _repeated(titles))


def _repeated(words: Sequence[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if words.count(word) > 1]


def chosen_tables(
    tables: Sequence[ReportTable], options: ExportOptions, name: str | None
) -> Sequence[ReportTable]:
    """Return the tables for a file: all of them for an XLSX, one for a CSV.

    Args:
        tables: the report's.
        options: the kind of file.
        name: the requested one; None for any.

    Raises:
        InvalidQuery: the report has none, or none of this name, or one must be chosen.
    """
    if not tables:
        raise InvalidQuery(errors=[FieldProblem("formato", "Este informe no tiene tablas que exportar.")])
    names = ", ".join(table.name for table in tables)
    if name is not None:
        rows = [table for table in tables if table.name == name]
        if not rows:
            raise InvalidQuery(errors=[FieldProblem(TABLE, f"Valores posibles: {names}")])
        return rows
    if options.format is ExportFormat.CSV and len(tables) > 1:
        raise InvalidQuery(
            errors=[FieldProblem(TABLE, f"Un CSV lleva una sola tabla. Elija una de estas: {names}")]
        )
    return tables


def rows_of(table: ReportTable, names: Mapping[str, object]) -> TableRows:
    """Return the rows of a table in the result of the data function.

    Raises:
        TableFailedError: they are missing, or deviate from the declaration.
    """
    if table.name not in names:
        raise TableFailedError(
            table, f"its data function returned no {table.name!r}", missing=table.name, existing=names
        )
    rows = names[table.name]
    if isinstance(rows, str | bytes) or not isinstance(rows, Sequence):
        raise TableFailedError(table, f"its rows must be a list, not of type {type(rows).__name__}")
    return TableRows(
        table=table, rows=[[_cell(table, row, column.name) for column in table.columns] for row in rows]
    )


def _cell(table: ReportTable, row: object, name: str) -> object:
    try:
        value = row[name] if isinstance(row, Mapping) else getattr(row, name)
    except (KeyError, AttributeError):
        existing = [str(each) for each in row] if isinstance(row, Mapping) else dir(row)
        raise TableFailedError(table, f"a row has no {name!r}", missing=name, existing=existing) from None
    if value is not None and not isinstance(value, _CELLS):
        raise TableFailedError(table, f"{name!r} is of type {type(value).__name__}, which no cell holds")
    return value
