"""Catalogues of the company, as one signed-in user sees them."""

from collections.abc import Sequence
from typing import Final

import msgspec
from attrs import evolve, frozen
from typing_extensions import override

from erpclient import Caller, ErpClient
from erpclient.odata import ListQuery
from supplier_returns.catalogues.cache import CatalogueCache
from supplier_returns.catalogues.valid_values import (
    PAGE_ROWS,
    PLANNING_TABLE,
    RETURN_TABLE,
)
from supplier_returns.metadata.definitions import ValidValue
from supplier_returns.planning.model.planning import Reason
from supplier_returns.planning.model.warehouse import WarehouseFacts
from supplier_returns.planning.readers import CatalogueReader
from supplier_returns.settings.custom_fields import CustomField
from supplier_returns.web.rights import needing_right

RETURN_OBJECT: Final = "21"
"""Object type of goods returns (`oPurchaseReturns`)."""

_ADMIN_INFO: Final = "CompanyService_GetAdminInfo"
_SERIES_SERVICE: Final = "SeriesService_GetDocumentSeries"
_YES: Final = "tYES"

REASON_FIELD: Final = "Motivo"


@frozen
class Series:
    """Numbering series of returns."""

    number: int
    name: str
    prefix: str
    next_number: int | None
    is_locked: bool
    is_electronic: bool


class _WarehouseRow(msgspec.Struct):
    code: str = msgspec.field(name="WarehouseCode")
    name: str | None = msgspec.field(name="WarehouseName", default=None)
    bins: str | None = msgspec.field(name="EnableBinLocations", default=None)
    inactive: str | None = msgspec.field(name="Inactive", default=None)


class _SeriesRow(msgspec.Struct, kw_only=True):
    """Row of the type `Series`. v2 names the property of that name `SeriesProperty` (its $metadata)."""

    v1_number: int | None = msgspec.field(name="Series", default=None)
    v2_number: int | None = msgspec.field(name="SeriesProperty", default=None)
    name: str | None = msgspec.field(name="Name", default=None)
    prefix: str | None = msgspec.field(name="Prefix", default=None)
    next_number: int | None = msgspec.field(name="NextNumber", default=None)
    locked: str | None = msgspec.field(name="Locked", default=None)
    electronic: str | None = msgspec.field(name="IsElectronicCommEnabled", default=None)

    @property
    def number(self) -> int:
        """Key of the series.

        Raises:
            msgspec.ValidationError: the row has no key.
        """
        number = self.v1_number if self.v1_number is not None else self.v2_number
        if number is None:
            raise msgspec.ValidationError("a series without its number")
        return number


class _SeriesList(msgspec.Struct):
    value: list[_SeriesRow]


class _AdminInfo(msgspec.Struct):
    quantity_decimals: int = msgspec.field(name="AccuracyofQuantities")
    price_decimals: object = msgspec.field(name="PriceAccuracy", default=None)


class Catalogues(CatalogueReader):
    """Catalogues as the signed-in user sees them, for one request.

    Args:
        service: cache of catalogues.
        erp: the user's session in the ERP.
        caller: user of the requests.
    """

    def __init__(self, service: CatalogueCache, erp: ErpClient, caller: Caller) -> None:
        self._service = service
        self._erp = erp
        self._caller = caller

    def forget(self) -> None:
        """Remove the cached values, so that the next request reads them again."""
        self._service.forget(self._erp)

    async def warehouses(self) -> Sequence[WarehouseFacts]:
        """Return all warehouses, by code."""
        return await self._service.cached(self._erp, "warehouses", self._read_warehouses)

    async def series(self) -> Sequence[Series]:
        """Return the numbering series of returns, by number."""
        return await self._service.cached(self._erp, "series", self._read_series)

    async def valid_values(self, name: str, *, may_be_stale: bool = False) -> Sequence[ValidValue]:
        """Return the valid values of a field of `LIB_ODEV`.

        Args:
            name: name of the field without `U_`.
            may_be_stale: whether an expired value is sufficient, as for a check that the ERP repeats.
        """
        values = await self._service.values(self._erp, self._caller, may_be_stale=may_be_stale)
        return values.get((PLANNING_TABLE, name)) or self._service.needed.valid_values(PLANNING_TABLE, name)

    async def custom_fields(self, *, may_be_stale: bool = False) -> Sequence[CustomField]:
        """Return the installation's fields of a planning, with the valid values of the ERP.

        Args:
            may_be_stale: as in `valid_values`.
        """
        if not self._service.custom_fields:
            return ()
        values = await self._service.values(self._erp, self._caller, may_be_stale=may_be_stale)
        return tuple(
            evolve(
                each,
                values={
                    value.value: value.description for value in values.get((RETURN_TABLE, each.name[2:]), ())
                },
            )
            for each in self._service.custom_fields
        )

    @override
    async def find_warehouse(self, whs_code: str) -> WarehouseFacts | None:
        """See `CatalogueReader.find_warehouse`."""
        return next((each for each in await self.warehouses() if each.code == whs_code), None)

    @override
    async def read_reasons(self) -> Sequence[Reason]:
        """See `CatalogueReader.read_reasons`."""
        values = await self.valid_values(REASON_FIELD, may_be_stale=True)
        return tuple(Reason(value.value, value.description) for value in values)

    @override
    async def read_custom_fields(self) -> Sequence[CustomField]:
        """See `CatalogueReader.read_custom_fields`."""
        return await self.custom_fields(may_be_stale=True)

    @override
    async def has_open_series(self, series: int) -> bool:
        """See `CatalogueReader.has_open_series`."""
        return any(each.number == series and not each.is_locked for each in await self.series())

    @override
    async def quantity_decimals(self) -> int:
        """See `CatalogueReader.quantity_decimals`."""
        info = await self._service.cached(self._erp, "admin info", self._read_admin_info)
        return min(max(info.quantity_decimals, 0), 6)

    @override
    async def price_decimals(self) -> int | None:
        """See `CatalogueReader.price_decimals`."""
        decimals = (await self._service.cached(self._erp, "admin info", self._read_admin_info)).price_decimals
        return decimals if isinstance(decimals, int) else None  # a missing value must not fail a planning

    async def _read_warehouses(self) -> Sequence[WarehouseFacts]:
        select = ("WarehouseCode", "WarehouseName", "EnableBinLocations", "Inactive")
        rows_so_far: list[_WarehouseRow] = []
        while True:
            query = ListQuery(select=select, orderby=("WarehouseCode",), top=PAGE_ROWS, skip=len(rows_so_far))
            with needing_right("Warehouses", task="ver las bodegas"):
                page = await self._erp.list("Warehouses", query, caller=self._caller)
            rows = msgspec.json.decode(page.rows, type=list[_WarehouseRow])
            rows_so_far += rows
            # The ERP may return shorter pages than requested.
            if not rows or len(rows_so_far) >= page.count:
                break
        return tuple(
            WarehouseFacts(row.code, row.name or row.code, row.bins == _YES, row.inactive != _YES)
            for row in rows_so_far
        )

    async def _read_series(self) -> Sequence[Series]:
        body = msgspec.json.encode({"DocumentTypeParams": {"Document": RETURN_OBJECT}})
        with needing_right(_SERIES_SERVICE, task="ver las series de numeración"):
            reply = await self._erp.call_service(_SERIES_SERVICE, body, caller=self._caller)
        rows = msgspec.json.decode(reply.body, type=_SeriesList).value if reply.body else []
        return tuple(
            Series(
                row.number,
                row.name or "",
                row.prefix or "",
                row.next_number,
                is_locked=row.locked == _YES,
                is_electronic=row.electronic == _YES,
            )
            for row in sorted(rows, key=lambda row: row.number)
        )

    async def _read_admin_info(self) -> _AdminInfo:
        with needing_right(_ADMIN_INFO, task="ver los parámetros de la empresa"):
            reply = await self._erp.call_service(_ADMIN_INFO, b"", caller=self._caller)
        return msgspec.json.decode(reply.body, type=_AdminInfo)
