"""Reading everything that a stored query finds, or failing loudly."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec
import structlog

from erpclient import Caller, ErpClient, ErpRefused, InvalidQueryValue
from supplier_returns.planning.collecting import cycles_uncollected
from supplier_returns.saved_queries.definitions import StoredQuery
from supplier_returns.saved_queries.errors import QueryIncomplete, UnqueryableValue
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.saved_queries.ranges import EVERYTHING, KeyRange, is_whole, split
from supplier_returns.saved_queries.translation import RUN_RIGHT, explained

PAGE_ROWS: Final = 25_000
"""Rows asked for at a time: about 9 MB of receipt lines, well below what `erpclient` takes."""

MAX_CALLS: Final = 64
"""Most calls for one result; a Service Layer that gives tiny pages ends here and not in an hour."""

EVERY_ITEM: Final = "%"

_NOT_FOUND: Final = 404

_log = structlog.get_logger(__name__)


class Row(Protocol):
    """What the reader has to know of a row."""

    @property
    def key(self) -> int:
        """By which results are cut into ranges."""
        ...

    @property
    def count(self) -> int | None:
        """How many rows there should be, for the row that counts; None for the others."""
        ...


R = TypeVar("R", bound=Row)
T = TypeVar("T")


class QueryReader(Generic[R]):
    """Runs one stored query in one person's ERP session.

    Args:
        query: what to run.
        rows: type of its rows.
        installer: keeps the query installed.
        page_rows: rows asked for at a time.
        max_calls: most calls for one result.
    """

    def __init__(
        self,
        query: StoredQuery,
        rows: type[R],
        installer: QueryInstaller,
        *,
        page_rows: int = PAGE_ROWS,
        max_calls: int = MAX_CALLS,
    ) -> None:
        self._query = query
        self._envelope: msgspec.json.Decoder[list[msgspec.Raw]] = msgspec.json.Decoder(list[msgspec.Raw])
        self._row: msgspec.json.Decoder[R] = msgspec.json.Decoder(rows)
        self._installer = installer
        self._page_rows = page_rows
        self._max_calls = max_calls

    async def read(
        self,
        erp: ErpClient,
        caller: Caller,
        *,
        convert: Callable[[Sequence[R]], list[T]],
        whs_code: str,
        item_code: str | None = None,
    ) -> list[T]:
        """Return every row of a warehouse, proved complete; in any order.

        Args:
            erp: the signed-in user's session.
            caller: for whom.
            convert: turns the rows of a page into what is kept of them; called on a thread.
            whs_code: the warehouse.
            item_code: only this item's rows are wanted; a few others may come along.

        Raises:
            QueryIncomplete: not every row came, or that can't be proved.
            UnqueryableValue: the warehouse's code can't be told to the ERP.
            ErpForbidden: the user may not run the query, or not create it.
            StoredQueryOutdated, StoredQueryNewer, StoredQueryRejected: see there.
            ErpError: the ERP could not be asked.
        """
        pattern = _pattern(item_code)
        await self._installer.ensure(erp, caller)
        found: list[T] = []
        todo = [EVERYTHING]
        calls = 0
        while todo:
            if calls == self._max_calls:
                raise self._incomplete("too many calls", calls)
            asked = todo.pop()
            calls += 1
            rows, more = await self._page(erp, caller, asked, whs_code, pattern)
            lines = [row for row in rows if row.count is None]
            counts = [row.count for row in rows if row.count is not None]
            keys = [row.key for row in lines]
            if is_whole(asked, keys, counts, more=more):
                found += await asyncio.to_thread(convert, lines)
                continue
            halves = split(asked, keys)
            if halves is None or not (more or len(rows) >= self._page_rows):
                raise self._incomplete("a page without its count", calls)
            todo += reversed(halves)
        return found

    async def _page(
        self, erp: ErpClient, caller: Caller, asked: KeyRange, whs_code: str, pattern: str
    ) -> tuple[list[R], bool]:
        page_rows = self._page_rows
        once = {"almacen": whs_code, "articulo": pattern, "desde": asked.first, "hasta": asked.last}
        parameters = once | {f"{name}Total": value for name, value in once.items()}
        try:
            with explained(self._query, right=f"{RUN_RIGHT}: {self._query.code}"):
                page = await self._run(erp, caller, parameters, page_rows)
            return await asyncio.to_thread(self._decode, page.rows), page.more
        except InvalidQueryValue as error:
            raise UnqueryableValue from error
        except msgspec.DecodeError as error:
            raise self._incomplete("rows of another form", 0) from error

    async def _run(self, erp: ErpClient, caller: Caller, parameters: dict[str, Any], page_rows: int) -> Any:
        code = self._query.code
        try:
            return await erp.run_query(code, parameters, caller=caller, page_size=page_rows)
        except ErpRefused as error:
            if error.status != _NOT_FOUND:
                raise
        self._installer.doubt()  # somebody removed it since we looked
        await self._installer.ensure(erp, caller)
        return await erp.run_query(code, parameters, caller=caller, page_size=page_rows)

    def _decode(self, rows: bytes) -> list[R]:
        """Read rows one by one: the interpreter stays free for others between them."""
        decode = self._row.decode
        with cycles_uncollected():
            return [decode(row) for row in self._envelope.decode(rows)]

    def _incomplete(self, reason: str, calls: int) -> QueryIncomplete:
        _log.error("stored_query_incomplete", query=self._query.code, reason=reason, calls=calls)
        return QueryIncomplete()


def _pattern(item_code: str | None) -> str:
    """Return a LIKE pattern that matches the item, and perhaps others; everything where that is not sure."""
    if item_code is None or any(character in "[]'&\\" or character < " " for character in item_code):
        return EVERY_ITEM
    return item_code
