"""Read all rows of a stored query, or fail.

The Service Layer guarantees neither the order of pages nor their size. So a result is split by ranges of an
integer (the receipt's key, or the item's group). A range is complete if its count row is there and the count
is right. Otherwise it is split in two, and both halves are read.
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
from supplier_returns.saved_queries.installer import RUN_RIGHT, QueryInstaller, explaining_refusals
from supplier_returns.saved_queries.key_ranges import EVERYTHING, KeyRange, is_whole, split
from supplier_returns.saved_queries.queries import StoredQuery

PAGE_ROWS: Final = 25_000
"""Requested rows in one page: about 9 MB of receipt lines, well below the limit of `erpclient`."""

MAX_CALLS: Final = 64
"""Maximum calls for one result, so that a Service Layer with tiny pages fails soon."""

EVERY_ITEM: Final = "%"

_NOT_FOUND: Final = 404
_UNFIT_PARAMETERS: Final = 704
"""Code for a parameter that the query does not have (SAP manual 1.29, query errors)."""

_ENVELOPE: Final = msgspec.json.Decoder(list[msgspec.Raw])

_log = structlog.get_logger(__name__)


class QueryRow(msgspec.Struct, kw_only=True):
    """Common columns of all our queries.

    Attributes:
        key: integer that splits results into ranges. Its column name differs between queries.
        rows: number of rows, in the count row.
        version: version of the text that found the row. 0 for a text without a version.
        item_code: item code. Empty in the count row.
    """

    key: int
    rows: int = msgspec.field(name="Filas")
    version: int = msgspec.field(name="Version", default=0)
    item_code: str = msgspec.field(name="ItemCode")


R = TypeVar("R", bound=QueryRow)
T = TypeVar("T")


@frozen
class _Page(Generic[T]):
    """Content of a page.

    Attributes:
        kept_rows: values of its rows. None if the page is incomplete.
        halves: ranges to read instead of an incomplete page. None if the range can't be split.
        is_full: whether the range may have more rows than fit on a page.
        versions: versions of the texts that found the rows.
    """

    kept_rows: list[T] | None
    halves: tuple[KeyRange, KeyRange] | None
    is_full: bool
    versions: frozenset[int]


def query_values(whs_code: str, pattern: str, key_range: KeyRange) -> dict[str, QueryValue]:
    """Return the parameters of our queries. Each value appears twice, for the rows and for their count."""
    parameters: dict[str, QueryValue] = {
        "almacen": whs_code,
        "articulo": pattern,
        "desde": key_range.first,
        "hasta": key_range.last,
    }
    return parameters | {f"{name}Total": value for name, value in parameters.items()}


@define(eq=False, repr=False)
class QueryReader(Generic[R]):
    """Runs one stored query in one user's ERP session.

    Args:
        query: query to run.
        rows: type of its rows.
        installer: installs the query.
        computing: decodes the pages.
        page_rows: requested rows in one page.
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
        """Return every row of a warehouse in any order, provably complete and of our version.

        Args:
            erp: the signed-in user's session.
            caller: user of the requests.
            keep: converts a row. It runs on a thread.
            whs_code: warehouse.
            item_code: item whose rows to return. None returns all.

        Raises:
            QueryIncomplete: some rows are missing, or completeness can't be proved.
            UnqueryableValue: the warehouse code can't be a query parameter.
            ErpForbidden: the user may not run or create the query.
            StoredQueryOutdated, StoredQueryNewer, StoredQueryRejected: see these classes.
            ErpError: the request failed.
        """
        values = partial(query_values, whs_code, _pattern(item_code))
        read_page = partial(self._read_page, keep=keep, item_code=item_code)
        await self._installer.ensure(self._query, erp, caller)
        kept_rows: list[T] = []
        pending_ranges = [EVERYTHING]
        calls = 0
        reinstalled = False
        while pending_ranges:
            if calls == MAX_CALLS:
                raise self._incomplete("too many calls", calls)
            key_range = pending_ranges.pop()
            calls += 1
            page = await self._request_page(
                erp, caller, key_range, values, read_page, reinstalled=reinstalled
            )
            if page is None or page.versions - {self._query.version}:
                if reinstalled:
                    raise self._incomplete("rows of another version", calls)
                self._installer.forget_installed()  # another user or version changed or removed it
                await self._installer.ensure(self._query, erp, caller)
                reinstalled, kept_rows, pending_ranges = True, [], [EVERYTHING]
            elif page.kept_rows is not None:
                kept_rows += page.kept_rows
            # A page with free space but without its count is wrong, and splitting would not help.
            elif page.halves is None or not page.is_full:
                raise self._incomplete("a page without its count", calls)
            else:
                # Reversed, so that the lower half is read first.
                pending_ranges += reversed(page.halves)
        return tuple(kept_rows)  # the garbage collector scans a tuple once, and then untracks it

    async def _request_page(
        self,
        erp: ErpClient,
        caller: Caller,
        key_range: KeyRange,
        values: Callable[[KeyRange], Mapping[str, QueryValue]],
        read_page: Callable[..., _Page[T]],
        *,
        reinstalled: bool,
    ) -> _Page[T] | None:
        """Request a page. Return None if the query is missing or has other parameters than ours."""
        try:
            with explaining_refusals(self._query, right=f"{RUN_RIGHT}: {self._query.code}"):
                try:
                    reply = await erp.run_query(
                        self._query.code, values(key_range), caller=caller, page_size=self._page_rows
                    )
                except ErpRefused as error:
                    if not reinstalled and (error.status == _NOT_FOUND or error.code == _UNFIT_PARAMETERS):
                        return None
                    raise
            return await self._computing.of(caller.user).run_on_thread(
                read_page, reply.rows, key_range, more=reply.more
            )
        except InvalidQueryValue as error:
            raise UnqueryableValue from error
        except (msgspec.DecodeError, ValueError) as error:
            raise self._incomplete("rows of another form", 0) from error

    def _read_page(
        self, rows: bytes, key_range: KeyRange, *, more: bool, keep: Callable[[R], T], item_code: str | None
    ) -> _Page[T]:
        """Decode rows one by one, so that the raw rows don't stay in memory and other threads can run."""
        decode = msgspec.json.Decoder(self._rows).decode
        kept_rows: list[T] = []
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
            # The LIKE pattern may match other items, and an incomplete page is read again anyway.
            if not more and item_code in (None, row.item_code):
                kept_rows.append(keep(row))
        is_complete = is_whole(key_range, keys, counts, more=more)
        return _Page(
            kept_rows if is_complete else None,
            None if is_complete else split(key_range, keys),
            is_full=more or len(keys) + len(counts) >= self._page_rows,
            versions=frozenset(versions),
        )

    def _incomplete(self, reason: str, calls: int) -> QueryIncomplete:
        _log.error("stored_query_incomplete", query=self._query.code, reason=reason, calls=calls)
        return QueryIncomplete()


def _pattern(item_code: str | None) -> str:
    """Return a LIKE pattern that matches the item, and possibly others."""
    if item_code is None or any(character in "[]'&\\" or character < " " for character in item_code):
        # These characters are wildcards or not allowed in a parameter, so read every item and filter.
        return EVERY_ITEM
    return item_code
