"""Request and response bodies of the registered queries."""

from typing import Any

from attrs import frozen

from erp_gateway.queries.registry import ParameterType
from erp_gateway.values.measures import Measure
from erp_gateway.values.parameters.declare import (
    ParameterInput,
)


@frozen(kw_only=True)
class ParameterItem:
    """A parameter as clients see it."""

    name: str
    type: ParameterType
    label: str | None
    input: ParameterInput


@frozen(kw_only=True)
class QueryItem:
    """A query as clients see it, without its SQL. `titles` holds column headings, as in files.

    `measures` holds the currency or unit of numbers.
    """

    name: str
    title: str
    parameters: tuple[ParameterItem, ...]
    titles: dict[str, str]
    measures: dict[str, Measure]
    max_rows: int
    paged: bool
    cache_s: int


@frozen(kw_only=True)
class QueriesAnswer:
    """The queries that the person may run, by name."""

    items: tuple[QueryItem, ...]


@frozen(kw_only=True)
class RunQuery:
    """Request to run a query: a value for each parameter, and optionally a page."""

    params: dict[str, Any]
    limit: int | None = None
    offset: int | None = None
