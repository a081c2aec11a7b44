"""Columns of an exported list."""

from collections.abc import Container, Iterator
from typing import Any

from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.records.proxy.declarations.meanings import measure_of, with_meanings
from erp_gateway.records.proxy.declarations.resource import Resource
from erpclient.odata import ListQuery


def requested_columns(query: ListQuery, resource: Resource) -> tuple[Column, ...] | None:
    """Return the columns that the client selected, or else the resource's own; None if neither names any."""
    columns = with_meanings(resource)
    if query.select is None:
        return columns or None
    if "*" in query.select:
        return None
    declared = {column.name: column for column in columns}
    names = dict.fromkeys(name.partition("/")[0] for name in query.select)
    return tuple(declared.get(name) or _undeclared_column(name, {*declared, *names}) for name in names)


def columns_of_rows(rows: list[dict[str, Any]]) -> Iterator[Column]:
    """Yield a column for each property of the rows that holds a plain value."""
    names = dict.fromkeys(
        name for row in rows for name, value in row.items() if not isinstance(value, dict | list)
    )
    return (_undeclared_column(name, names) for name in names if "odata." not in name)


def heading_of(column: Column, local_code: str | None) -> str:
    """Return the title of a column.

    An amount in the company's currency names that currency: the column beside it may name the document's.
    """
    measure = column.measure
    is_local = measure is not None and measure.kind == "amount" and measure.by is None
    return f"{column.title} ({local_code})" if is_local and local_code else column.title


def currency_columns(columns: tuple[Column, ...]) -> list[str]:
    """Return the properties that hold the currencies of amounts among the columns."""
    measures = [column.measure for column in columns if column.measure]
    return [each.by for each in measures if each.kind == "amount" and each.by]


def has_amounts(columns: tuple[Column, ...]) -> bool:
    """Return whether a column holds amounts."""
    return any(column.measure is not None and column.measure.kind == "amount" for column in columns)


def _undeclared_column(name: str, available: Container[str]) -> Column:
    measure = measure_of(name, available)
    return Column(name=name, title=name, type="date" if "Date" in name else "text", measure=measure)
