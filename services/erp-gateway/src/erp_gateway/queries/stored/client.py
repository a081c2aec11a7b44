"""Runs stored queries through the Service Layer."""

import asyncio
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Final

import msgspec
import structlog

from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.client import QueryResult
from erp_gateway.queries.errors import QueryNotFound
from erp_gateway.queries.pages import Page, read_page
from erp_gateway.queries.registry import DeclaredQuery
from erp_gateway.queries.stored.declaration import StoredQuery
from erp_gateway.queries.stored.errors import StoredQueryRejected, UnqueryableText
from erp_gateway.queries.stored.installed import InstalledQueries
from erp_gateway.queries.stored.registry import StoredQueryRegistry
from erp_gateway.queries.values import Value, read_values
from erp_gateway.web.error_map import CallKind, upstream_service_error
from erpclient import Caller, ErpClient, ErpError, ErpRefused, InternalLane
from erpclient.stored_queries import InvalidQueryValue, QueryValue, query_parameters

STORED_QUERY_MAX_ROWS: Final = 5000
"""Maximum rows of a response: the default of `ERPDB_MAX_ROWS`, which only governs the database."""

_REJECTED_CODES: Final = frozenset({701, 702, 703, 704})
"""The analyser refuses the syntax, a table, a column or a parameter (SAP manual 1.29, query errors)."""

_NOT_FOUND: Final = 404
_ROWS_AT_A_TIME: Final = 1000

_DECODER: Final = msgspec.json.Decoder(list[dict[str, object]], float_hook=Decimal)

_log = structlog.get_logger(__name__)


class StoredQueryClient:
    """Runs stored queries. Permissions, audit and cache belong to the caller.

    Args:
        client: the ERP, with the session and the queue of all other calls.
        registry: the declared queries.
        installed: which of them the ERP has.
        max_rows: maximum rows of one response.
    """

    def __init__(
        self,
        client: ErpClient,
        registry: StoredQueryRegistry,
        installed: InstalledQueries,
        *,
        max_rows: int,
    ) -> None:
        self._client = client
        self._registry = registry
        self._installed = installed
        self._max_rows = max_rows

    @property
    def queries(self) -> tuple[StoredQuery, ...]:
        """All registered queries, by name."""
        return self._registry.queries

    def find(self, name: str) -> StoredQuery:
        """Return the query of this exact name.

        Raises:
            QueryNotFound: there is none.
        """
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
        """Run a query in one call.

        Args:
            name: the query.
            params: a value for each declared parameter, as for `DatabaseClient.run`.
            user: lane of the queue; None for a result shared by all users.
            page: must request no page: the ERP may order the rows of each page anew.

        Raises:
            ServiceError: 404 for an unknown query; 400 with `errors` for bad parameters; 502, 503 and 504
                for failures of the ERP.
        """
        query = self.find(name)
        cap = self.row_cap(query)
        if page is not None:
            read_page(query, page, cap=cap)
        rows, truncated = await self._read(query, params, user=user, max_rows=cap)
        return QueryResult(query.columns, rows, truncated)

    async def count(self, name: str, params: Mapping[str, object], *, user: str | None) -> int | None:  # noqa: ARG002 - the shape of every client of queries
        """Return None: the Service Layer does not count the rows of a stored query."""
        self.find(name)
        return None

    async def stream(
        self, name: str, params: Mapping[str, object], sink: TableSink, *, user: str | None, max_rows: int
    ) -> bool:
        """Run a query and pass its rows to a sink in another thread.

        Returns:
            Whether further rows were cut off.

        Raises:
            ServiceError: as `run`, and errors of the sink.
        """
        query = self.find(name)
        rows, truncated = await self._read(query, params, user=user, max_rows=max_rows)
        sink.begin(query.columns)
        for start in range(0, len(rows), _ROWS_AT_A_TIME):
            part = [tuple(row.values()) for row in rows[start : start + _ROWS_AT_A_TIME]]
            await asyncio.to_thread(sink.add, part)
        return truncated

    async def _read(
        self, query: StoredQuery, params: Mapping[str, object], *, user: str | None, max_rows: int
    ) -> tuple[list[dict[str, object]], bool]:
        values = written_values(read_values(query.parameters, params))
        caller = Caller(InternalLane(f"stored_query:{query.name}") if user is None else user)
        try:
            await self._installed.check(query)
            # One extra row shows whether there are more: `odata.nextLink` is missing on some builds.
            page = await self._client.run_query(query.code, values, caller=caller, page_size=max_rows + 1)
        except ErpRefused as error:
            raise self._refusal(query, error) from error
        except ErpError as error:
            raise upstream_service_error(error, CallKind.READ) from error
        rows = await asyncio.to_thread(_named_rows, page.rows, query)
        return rows[:max_rows], page.more or len(rows) > max_rows

    def _refusal(self, query: StoredQuery, error: ErpRefused) -> Exception:
        if error.status == _NOT_FOUND:
            # Somebody removed or renamed the query after its version was read.
            self._installed.forget()
        elif error.code not in _REJECTED_CODES:
            return upstream_service_error(error, CallKind.READ)
        _log.error("stored_query_rejected", query=query.name, erp_code=error.code)
        return StoredQueryRejected()


def written_values(values: Mapping[str, Value]) -> dict[str, QueryValue]:
    """Return the values as the Service Layer takes them: days as `YYYYMMDD`, as it also writes them.

    Raises:
        UnqueryableText: texts with a quote, `&` or a control character.
    """
    written: dict[str, QueryValue] = {
        name: f"{value:%Y%m%d}" if isinstance(value, date) else value for name, value in values.items()
    }
    refused = [name for name, value in written.items() if not _can_be_written(name, value)]
    if refused:
        raise UnqueryableText(*refused)
    return written


def _can_be_written(name: str, value: QueryValue) -> bool:
    try:
        query_parameters({name: value})
    except InvalidQueryValue:
        return False
    return True


def _named_rows(body: bytes, query: StoredQuery) -> list[dict[str, object]]:
    """Return rows with the columns as the query names them, whatever case and order the ERP writes.

    Raises:
        StoredQueryRejected: a row lacks a column.
    """
    columns = {column.casefold(): column for column in query.columns}
    return [_named_row(row, columns, query) for row in _DECODER.decode(body)]


def _named_row(
    row: Mapping[str, object], columns: Mapping[str, str], query: StoredQuery
) -> dict[str, object]:
    sent = {name.casefold(): value for name, value in row.items()}
    missing = [column for key, column in columns.items() if key not in sent]
    if missing:
        _log.error("stored_query_rejected", query=query.name, missing=missing)
        raise StoredQueryRejected
    return {column: sent[key] for key, column in columns.items()}
