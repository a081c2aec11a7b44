"""The pages of an exported list."""

from decimal import Decimal
from typing import Any, Final

import attrs
import msgspec

from erp_gateway.files.exports.errors import ExportChanged, ExportTooLarge
from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.records.proxy.declarations.resource import Resource, key_parts
from erp_gateway.records.proxy.export.cells import cell_of
from erp_gateway.records.proxy.export.columns import (
    columns_of_rows,
    currency_columns,
    has_amounts,
    heading_of,
    requested_columns,
)
from erp_gateway.records.proxy.plans import ExportPlan
from erp_gateway.values.measures import Decimals
from erpclient import ErpList, ErpReplyUnreadable
from erpclient.odata import IntKey, ListQuery

PAGE_ROWS: Final = 200
"""Rows of a page. Other requests to the ERP wait for one page at most."""

_DECODER: Final = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)


class ExportPages:
    """The pages of one export: send `next_query`, pass its result to `take`, until `next_query` is None.

    With an integer key and no order but that of the key, ascending or descending, the next page starts after
    the last key, so that records that come or go meanwhile neither hide nor repeat another. Any other list is
    paged by `$skip`, with the key as the last part of the order; a change of the number of records ends it.

    Args:
        plan: the list.
        max_rows: rows that an export may have.

    Attributes:
        decimals: decimals of amounts; by default amounts keep the digits of the ERP.
        local_code: code of the company's currency; None if it is unknown.
    """

    def __init__(self, plan: ExportPlan, max_rows: int) -> None:
        self.decimals = Decimals()
        self.local_code: str | None = None
        self._plan = plan
        self._max_rows = max_rows
        resource, query = plan.target.resource, plan.query
        self._paging_key = _paging_key(query, resource)
        self._is_descending = query.orderby == (f"{self._paging_key} desc",)
        self._last_key: int | None = None
        self._count: int | None = None
        self._rows_read = 0
        self._is_complete = False
        self._requested = requested_columns(query, resource)
        self._columns: tuple[Column, ...] | None = self._requested
        self._query = attrs.evolve(query, select=self._select(), orderby=_total_order(query, resource))

    @property
    def headings(self) -> tuple[str, ...]:
        """Titles of the columns; without named columns the first page determines them."""
        return tuple(heading_of(column, self.local_code) for column in self._columns or ())

    @property
    def may_have_amounts(self) -> bool:
        """False if all columns are known and none holds amounts."""
        return self._requested is None or has_amounts(self._requested)

    def next_query(self) -> ListQuery | None:
        """Return the query of the next page; None after the last one."""
        if self._is_complete:
            return None
        top = min(PAGE_ROWS, self._plan.query.top - self._rows_read)
        if self._paging_key is None:
            return attrs.evolve(self._query, top=top, skip=self._plan.query.skip + self._rows_read)
        condition = self._plan.query.filter
        if self._last_key is not None:
            after_last = f"{self._paging_key} {'lt' if self._is_descending else 'gt'} {self._last_key}"
            condition = after_last if condition is None else f"({condition}) and {after_last}"
        return attrs.evolve(self._query, top=top, filter=condition)

    def take(self, page: ErpList) -> list[list[object]]:
        """Return the rows of a page as cells.

        Raises:
            ExportTooLarge: the client wants all rows, and there are more than an export may have.
            ExportChanged: records came or went meanwhile.
            ErpReplyUnreadable: the page does not match its query.
        """
        rows = _decode(page)
        self._check_count(page.count)
        if self._columns is None:
            self._columns = tuple(columns_of_rows(rows))
        self._rows_read += len(rows)
        # By key, the condition leaves out earlier pages: the count is that of the rows still to come.
        rows_left = (
            page.count - len(rows)
            if self._paging_key is not None
            else self._rows_after_skip(page.count) - self._rows_read
        )
        if not rows and rows_left > 0:
            raise ExportChanged
        self._is_complete = rows_left <= 0 or self._rows_read >= self._plan.query.top
        if self._paging_key is not None and rows:
            self._last_key = self._check_order(rows)
        columns = self._columns
        return [[cell_of(column, row, self.decimals) for column in columns] for row in rows]

    def _select(self) -> tuple[str, ...] | None:
        names = self._plan.query.select
        if self._requested is not None:
            if names is None:
                names = tuple(column.name for column in self._requested)
            names = tuple(dict.fromkeys((*names, *currency_columns(self._requested))))
        if names is None or self._paging_key is None or self._paging_key in names or "*" in names:
            return names
        return (*names, self._paging_key)

    def _rows_after_skip(self, count: int) -> int:
        return max(0, count - self._plan.query.skip)

    def _check_count(self, count: int) -> None:
        if self._count is None:
            self._count = count
            if self._plan.all_wanted and self._rows_after_skip(count) > self._max_rows:
                raise ExportTooLarge(
                    f"La lista tiene {self._rows_after_skip(count)} filas y se exportan hasta "
                    f"{self._max_rows}. Acote el filtro, o pida una parte con $top."
                )
        elif self._paging_key is None and count != self._count:
            raise ExportChanged
        elif self._rows_read >= self._max_rows:  # by key: records were added faster than they were read
            raise ExportTooLarge

    def _check_order(self, rows: list[dict[str, Any]]) -> int:
        """Return the last key of a page whose keys are in order; otherwise the next page has no start.

        Raises:
            ErpReplyUnreadable: the keys are not in order.
        """
        keys = [row.get(self._paging_key or "") for row in rows]
        previous = self._last_key
        for key in keys:
            if not isinstance(key, int) or (
                previous is not None and (key >= previous if self._is_descending else key <= previous)
            ):
                raise ErpReplyUnreadable("rows that are not in the order of their key")
            previous = key
        return int(keys[-1])  # type: ignore[arg-type]  # the loop checked it


def _decode(page: ErpList) -> list[dict[str, Any]]:
    try:
        return _DECODER.decode(page.rows)
    except msgspec.DecodeError as error:
        raise ErpReplyUnreadable("rows that are no objects") from error


def _paging_key(query: ListQuery, resource: Resource) -> str | None:
    """Return the key after which the next page starts; None where pages use `$skip`."""
    if not isinstance(resource.key, IntKey) or query.skip:
        return None
    name = resource.key.name
    return name if query.orderby in ((), (name,), (f"{name} asc",), (f"{name} desc",)) else None


def _total_order(query: ListQuery, resource: Resource) -> tuple[str, ...]:
    """Return the requested order, made total by the key."""
    ordered = {part.split()[0] for part in query.orderby}
    names = [part.name for part in key_parts(resource.key)]
    return (*query.orderby, *(f"{name} asc" for name in names if name not in ordered))
