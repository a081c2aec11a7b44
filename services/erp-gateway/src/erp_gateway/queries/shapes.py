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
    """A query as clients see it; its SQL stays here. `titles` heads columns for people, as it does in files.

    `measures` says of which currency or unit numbers are.
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
    """What a query is run with: a value for each of its parameters, by name, and which rows are wanted."""

    params: dict[str, Any]
    limit: int | None = None
    offset: int | None = None
