"""The registered queries: declared in code, checked once at startup, found by name."""

from collections.abc import Iterable, Mapping
from typing import Literal

from attrs import frozen


@frozen(kw_only=True)
class QueryParameter:
    """A parameter of a query.

    Attributes:
        name: as `:name` in the SQL and as a member of `params` in a request.
        type: what a value must be: a text, a number (any digits) or a day as `YYYY-MM-DD`.
    """

    name: str
    type: Literal["string", "number", "date"]


@frozen(kw_only=True)
class Query:
    """One read-only query.

    Attributes:
        name: how it is called, as in `stock_by_warehouse`; unique.
        title: what people see.
        sql: the text for each engine (`hana`, `sqlite`): one SELECT or WITH, parameters as `:name`.
        parameters: every parameter of the SQL.
        menu: menu route that suffices to run it; None for any session.
        max_rows: most rows of an answer, below the configured maximum; None for that maximum.
    """

    name: str
    title: str
    sql: Mapping[str, str]
    parameters: tuple[QueryParameter, ...] = ()
    menu: str | None = None
    max_rows: int | None = None


class QueryRegistryError(Exception):
    """Declarations that can't be served.

    Attributes:
        problems: one sentence for each fault, beginning with the query's name and, where it lies in a text,
            the engine.
    """

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("; ".join(self.problems))


class QueryRegistry:
    """The declared queries.

    Args:
        queries: one declaration for each name.

    Raises:
        QueryRegistryError: with all faults of all declarations.
    """

    def __init__(self, queries: Iterable[Query]) -> None:
        self._queries = {query.name: query for query in queries}

    @property
    def queries(self) -> tuple[Query, ...]:
        """All declarations, by name."""
        return tuple(self._queries[name] for name in sorted(self._queries))

    def find(self, name: str) -> Query | None:
        """Return the query of this exact name, or None."""
        return self._queries.get(name)
