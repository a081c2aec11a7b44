"""`/api/sums`: sums over all records of a filter, which the ERP computes in one call."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from http import HTTPStatus
from typing import Any, Final

import msgspec
import structlog
from attrs import define, field, frozen

from erp_gateway.records.proxy.declarations.columns import Column
from erp_gateway.records.proxy.declarations.meanings import with_meanings
from erp_gateway.records.proxy.declarations.registry import Registered
from erp_gateway.records.proxy.declarations.resource import key_parts
from erp_gateway.records.proxy.plans import SumPlan
from erpclient import Caller, ErpClient, ErpRefused, ErpServerError
from erpclient.odata import ListQuery
from erpclient.odata.sums import COUNT, sum_name

_UNSUPPORTED: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED)
"""Statuses with which an ERP refuses `$apply`; 400 is also the one for a wrong filter."""

_rows_decoder: Final = msgspec.json.Decoder(list[dict[str, Any]], float_hook=Decimal)
_log = structlog.get_logger(__name__)


@frozen(kw_only=True)
class Sum:
    """One sum.

    Attributes:
        unit: its currency or unit of measure; None in the company's own currency, or if records name none.
        value: the sum.
    """

    unit: str | None
    value: Decimal


@frozen(kw_only=True)
class ColumnSums:
    """The sums of one column.

    Attributes:
        name: the column.
        by: column with the currency or unit; None for amounts in the company's own currency.
        sums: one for each currency or unit.
    """

    name: str
    by: str | None
    sums: tuple[Sum, ...]


@frozen(kw_only=True)
class Sums:
    """Sums over all records of a filter.

    Attributes:
        available: whether the ERP computed them; false if it does not support sums.
        count: number of records that were added up; None if there are no sums.
        columns: one entry for each column.
    """

    available: bool
    count: int | None = None
    columns: tuple[ColumnSums, ...] = ()


UNAVAILABLE: Final = Sums(available=False)


def summable_columns(target: Registered) -> dict[str, Column]:
    """Return the declared columns that may be added up, by name.

    The key must be a single property, because its different values are counted. Neither a column nor its unit
    may be a hidden property.
    """
    if len(key_parts(target.resource.key)) > 1:
        return {}
    return {
        column.name: column
        for column in with_meanings(target.resource)
        if column.measure is not None
        and column.measure.adds
        and not any(name.casefold() in target.rules.denied for name in (column.name, column.measure.by or ""))
    }


@define(eq=False, repr=False)
class SumReader:
    """Reads sums.

    An ERP that refuses or ignores `$apply` is remembered for each resource and its columns until the next
    login, which may be to a newer ERP.

    Args:
        client: the ERP.
    """

    _client: ErpClient
    _refused_in: dict[tuple[str, tuple[str, ...]], int] = field(factory=dict, init=False)

    async def read(self, plan: SumPlan, caller: Caller) -> Sums:
        """Read the sums of a plan.

        Raises:
            ErpError: as of a list. A refusal of the filter is that of the list.
        """
        if not plan.columns:
            return UNAVAILABLE
        asked = (plan.target.resource.name, tuple(column.name for column in plan.columns))
        if self._refused_in.get(asked) == self._client.logins:
            return UNAVAILABLE
        rows = await self._read_rows(plan, caller)
        sums = None if rows is None else read_sums(plan.columns, rows)
        if sums is None:
            self._refused_in[asked] = self._client.logins
            _log.warning("sums_unsupported", resource=asked[0])
            return UNAVAILABLE
        return sums

    async def _read_rows(self, plan: SumPlan, caller: Caller) -> list[dict[str, Any]] | None:
        """Return the rows of the reply, None if the ERP does not add up."""
        name = plan.target.resource.name
        try:
            reply = await self._client.read_sums(name, plan.query, caller=caller)
        except (ErpRefused, ErpServerError) as error:
            if error.status not in _UNSUPPORTED:
                raise
            # A list with the same filter shows whether `$apply` was refused or the filter.
            probe = ListQuery(select=(plan.query.key,), filter=plan.query.filter, top=1)
            await self._client.list(name, probe, caller=caller)
            return None
        if reply.more:
            return None
        try:
            return _rows_decoder.decode(reply.rows)
        except msgspec.MsgspecError:
            return None


def read_sums(columns: Iterable[Column], rows: Iterable[Mapping[str, Any]]) -> Sums | None:
    """Read the rows of the reply, one for each group; None if they have no sums.

    Args:
        columns: the columns in the order in which they were asked for.
        rows: rows with a sum for each column, the number of records, and the currency or unit.
    """
    found = list(rows)
    counts = [row.get(COUNT) for row in found]
    if not all(isinstance(count, int) for count in counts):
        return None
    return Sums(
        available=True,
        count=sum(count for count in counts if count),
        columns=tuple(_column_sums(column, sum_name(index), found) for index, column in enumerate(columns)),
    )


def _column_sums(column: Column, name: str, rows: Iterable[Mapping[str, Any]]) -> ColumnSums:
    by = None if column.measure is None else column.measure.by
    totals: dict[str | None, Decimal] = {}
    for row in rows:
        value = row.get(name)
        if value is None:
            continue  # no record of the group has a value
        unit = None if by is None else (row.get(by) or None)
        totals[unit] = totals.get(unit, Decimal(0)) + Decimal(value)
    sums = tuple(Sum(unit=unit, value=totals[unit]) for unit in sorted(totals, key=lambda unit: unit or ""))
    return ColumnSums(name=column.name, by=by, sums=sums)
