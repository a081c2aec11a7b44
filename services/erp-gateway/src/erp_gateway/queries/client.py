"""The client of the ERP's database: parameters checked, a place waited for, rows and columns returned."""

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, cast

import structlog
from attrs import evolve, frozen

from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.engines.engine import Engine, Work
from erp_gateway.queries.engines.reading_threads import ReadingThreads
from erp_gateway.queries.engines.rows import Rows, ValueDoesNotFitError
from erp_gateway.queries.errors import NumberDoesNotFit, QueryNotFound, QueryOrderNotTotal
from erp_gateway.queries.pages import (
    COUNT_AFTER,
    COUNT_BEFORE,
    PAGE_CLAUSE,
    Bounds,
    Page,
    check_order,
    read_page,
)
from erp_gateway.queries.registry import MAX_ROWS, DeclaredQuery, Query, QueryRegistry
from erp_gateway.queries.sql.statement import Statement
from erp_gateway.queries.values import Value, read_values
from erpclient import InternalLane, QueueRules
from servicekit.erp.errors import QueueIsFull, QueueWaitTooLong
from servicekit.erp.observed_queue import ObservedQueue, QueueObserver
from servicekit.errors import NotConfigured, ShuttingDown

WAITING_PER_USER: Final = 64
"""Maximum number of waiting requests of one user; the total limit is four times as many."""

# Up to so many rows are compared faster than handed to a thread.
_CHECKED_AT_ONCE: Final = 1000

_FULL: Final = "Hay demasiadas consultas en espera. Inténtelo en unos segundos."
_TOO_LONG: Final = "La consulta esperó demasiado su turno y no se ejecutó; puede repetirla."

_log = structlog.get_logger(__name__)


@frozen
class QueryResult(Rows):
    """Result of a query.

    Attributes:
        columns: names, in the order of the SELECT.
        rows: one mapping per row: None, bool, int, float, Decimal, str, bytes, date, time or datetime.
        truncated: whether further rows were cut off by the row cap or the page's limit.
        next_offset: offset of the further rows; None without any, or if the query can't be paged.
    """

    next_offset: int | None = None


class DatabaseClient:
    """Runs registered queries and single reads with limits on concurrency, time and rows.

    Users take turns. Permissions, audit and cache belong to the caller.

    Args:
        engine: connects and reads; None without a configured engine. Every use then raises `NotConfigured`.
        registry: the queries.
        places: maximum number of concurrent reads; one query uses at most half of them, but at least one.
        timeout_s: longest run, and longest wait for a place.
        max_rows: maximum rows of one response.
        observer: is notified of every read.

    Raises:
        RegistryError: a query has no SQL for the engine.
    """

    def __init__(
        self,
        engine: Engine | None,
        registry: QueryRegistry,
        *,
        places: int = 1,
        timeout_s: float = 30.0,
        max_rows: int = MAX_ROWS,
        observer: QueueObserver | None = None,
    ) -> None:
        self._engine = engine
        self._registry = registry
        self._statements = {} if engine is None else registry.statements(engine.name)
        self._timeout_s = timeout_s
        self._max_rows = max_rows
        rules = QueueRules(
            capacity=places,
            capacity_per_kind=places // 2,
            max_waiting=4 * WAITING_PER_USER,
            max_waiting_per_user=WAITING_PER_USER,
            wait_s=timeout_s,
            full=lambda _: QueueIsFull(_FULL),
            too_late=lambda: QueueWaitTooLong(_TOO_LONG),
            closed=ShuttingDown,
        )
        self._queue = ObservedQueue(rules, observer)
        self._threads = ReadingThreads(places)

    @property
    def queries(self) -> tuple[Query, ...]:
        """All registered queries, by name.

        Raises:
            NotConfigured: no engine is configured.
        """
        self._check_configured()
        return self._registry.queries

    def find(self, name: str) -> Query:
        """Return the query of this exact name.

        Raises:
            QueryNotFound: there is none.
            NotConfigured: no engine is configured.
        """
        self._check_configured()
        query = self._registry.find(name)
        if query is None:
            raise QueryNotFound
        return query

    def row_cap(self, query: DeclaredQuery) -> int:
        """Return the maximum number of rows of a query's response."""
        return min(query.max_rows or self._max_rows, self._max_rows)

    async def run(
        self, name: str, params: Mapping[str, object], *, user: str | None, page: Page | None = None
    ) -> QueryResult:
        """Run a query. Permissions and audit belong to the caller. Cancelling it cancels the read.

        Args:
            name: the query.
            params: a value for each declared parameter, as JSON gives it (text, number, ISO day) or as Python
                has it (`int`, `float`, `Decimal`, `date`).
            user: lane of the queue; None for a result shared by all users.
            page: requested rows; only a query with a total order accepts a limit or an offset.

        Raises:
            ServiceError: 404 for an unknown query; 400 with `errors` for invalid parameters or an invalid
                page; 500 if the order is not total; 502, 503 and 504 for failures of the database.
        """
        query = self.find(name)
        cap = self.row_cap(query)
        bounds = None if page is None else read_page(query, page, cap=cap)
        rows = await self._run(query, params, user=user, max_rows=cap, bounds=bounds)
        following = None if page is None else await self._following(query, rows, bounds)
        return QueryResult(rows.columns, rows.rows, rows.truncated, following)

    async def count(self, name: str, params: Mapping[str, object], *, user: str | None) -> int | None:
        """Count the rows of a query, however many a response may have.

        Args:
            name: the query.
            params: as for `run`.
            user: lane of the queue.

        Returns:
            The number; None if the text can't be counted.

        Raises:
            ServiceError: as `run`.
        """
        query = self.find(name)
        statement = self._statements[query.name]
        if not statement.is_countable:
            return None
        counting = evolve(statement, sql=f"{COUNT_BEFORE}{statement.sql}{COUNT_AFTER}")
        rows = await self._read_statement(query, counting, params, user=user, max_rows=1)
        [row] = rows.rows
        return cast("int", row[rows.columns[0]])  # both engines count in integers

    async def stream(
        self, name: str, params: Mapping[str, object], sink: TableSink, *, user: str | None, max_rows: int
    ) -> bool:
        """Run a query and pass its rows to a sink as they arrive, in another thread.

        Args:
            name: the query.
            params: as for `run`.
            sink: receives columns and rows.
            user: lane of the queue.
            max_rows: row cap; neither the configured one nor the query's own counts.

        Returns:
            whether further rows were cut off.

        Raises:
            ServiceError: as `run`, and errors of the sink.
        """
        rows = await self._run(self.find(name), params, user=user, max_rows=max_rows, sink=sink)
        return rows.truncated

    async def read(
        self,
        query: str,
        sql: str,
        values: Sequence[Value],
        *,
        user: str | None = None,
        timeout_s: float | None = None,
        max_rows: int | None = None,
        sink: TableSink | None = None,
    ) -> Rows:
        """Wait for a place and read. Cancelling the caller's task cancels both, also on the server.

        Args:
            query: label for the metrics.
            sql: a single read with `?`.
            values: values to bind.
            user: lane of the queue; None for a shared read, which has a separate lane.
            timeout_s: longest run, if shorter than the configured one.
            max_rows: row cap; the configured one if None.
            sink: receives the rows in the reading thread, instead of the result.

        Raises:
            NotConfigured: no engine is configured.
            ServiceError: a failure of the database, or a full queue.
            ValueDoesNotFitError: a number would be cut to fit its place.
        """
        engine = self._check_configured()
        work = Work(
            sql=sql,
            values=values,
            max_rows=max_rows or self._max_rows,
            timeout_s=min(timeout_s or self._timeout_s, self._timeout_s),
            sink=sink,
        )
        async with self._queue.observed(query):
            reading = engine.reading(work)
            permit = await self._queue.take(user if user is not None else InternalLane(query), kind=query)
            return await self._threads.run(reading, timeout_s=work.timeout_s, on_end=permit.release)

    def drain(self) -> None:
        """Refuse all waiting reads at once. Running ones continue."""
        self._queue.close()

    async def aclose(self) -> None:
        """Cancel running reads, and wait for every thread."""
        self.drain()
        await self._threads.aclose()

    def _check_configured(self) -> Engine:
        if self._engine is None:
            raise NotConfigured
        return self._engine

    async def _following(self, query: Query, rows: Rows, bounds: Bounds | None) -> int | None:
        """Return the offset of the next page. Check that the rows do not disprove the total order."""
        if not query.total_order or (bounds is None and not rows.truncated):
            return None
        folds = self._check_configured().name == "hana"
        try:
            if len(rows.rows) <= _CHECKED_AT_ONCE:
                check_order(query, rows.rows, folds=folds)
            else:
                await asyncio.to_thread(check_order, query, rows.rows, folds=folds)
        except QueryOrderNotTotal:
            _log.error("query_order_not_total", query=query.name, columns=list(query.total_order))
            raise
        start = 0 if bounds is None else bounds.offset
        return start + len(rows.rows) if rows.truncated else None

    async def _run(
        self,
        query: Query,
        params: Mapping[str, object],
        *,
        user: str | None,
        max_rows: int,
        sink: TableSink | None = None,
        bounds: Bounds | None = None,
    ) -> Rows:
        return await self._read_statement(
            query,
            self._statements[query.name],
            params,
            user=user,
            max_rows=max_rows,
            sink=sink,
            bounds=bounds,
        )

    async def _read_statement(
        self,
        query: Query,
        statement: Statement,
        params: Mapping[str, object],
        *,
        user: str | None,
        max_rows: int,
        sink: TableSink | None = None,
        bounds: Bounds | None = None,
    ) -> Rows:
        values = read_values(query.parameters, params)
        sql, bound = statement.sql, [values[parameter] for parameter in statement.parameters]
        if bounds is not None:
            sql += PAGE_CLAUSE
            # one extra row shows whether there are more
            bound += [Decimal(bounds.limit + 1), Decimal(bounds.offset)]
            max_rows = bounds.limit
        try:
            return await self.read(f"query {query.name}", sql, bound, user=user, max_rows=max_rows, sink=sink)
        except ValueDoesNotFitError as error:
            raise NumberDoesNotFit(statement.parameters[error.position]) from error
