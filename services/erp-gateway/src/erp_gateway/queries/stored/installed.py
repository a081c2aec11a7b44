"""Which stored queries the ERP has, at which version."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from enum import Enum
from typing import Final

import msgspec
import structlog
from attrs import frozen

from erp_gateway.queries.stored.declaration import StoredQuery
from erp_gateway.queries.stored.errors import StoredQueryNewer, StoredQueryNotInstalled
from erp_gateway.queries.stored.registry import StoredQueryRegistry
from erpclient import Caller, ErpClient, ErpError, InternalLane
from erpclient.odata import ListQuery
from servicekit.clock import Clock
from servicekit.errors import ServiceError

SQL_QUERIES: Final = "SQLQueries"

READ_AGAIN_AFTER_S: Final = 60.0
"""Minimum time between two reads of the installed versions while a query is not current.

The Service Layer takes about a minute to notice a changed query (SAP manual 1.29, 4.11).
"""

_LANE: Final = InternalLane("stored_queries")

_log = structlog.get_logger(__name__)


class QueryState(Enum):
    """How the installed query compares to the declared one."""

    CURRENT = "current"
    MISSING = "missing"
    OLDER = "older"
    NEWER = "newer"


@frozen
class InstalledQuery:
    """A declared query and the version that the ERP has.

    Attributes:
        query: the declaration.
        version: the installed version; None if the query is missing, 0 if its name states no version.
    """

    query: StoredQuery
    version: int | None

    @property
    def state(self) -> QueryState:
        """How it compares to the declaration."""
        if self.version is None:
            return QueryState.MISSING
        if self.version == self.query.version:
            return QueryState.CURRENT
        return QueryState.OLDER if self.version < self.query.version else QueryState.NEWER


class _Row(msgspec.Struct):
    code: str = msgspec.field(name="SqlCode")
    name: str | None = msgspec.field(name="SqlName", default=None)


async def read_installed(client: ErpClient, queries: Iterable[StoredQuery]) -> tuple[InstalledQuery, ...]:
    """Read the installed versions of declared queries in one call.

    Raises:
        ErpError: the ERP could not be read.
    """
    wanted = tuple(queries)
    condition = " or ".join(f"SqlCode eq '{query.code}'" for query in wanted)
    page = await client.list(
        SQL_QUERIES,
        ListQuery(select=("SqlCode", "SqlName"), filter=condition, top=len(wanted)),
        caller=Caller(_LANE),
    )
    names = {row.code: row.name for row in msgspec.json.decode(page.rows, type=list[_Row])}
    return tuple(
        InstalledQuery(query, query.version_in(names[query.code]) if query.code in names else None)
        for query in wanted
    )


class InstalledQueries:
    """Remembers which stored queries are current.

    Queries that are not current are read again once a minute at most, by the next person who runs one.

    Args:
        client: the ERP.
        registry: the declared queries.
        clock: time.
    """

    def __init__(self, client: ErpClient, registry: StoredQueryRegistry, clock: Clock) -> None:
        self._client = client
        self._registry = registry
        self._clock = clock
        self._states: dict[str, QueryState] = {}
        self._read_at_s: float | None = None
        self._reading = asyncio.Lock()

    async def check(self, query: StoredQuery) -> None:
        """Check that the ERP has this version of a query.

        Raises:
            StoredQueryNotInstalled: it is missing or older.
            StoredQueryNewer: it is newer.
            ErpError: the ERP could not be read.
        """
        if self._states.get(query.name) is not QueryState.CURRENT:
            async with self._reading:
                if self._is_due():
                    await self._read()
        match self._states[query.name]:
            case QueryState.CURRENT:
                return
            case QueryState.NEWER:
                raise StoredQueryNewer
            case QueryState.MISSING | QueryState.OLDER:
                raise StoredQueryNotInstalled

    def forget(self) -> None:
        """Read the versions again before the next run, after the ERP said that a query does not exist."""
        self._states.clear()
        self._read_at_s = None

    async def compare(self) -> None:
        """Read the versions and log those that differ. A failure is logged and nothing else."""
        try:
            async with self._reading:
                await self._read()
        except (ErpError, ServiceError, msgspec.DecodeError) as error:
            _log.warning("stored_queries_not_compared", reason=str(error))

    def _is_due(self) -> bool:
        return self._read_at_s is None or self._clock.monotonic() >= self._read_at_s + READ_AGAIN_AFTER_S

    async def _read(self) -> None:
        installed = await read_installed(self._client, self._registry.queries)
        self._states = {each.query.name: each.state for each in installed}
        self._read_at_s = self._clock.monotonic()
        differing = {
            name: state.value for name, state in self._states.items() if state is not QueryState.CURRENT
        }
        if differing:
            _log.warning(
                "stored_queries_differ", queries=differing, remedy="run `erp-gateway queries install`"
            )


@asynccontextmanager
async def open_installed(
    client: ErpClient, registry: StoredQueryRegistry, clock: Clock
) -> AsyncIterator[InstalledQueries]:
    """Open the versions; compare them in the background, so that an ERP that is away delays no start."""
    installed = InstalledQueries(client, registry, clock)
    comparing = asyncio.create_task(installed.compare()) if registry.queries else None
    try:
        yield installed
    finally:
        if comparing is not None:
            comparing.cancel()
            await asyncio.wait({comparing})
