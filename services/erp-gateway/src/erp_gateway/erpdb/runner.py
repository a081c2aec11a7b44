"""Running registered queries: parameters checked, a place waited for, rows and columns returned."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

import structlog
from attrs import frozen

from erp_gateway.erpdb.engines.engine import Engine, ReadingThreads, Rows, ValueDoesNotFitError, Work
from erp_gateway.erpdb.errors import NumberDoesNotFit, QueryNotFound, QueryOrderNotTotal
from erp_gateway.erpdb.registry import Query, QueryRegistry
from erp_gateway.erpdb.sql.select_list import column_key
from erp_gateway.erpdb.values import Value, read_values
from erp_gateway.exports.sinks import TableSink
from erp_gateway.observed_queue import ObservedQueue, QueueObserver
from erpclient import InternalLane, QueueRules
from servicekit.erp.errors import QueueIsFull, QueueWaitTooLong
from servicekit.errors import FieldProblem, InvalidBody, NotConfigured, ShuttingDown

MAX_OFFSET: Final = 1_000_000_000
"""Below what an INTEGER of the database holds, with room for a page."""

PAGE_CLAUSE: Final = "\nLIMIT ? OFFSET ?"
"""Goes behind a statement, on a line of its own: the text may end in a comment."""

_NOT_PAGED: Final = "Esta consulta no se puede pedir por páginas: su orden no está declarado como total."


@frozen(kw_only=True)
class Page:
    """Which of a query's rows are wanted.

    Attributes:
        limit: how many at most; None for as many as an answer may have.
        offset: how many are passed over before.
    """

    limit: int | None = None
    offset: int | None = None

    @property
    def is_asked_for(self) -> bool:
        """Whether a client said anything about it."""
        return self.limit is not None or self.offset is not None


@frozen
class Bounds:
    """A page that may be read: `limit` rows behind the first `offset` ones."""

    limit: int
    offset: int


def read_page(query: Query, page: Page, *, cap: int) -> Bounds | None:
    """Return the rows to read; None where no page is asked for.

    Args:
        query: whose rows they are.
        page: what is asked for.
        cap: most rows of an answer of this query.

    Raises:
        InvalidBody: the query has no total order, or a number is out of its range; with `errors`.
    """
    if not page.is_asked_for:
        return None
    problems = list(_problems(query, page, cap))
    if problems:
        raise InvalidBody(errors=problems)
    return Bounds(cap if page.limit is None else page.limit, page.offset or 0)


def check_order(query: Query, rows: Sequence[Mapping[str, object]], *, folds: bool) -> None:
    """Make sure that no two rows share what is declared to tell them apart.

    Args:
        query: with a total order.
        rows: of one answer.
        folds: as `total_order.order_problem` has it.

    Raises:
        QueryOrderNotTotal: two of them do, or lack such a column: pages could overlap or leave a row out.
    """
    columns = {column_key(column, folds=folds): column for column in (rows[0] if rows else ())}
    try:
        names = [columns[column_key(column, folds=folds)] for column in query.total_order if rows]
    except KeyError as error:
        raise QueryOrderNotTotal from error
    if len({tuple(row[name] for name in names) for row in rows}) != len(rows):
        raise QueryOrderNotTotal


def _problems(query: Query, page: Page, cap: int) -> Iterator[FieldProblem]:
    for name, value, lowest, highest in (
        ("limit", page.limit, 1, cap),
        ("offset", page.offset, 0, MAX_OFFSET),
    ):
        if value is None:
            continue
        if not query.total_order:
            yield FieldProblem(name, _NOT_PAGED)
        elif not lowest <= value <= highest:
            yield FieldProblem(name, f"Debe ser un número entero de {lowest} a {highest}.")


WAITING_PER_USER: Final = 64
"""Most requests of one user that wait; for all together four times as many."""

_CHECKED_AT_ONCE: Final = 1000
"""Up to so many rows are compared faster than handed to a thread."""

_FULL: Final = "Hay demasiadas consultas en espera. Inténtelo en unos segundos."
_TOO_LONG: Final = "La consulta esperó demasiado su turno y no se ejecutó; puede repetirla."

_log = structlog.get_logger(__name__)


@frozen
class QueryResult(Rows):
    """What a query returned.

    Attributes:
        columns: names, in the order of the SELECT.
        rows: one mapping per row: None, bool, int, float, Decimal, str, bytes, date, time or datetime.
        truncated: whether there are more rows behind them, cut by the row cap or the page's limit.
        next_offset: where these begin; None where there are none, or the query can't be paged.
    """

    next_offset: int | None = None


class DatabaseReader:
    """Runs single reads of an engine: a place, a thread, a limit of time and of rows. Users take turns.

    Args:
        engine: what reads.
        places: how many reads run at a time; one query holds at most half of them, but at least one.
        timeout_s: longest run, and longest wait for a place.
        max_rows: most rows of one answer.
        observer: is told of every read.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        places: int,
        timeout_s: float,
        max_rows: int,
        observer: QueueObserver | None = None,
    ) -> None:
        self._engine = engine
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
        self.timeout_s = timeout_s
        self.max_rows = max_rows

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
        """Wait for a place and read. Cancelling the caller's task gives both up, on the server too.

        Args:
            query: what is read, as the metrics call it.
            sql: a single read with `?`.
            values: what to bind.
            user: in whose turn; None for a read that is nobody's own, and has turns of its own.
            timeout_s: longest run, if shorter than the configured one.
            max_rows: row cap, if lower than the configured one; with a sink, the only one.
            sink: takes the rows instead of the answer, in the thread that reads.

        Raises:
            ServiceError: what the database did, or a full queue.
            ValueDoesNotFitError: a number would be cut to fit its place.
        """
        cap = max_rows or self.max_rows
        work = Work(
            sql=sql,
            values=values,
            max_rows=cap if sink is not None else min(cap, self.max_rows),
            timeout_s=min(timeout_s or self.timeout_s, self.timeout_s),
            sink=sink,
        )
        async with self._queue.observed(query):
            reading = self._engine.reading(work)
            permit = await self._queue.take(user if user is not None else InternalLane(query), kind=query)
            return await self._threads.run(reading, timeout_s=work.timeout_s, ended=permit.release)

    def drain(self) -> None:
        """Let all who wait for a place fail at once; what runs goes on."""
        self._queue.close()

    async def aclose(self) -> None:
        """Cancel what runs, and wait for every thread."""
        self.drain()
        await self._threads.aclose()


class QueryRunner:
    """Runs the registered queries; without an engine every use raises `NotConfigured`.

    Args:
        registry: the queries.
        engine: name of the engine whose texts are run.
        reader: runs them; None while no engine is configured.

    Raises:
        QueryRegistryError: a query has no SQL for the engine.
    """

    def __init__(
        self, registry: QueryRegistry, engine: str = "", reader: DatabaseReader | None = None
    ) -> None:
        self._registry = registry
        self._folds = engine == "hana"
        self._statements = {} if reader is None else registry.statements(engine)
        self._reader = reader

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

    async def run(
        self, name: str, params: Mapping[str, object], *, user: str | None, page: Page | None = None
    ) -> QueryResult:
        """Run a query. Permissions and the audit are the caller's; cancelling gives it up.

        Args:
            name: the query.
            params: a value for each declared parameter, as JSON gives it (text, number, ISO day) or as Python
                has it (`int`, `float`, `Decimal`, `date`).
            user: in whose turn it is run; None for an answer that is nobody's own.
            page: which rows, and the wish to be told where the next ones begin; only a query with a total
                order takes a limit or an offset.

        Raises:
            ServiceError: 404 for an unknown query, 400 with `errors` for bad parameters or a page that
                can't be had, 500 for an order that proved not to be total, 502, 503 and 504 for what the
                database did.
        """
        query = self.find(name)
        most = self._check_configured().max_rows
        bounds = None if page is None else read_page(query, page, cap=min(query.max_rows or most, most))
        rows = await self._read(query, params, user=user, max_rows=query.max_rows, bounds=bounds)
        following = None if page is None else await self._following(query, rows, bounds)
        return QueryResult(rows.columns, rows.rows, rows.truncated, following)

    async def stream(
        self, name: str, params: Mapping[str, object], sink: TableSink, *, user: str | None, max_rows: int
    ) -> bool:
        """Run a query whose rows go to a sink as they come, in another thread.

        Args:
            name: the query.
            params: as for `run`.
            sink: takes columns and rows.
            user: in whose turn it is run.
            max_rows: row cap, below the query's own; the configured one does not count.

        Returns:
            Whether there were more rows.

        Raises:
            ServiceError: as `run`, and what the sink raised.
        """
        query = self.find(name)
        cap = min(query.max_rows or max_rows, max_rows)
        return (await self._read(query, params, user=user, max_rows=cap, sink=sink)).truncated

    def _check_configured(self) -> DatabaseReader:
        if self._reader is None:
            raise NotConfigured
        return self._reader

    async def _following(self, query: Query, rows: Rows, bounds: Bounds | None) -> int | None:
        """Return where the next page begins, once these rows have not disproved that pages fit together."""
        if not query.total_order or (bounds is None and not rows.truncated):
            return None
        try:
            if len(rows.rows) <= _CHECKED_AT_ONCE:
                check_order(query, rows.rows, folds=self._folds)
            else:
                await asyncio.to_thread(check_order, query, rows.rows, folds=self._folds)
        except QueryOrderNotTotal:
            _log.error("query_order_not_total", query=query.name, columns=list(query.total_order))
            raise
        start = 0 if bounds is None else bounds.offset
        return start + len(rows.rows) if rows.truncated else None

    async def _read(
        self,
        query: Query,
        params: Mapping[str, object],
        *,
        user: str | None,
        max_rows: int | None,
        sink: TableSink | None = None,
        bounds: Bounds | None = None,
    ) -> Rows:
        values = read_values(query.parameters, params)
        statement = self._statements[query.name]
        sql, bound = statement.sql, [values[parameter] for parameter in statement.parameters]
        if bounds is not None:
            sql += PAGE_CLAUSE
            # one more tells whether there are more
            bound += [Decimal(bounds.limit + 1), Decimal(bounds.offset)]
            max_rows = bounds.limit
        try:
            return await self._check_configured().read(
                f"query {query.name}", sql, bound, user=user, max_rows=max_rows, sink=sink
            )
        except ValueDoesNotFitError as error:
            raise NumberDoesNotFit(statement.parameters[error.position]) from error
