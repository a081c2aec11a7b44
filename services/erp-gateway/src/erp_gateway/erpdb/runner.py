"""Running registered queries: parameters checked, a place waited for, rows and columns returned."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol, TypeAlias

from attrs import frozen

from erp_gateway.erpdb.registry import Query
from servicekit.errors import NotConfigured

Gone: TypeAlias = Callable[[], Awaitable[object]]
"""Returns when the client who asked has gone away."""


@frozen
class QueryResult:
    """What a query returned.

    Attributes:
        columns: names, in the order of the SELECT.
        rows: one mapping per row: None, bool, int, float, Decimal, str, bytes, date, time or datetime.
        truncated: whether the row cap cut the rows.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, object]]
    truncated: bool


class QueryRunner(Protocol):
    """What runs registered queries."""

    @property
    def queries(self) -> tuple[Query, ...]:
        """All registered queries, by name.

        Raises:
            NotConfigured: no engine is configured.
        """
        ...

    def find(self, name: str) -> Query:
        """Return the query of this exact name.

        Raises:
            QueryNotFound: there is none.
            NotConfigured: no engine is configured.
        """
        ...

    async def run(
        self,
        name: str,
        params: Mapping[str, object],
        *,
        timeout_s: float | None = None,
        gone: Gone | None = None,
    ) -> QueryResult:
        """Run a query. Permissions and the audit are the caller's.

        Args:
            name: the query.
            params: a value for each declared parameter, as JSON gives it (text, number, ISO day) or as Python
                has it (`int`, `float`, `Decimal`, `date`).
            timeout_s: longest run, below the configured maximum; that maximum when omitted.
            gone: returns when nobody waits for the result any more; the query is then given up.

        Raises:
            ServiceError: 404 for an unknown query, 400 with `errors` for bad parameters, 502, 503 and 504 for
                what the database did.
        """
        ...


class UnconfiguredQueryRunner:
    """Stands in while no engine is configured: every use raises `NotConfigured`."""

    @property
    def queries(self) -> tuple[Query, ...]:
        """Raise `NotConfigured`."""
        raise NotConfigured

    def find(self, name: str) -> Query:  # noqa: ARG002 - the interface's signature
        """Raise `NotConfigured`."""
        raise NotConfigured

    async def run(
        self,
        name: str,  # noqa: ARG002 - the interface's signature
        params: Mapping[str, object],  # noqa: ARG002 - the interface's signature
        *,
        timeout_s: float | None = None,  # noqa: ARG002 - the interface's signature
        gone: Gone | None = None,  # noqa: ARG002 - the interface's signature
    ) -> QueryResult:
        """Raise `NotConfigured`."""
        raise NotConfigured
