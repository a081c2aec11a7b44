"""Reading everything that a stored query finds, or failing loudly.

A result is split by ranges of a whole number (the receipt's key, the item's group) because neither the order
of pages nor their size is the Service Layer's promise. A range is whole when the row that counts is there and
the count is right; anything else is cut in two and asked again.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, Generic, TypeVar

import msgspec
import structlog
from attrs import define, field, frozen

from erpclient import Caller, ErpClient, ErpRefused, InvalidQueryValue, QueryValue
from supplier_returns.planning.computing import Computing
from supplier_returns.saved_queries.errors import QueryIncomplete, UnqueryableValue
from supplier_returns.saved_queries.installer import RUN_RIGHT, QueryInstaller, explained
from supplier_returns.saved_queries.key_ranges import EVERYTHING, KeyRange, is_whole, split
from supplier_returns.saved_queries.queries import StoredQuery

PAGE_ROWS: Final = 25_000
"""Rows asked for at a time: about 9 MB of receipt lines, well below what `erpclient` takes."""

MAX_CALLS: Final = 64
"""Most calls for one result; a Service Layer that gives tiny pages ends here and not in an hour."""

EVERY_ITEM: Final = "%"

_NOT_FOUND: Final = 404
_UNFIT_PARAMETERS: Final = 704
"""Code of a parameter that the query's text does not have (SAP manual 1.29, query errors)."""

_ENVELOPE: Final = msgspec.json.Decoder(list[msgspec.Raw])

_log = structlog.get_logger(__name__)


class QueryRow(msgspec.Struct, kw_only=True):
    """What rows of all our queries have.

    Attributes:
        key: by which results are cut into ranges; each query calls it otherwise.
        rows: how many rows there should be, in the row that counts.
        version: of the text that found the row; 0 for a text that does not tell.
        item_code: empty in the row that counts.
    """

    key: int
    rows: int = msgspec.field(name="Filas")
    version: int = msgspec.field(name="Version", default=0)
    item_code: str = msgspec.field(name="ItemCode")


R = TypeVar("R", bound=QueryRow)
T = TypeVar("T")


@frozen
class _Page(Generic[T]):
    """What became of a page.

    Attributes:
        found: what is kept of its rows; None when it does not hold its whole range.
        halves: where to cut a range that it does not hold; None where it can't be cut.
        is_full: whether there may be more rows than the page could hold.
        versions: of the texts that found its rows.
    """

    found: list[T] | None
    halves: tuple[KeyRange, KeyRange] | None
    is_full: bool
    versions: frozenset[int]


def query_values(whs_code: str, pattern: str, key_range: KeyRange) -> dict[str, QueryValue]:
    """Return what our queries are asked with: each value twice, for the rows and for their count."""
    once: dict[str, QueryValue] = {
        "almacen": whs_code,
        "articulo": pattern,
        "desde": key_range.first,
        "hasta": key_range.last,
    }
    return once | {f"{name}Total": value for name, value in once.items()}


@define(eq=False, repr=False)
class QueryReader(Generic[R]):
    """Runs one stored query in one person's ERP session.

    Args:
        query: what to run.
        rows: type of its rows.
        installer: keeps the query installed.
        computing: where pages are read.
        page_rows: rows asked for at a time.
    """

    _query: StoredQuery
    _rows: type[R]
    _installer: QueryInstaller
    _computing: Computing
    _page_rows: int = field(default=PAGE_ROWS, kw_only=True)

    async def read(
        self,
        erp: ErpClient,
        caller: Caller,
        *,
        keep: Callable[[R], T],
        whs_code: str,
        item_code: str | None = None,
    ) -> tuple[T, ...]:
        """Return every row of a warehouse, proved complete and found by a text of our version; in any order.

        Args:
            erp: the signed-in user's session.
            caller: for whom.
            keep: turns a row into what is kept of it; called on a thread.
            whs_code: the warehouse.
            item_code: only this item's rows are wanted.

        Raises:
            QueryIncomplete: not every row came, or that can't be proved.
            UnqueryableValue: the warehouse's code can't be told to the ERP.
            ErpForbidden: the user may not run the query, or not create it.
            StoredQueryOutdated, StoredQueryNewer, StoredQueryRejected: see there.
            ErpError: the ERP could not be asked.
        """
        values = partial(query_values, whs_code, _pattern(item_code))
        read_page = partial(self._read_page, keep=keep, item_code=item_code)
        await self._installer.ensure(self._query, erp, caller)
        found: list[T] = []
        todo = [EVERYTHING]
        calls = 0
        mended = False
        while todo:
            if calls == MAX_CALLS:
                raise self._incomplete("too many calls", calls)
            key_range = todo.pop()
            calls += 1
            page = await self._ask(erp, caller, key_range, values, read_page, mended=mended)
            if page is None or page.versions - {self._query.version}:
                if mended:
                    raise self._incomplete("rows of another version", calls)
                self._installer.doubt()  # somebody changed or removed it since we looked
                await self._installer.ensure(self._query, erp, caller)
                mended, found, todo = True, [], [EVERYTHING]
            elif page.found is not None:
                found += page.found
            elif page.halves is None or not page.is_full:
                raise self._incomplete("a page without its count", calls)
            else:
                todo += reversed(page.halves)
        return tuple(found)  # in which the garbage collector looks once, and never again

    async def _ask(
        self,
        erp: ErpClient,
        caller: Caller,
        key_range: KeyRange,
        values: Callable[[KeyRange], Mapping[str, QueryValue]],
        read_page: Callable[..., _Page[T]],
        *,
        mended: bool,
    ) -> _Page[T] | None:
        """Ask for a page; None when the query is not there, or takes other parameters than ours does."""
        try:
            with explained(self._query, right=f"{RUN_RIGHT}: {self._query.code}"):
                try:
                    answer = await erp.run_query(
                        self._query.code, values(key_range), caller=caller, page_size=self._page_rows
                    )
                except ErpRefused as error:
                    if not mended and (error.status == _NOT_FOUND or error.code == _UNFIT_PARAMETERS):
                        return None
                    raise
            return await self._computing.of(caller.user).run_on_thread(
                read_page, answer.rows, key_range, more=answer.more
            )
        except InvalidQueryValue as error:
            raise UnqueryableValue from error
        except (msgspec.DecodeError, ValueError) as error:
            raise self._incomplete("rows of another form", 0) from error

    def _read_page(
        self, rows: bytes, key_range: KeyRange, *, more: bool, keep: Callable[[R], T], item_code: str | None
    ) -> _Page[T]:
        """Read rows one by one: none stays as it came, and others get the interpreter in between."""
        decode = msgspec.json.Decoder(self._rows).decode
        found: list[T] = []
        keys: list[int] = []
        counts: list[int] = []
        versions: set[int] = set()
        for raw in _ENVELOPE.decode(rows):
            row = decode(raw)
            versions.add(row.version)
            if not row.item_code:
                counts.append(row.rows)
                continue
            keys.append(row.key)
            if not more and item_code in (None, row.item_code):
                found.append(keep(row))
        whole = is_whole(key_range, keys, counts, more=more)
        return _Page(
            found if whole else None,
            None if whole else split(key_range, keys),
            is_full=more or len(keys) + len(counts) >= self._page_rows,
            versions=frozenset(versions),
        )

    def _incomplete(self, reason: str, calls: int) -> QueryIncomplete:
        _log.error("stored_query_incomplete", query=self._query.code, reason=reason, calls=calls)
        return QueryIncomplete()


def _pattern(item_code: str | None) -> str:
    """Return a LIKE pattern that matches the item, and perhaps others; everything where that is not sure."""
    if item_code is None or any(character in "[]'&\\" or character < " " for character in item_code):
        return EVERY_ITEM
    return item_code
