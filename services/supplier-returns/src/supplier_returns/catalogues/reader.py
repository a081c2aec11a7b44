"""The catalogues for planning, bound to the signed-in user's ERP session."""

from collections.abc import Sequence
from typing import Final

from typing_extensions import override

from erpclient import Caller, ErpClient
from supplier_returns.catalogues.service import CatalogueService
from supplier_returns.planning.rules.model import Reason, WarehouseFacts
from supplier_returns.planning.sources import CatalogueReader

REASON_FIELD: Final = "Motivo"


class ErpCatalogues(CatalogueReader):
    """What planning asks of the catalogues, for one request.

    Args:
        service: remembers.
        erp: the signed-in user's session.
        caller: for whom.
    """

    def __init__(self, service: CatalogueService, erp: ErpClient, caller: Caller) -> None:
        self._service = service
        self._erp = erp
        self._caller = caller

    @override
    async def find_warehouse(self, whs_code: str) -> WarehouseFacts | None:
        """See `CatalogueReader.find_warehouse`."""
        for each in await self._service.warehouses(self._erp, self._caller):
            if each.code == whs_code:
                return WarehouseFacts(each.code, each.name, each.has_bins, each.is_active)
        return None

    @override
    async def read_reasons(self) -> Sequence[Reason]:
        """See `CatalogueReader.read_reasons`."""
        values = await self._service.valid_values(self._erp, self._caller, REASON_FIELD, at_any_age=True)
        return tuple(Reason(value.value, value.description) for value in values)

    @override
    async def quantity_decimals(self) -> int:
        """See `CatalogueReader.quantity_decimals`."""
        return await self._service.quantity_decimals(self._erp, self._caller)

    @override
    async def price_decimals(self) -> int | None:
        """See `CatalogueReader.price_decimals`."""
        return await self._service.price_decimals(self._erp, self._caller)

    @override
    async def has_open_series(self, series: int) -> bool:
        """See `CatalogueReader.has_open_series`."""
        known = await self._service.series(self._erp, self._caller)
        return any(each.number == series and not each.is_locked for each in known)
