"""A whole list, page by page: which pages to ask for, and what of their rows goes into a file. No I/O.

Where the key is an integer and the client asked for no order, the next page begins behind the last key, so
that what comes or goes meanwhile neither hides a record nor shows one twice. Everywhere else pages are
counted off, ordered by the key in the end; if the number of records changes meanwhile, it is refused.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

import attrs
import msgspec
from attrs import frozen

from erp_gateway.exports.errors import ExportChanged, ExportTooLarge
from erp_gateway.proxy.registry import Column, Registered, Resource, key_parts
from erpclient import ErpList, ErpReplyUnreadable
from erpclient.odata import IntKey, ListQuery

PAGE_ROWS: Final = 200
"""Rows of a page: others at the ERP wait for one page at most."""

_DECODER: Final = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)
_MOMENT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?")


@frozen(kw_only=True)
class ExportPlan:
    """A list that was checked.

    Attributes:
        target: the resource.
        query: what the client asked for; `top` is how many rows it wants at most.
        all_wanted: whether it wants all of them, and would rather have none than some.
        allowed: whether the person may read it, at this moment.
    """

    target: Registered
    query: ListQuery
    all_wanted: bool
    allowed: Callable[[], bool]

    @property
    def title(self) -> str:
        """What people call the list."""
        return self.target.resource.title or self.target.resource.name

    @property
    def facts(self) -> tuple[tuple[str, object], ...]:
        """What the client asked for, for the last sheet."""
        asked = (("Filtro", self.query.filter), ("Orden", ", ".join(self.query.orderby)))
        return tuple((name, value) for name, value in asked if value)


class ListPages:
    """The pages of one export: ask with `next_query`, hand what came to `take`, until there is none.

    Args:
        plan: the list.
        most: rows that an export may have.
    """

    def __init__(self, plan: ExportPlan, most: int) -> None:
        self._plan = plan
        self._most = most
        resource, query = plan.target.resource, plan.query
        by_key = isinstance(resource.key, IntKey) and not query.orderby and not query.skip
        self._key = resource.key.name if by_key and isinstance(resource.key, IntKey) else None
        self._last: int | None = None
        self._count: int | None = None
        self._done = 0
        self._ended = False
        self._named = _named_columns(query, resource)
        self._columns: tuple[Column, ...] | None = self._named
        self._query = attrs.evolve(query, select=self._select(), orderby=_order(query, resource))

    @property
    def headings(self) -> tuple[str, ...]:
        """The titles of the columns; where nobody named any they are known after the first page."""
        return tuple(column.title for column in self._columns or ())

    def next_query(self) -> ListQuery | None:
        """Return what to ask for next; None when everything is there."""
        if self._ended:
            return None
        top = min(PAGE_ROWS, self._plan.query.top - self._done)
        if self._key is None:
            return attrs.evolve(self._query, top=top, skip=self._plan.query.skip + self._done)
        condition = self._plan.query.filter
        if self._last is not None:
            behind = f"{self._key} gt {self._last}"
            condition = behind if condition is None else f"({condition}) and {behind}"
        return attrs.evolve(self._query, top=top, filter=condition)

    def take(self, page: ErpList) -> list[list[object]]:
        """Return the rows of a page as cells.

        Raises:
            ExportTooLarge: there are more rows than an export may have, and all of them are wanted.
            ExportChanged: records came or went meanwhile.
            ErpReplyUnreadable: the page is not what was asked for.
        """
        rows = self._decoded(page)
        self._check_count(page.count)
        if self._columns is None:
            self._columns = tuple(_columns_of(rows))
        self._done += len(rows)
        expected = page.count - len(rows) if self._key is not None else self._total(page.count) - self._done
        if not rows and expected > 0:
            raise ExportChanged
        self._ended = expected <= 0 or self._done >= self._plan.query.top
        if self._key is not None and rows:
            self._last = self._behind(rows)
        columns = self._columns
        return [[_cell(column, row.get(column.name)) for column in columns] for row in rows]

    def _select(self) -> tuple[str, ...] | None:
        names = self._plan.query.select
        if names is None and self._named is not None:
            names = tuple(column.name for column in self._named)
        if names is None or self._key is None or self._key in names or "*" in names:
            return names
        return (*names, self._key)

    def _total(self, count: int) -> int:
        return max(0, count - self._plan.query.skip)

    def _check_count(self, count: int) -> None:
        if self._count is None:
            self._count = count
            if self._plan.all_wanted and self._total(count) > self._most:
                raise ExportTooLarge(
                    f"La lista tiene {self._total(count)} filas y se exportan hasta {self._most}. "
                    "Acote el filtro, o pida una parte con $top."
                )
        elif self._key is None and count != self._count:
            raise ExportChanged
        elif self._done >= self._most:  # by key: records were added faster than they were read
            raise ExportTooLarge

    def _decoded(self, page: ErpList) -> list[dict[str, Any]]:
        try:
            return _DECODER.decode(page.rows)
        except msgspec.DecodeError as error:
            raise ErpReplyUnreadable("rows that are no objects") from error

    def _behind(self, rows: list[dict[str, Any]]) -> int:
        """Return the last key of a page that is in order.

        Raises:
            ErpReplyUnreadable: it is not; then nothing says where the next page begins.
        """
        keys = [row.get(self._key or "") for row in rows]
        before = self._last
        for key in keys:
            if not isinstance(key, int) or (before is not None and key <= before):
                raise ErpReplyUnreadable("rows that are not in the order of their key")
            before = key
        return int(keys[-1])  # type: ignore[arg-type]  # looked at above


def _order(query: ListQuery, resource: Resource) -> tuple[str, ...]:
    """Return the order asked for, made total by the key."""
    ordered = {part.split()[0] for part in query.orderby}
    names = [part.name for part in key_parts(resource.key)]
    return (*query.orderby, *(f"{name} asc" for name in names if name not in ordered))


def _named_columns(query: ListQuery, resource: Resource) -> tuple[Column, ...] | None:
    """Return the columns that somebody named: the client, else the resource; None where nobody did."""
    declared = {column.name: column for column in resource.columns}
    if query.select is None:
        return resource.columns or None
    if "*" in query.select:
        return None
    names = dict.fromkeys(name.partition("/")[0] for name in query.select)
    return tuple(declared.get(name) or _undeclared(name) for name in names)


def _columns_of(rows: list[dict[str, Any]]) -> Iterator[Column]:
    """Yield a column for each plain property of the first rows."""
    names = dict.fromkeys(
        name for row in rows for name, value in row.items() if not isinstance(value, dict | list)
    )
    return (_undeclared(name) for name in names if "odata." not in name)


def _undeclared(name: str) -> Column:
    return Column(name=name, title=name, type="date" if "Date" in name else "text")


def _cell(column: Column, value: Any) -> object:
    if isinstance(value, str):
        if column.choices:
            titles: Mapping[str, str] = {choice.value: choice.title for choice in column.choices}
            return titles.get(value, value)
        if column.type == "date":
            return _moment(value)
    return value


def _moment(text: str) -> object:
    """Return the day or moment that a text writes, as the ERP does: without a zone, whatever its `Z` says.

    The other forms of ISO 8601 stay texts: `20240115` may be a lot's number.
    """
    form = _MOMENT.fullmatch(text)
    if form is None:
        return text
    try:
        if form[1] is None:
            return date.fromisoformat(text)
        return datetime.fromisoformat(text.removesuffix("Z"))
    except ValueError:
        return text
