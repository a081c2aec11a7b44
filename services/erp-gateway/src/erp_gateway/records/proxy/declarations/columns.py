"""Columns of resources: declarations and the functions that make them."""

from typing import Literal, TypeAlias

from attrs import frozen

from erp_gateway.values.measures import Measure

ColumnType: TypeAlias = Literal["text", "integer", "number", "date", "choice"]
ColumnSearch: TypeAlias = Literal["code", "name"]


@frozen(kw_only=True)
class Choice:
    """One value of a `choice`, as the ERP writes it, and its title."""

    value: str
    title: str


@frozen(kw_only=True)
class Lookup:
    """The resource whose keys a field holds.

    Attributes:
        resource: the resource.
        filter: `$filter` for the records that may be chosen; None: any record.
        shows: properties that help to choose a record, its name first.
    """

    resource: str
    filter: str | None
    shows: tuple[str, ...]


@frozen(kw_only=True)
class Column:
    """One property worth a column in a table, a part of a filter, or a place in the order.

    Attributes:
        name: the property, spelt as the Service Layer spells it.
        title: its title in Spanish.
        type: how its values are written and compared; a `choice` is compared as a text.
        choices: the values of a `choice`.
        search: whether a search in the list covers it: as a `code` (a number or a code of the record) or as a
            `name`; None if not.
        lookup: the resource whose keys it holds, if declared.
        measure: the currency or unit of its numbers, if declared.
    """

    name: str
    title: str
    type: ColumnType
    choices: tuple[Choice, ...] = ()
    search: ColumnSearch | None = None
    lookup: Lookup | None = None
    measure: Measure | None = None


Columns: TypeAlias = tuple[Column, ...]


def text(name: str, title: str, search: ColumnSearch | None = None) -> Column:
    """Declare a text column."""
    return Column(name=name, title=title, type="text", search=search)


def integer(name: str, title: str, search: ColumnSearch | None = None) -> Column:
    """Declare an integer column."""
    return Column(name=name, title=title, type="integer", search=search)


def number(name: str, title: str) -> Column:
    """Declare a column of amounts or other numbers."""
    return Column(name=name, title=title, type="number")


def date(name: str, title: str) -> Column:
    """Declare a date column."""
    return Column(name=name, title=title, type="date")


def choice(name: str, title: str, **titles: str) -> Column:
    """Declare a column with few values, each with its title."""
    choices = tuple(Choice(value=value, title=each) for value, each in titles.items())
    return Column(name=name, title=title, type="choice", choices=choices)


def yes_no(name: str, title: str) -> Column:
    """Declare a column of the ERP's `tYES` and `tNO`."""
    return choice(name, title, tYES="Sí", tNO="No")
