"""Request and response bodies of the registered queries."""

from typing import Any

from attrs import frozen

from erp_gateway.queries.registry import ParameterType
from erp_gateway.values.measures import Measure
from erp_gateway.values.parameters.declare import (
    ParameterInput,
)
from erp_gateway.values.query_views import Chart, RecordLink


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

    `measures` holds the currency or unit of numbers, `links` the columns that lead to records, and `chart`
    the columns of a chart.
    """

    name: str
    title: str
    parameters: tuple[ParameterItem, ...]
    titles: dict[str, str]
    measures: dict[str, Measure]
    links: dict[str, RecordLink]
    chart: Chart | None
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


@frozen(kw_only=True)
class CountQuery:
    """What the rows of a query are counted with: a value for each of its parameters, by name."""

    params: dict[str, Any]


@frozen(kw_only=True)
class QueryCount:
    """Number of rows of a query; null for a query that can't be counted (`WITH … SELECT`)."""

    total: int | None
