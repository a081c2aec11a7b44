"""Access of planning to the ERP, in the signed-in user's session."""

from collections.abc import Iterable, Sequence

from attrs import frozen

from servicekit.errors import FieldProblem, InvalidBody
from supplier_returns.planning.checks import check_answers, check_reason
from supplier_returns.planning.errors import UnknownWarehouse
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader, Reason
from supplier_returns.planning.model.warehouse import Management, WarehouseFacts
from supplier_returns.planning.readers import CatalogueReader, WarehouseReader
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.planning.rules.picks import picks_of


@frozen
class PlanningSources:
    """Access of planning to the ERP.

    Attributes:
        user: ERP user code.
    """

    user: str
    warehouse: WarehouseReader
    catalogue: CatalogueReader
    repository: PlanningRepository

    async def find_warehouse(self, whs_code: str) -> WarehouseFacts:
        """Return an active warehouse.

        Raises:
            UnknownWarehouse: there is no active warehouse with this code.
        """
        warehouse = await self.catalogue.find_warehouse(whs_code)
        if warehouse is None or not warehouse.is_active:
            raise UnknownWarehouse
        return warehouse

    async def find_decimals(self, header: PlanningHeader) -> int:
        """Return the decimals of quantities in a planning, from its record or else from the ERP."""
        decimals = header.decimals
        return await self.catalogue.quantity_decimals() if decimals is None else decimals

    async def find_planned_warehouse(self, header: PlanningHeader) -> WarehouseFacts:
        """Return the warehouse as it was at planning time. The ERP supplies it if the record is older.

        Raises:
            UnknownWarehouse: the record lacks it, and the ERP has no such active warehouse.
        """
        if header.has_bins is None:
            return await self.find_warehouse(header.whs_code)
        return WarehouseFacts(header.whs_code, has_bins=header.has_bins)

    async def read_snapshot(
        self, warehouse: WarehouseFacts, decimals: int, *, item_code: str | None = None
    ) -> WarehouseSnapshot:
        """Read stock and open receipts of a warehouse, or of one of its items.

        Raises:
            ServiceError: the rows may be incomplete.
        """
        stock = await self.warehouse.read_stock(warehouse.code, item_code=item_code)
        receipts = await self.warehouse.read_open_receipts(warehouse.code, item_code=item_code)
        return WarehouseSnapshot(warehouse, stock, receipts, decimals)

    async def read_lots(self, planning: Planning, line: PlanningLine) -> Sequence[Lot]:
        """Read the lots of a line's item, none for an item without batches and serial numbers.

        Raises:
            ServiceError: the rows may be incomplete.
        """
        if line.management is Management.NONE:
            return ()
        return await self.warehouse.read_lots(
            planning.header.whs_code, line.management, item_code=line.item_code
        )

    async def read_picked_lots(self, planning: Planning, lines: Sequence[PlanningLine]) -> Sequence[Lot]:
        """Read the lots of the items for which these lines have picks."""
        lots: list[Lot] = []
        for management in (Management.BATCHES, Management.SERIALS):
            items = {
                line.item_code
                for line in lines
                if line.management is management and picks_of(line.allocations)
            }
            if items:
                # The stored query has a filter for one item only. For several, one call for the whole
                # warehouse is cheaper.
                only = items.pop() if len(items) == 1 else None
                lots += await self.warehouse.read_lots(planning.header.whs_code, management, item_code=only)
        return lots

    async def read_reasons(self, codes: Iterable[str | None]) -> Sequence[Reason]:
        """Read the valid values of the reason, if any line has a reason."""
        return await self.catalogue.read_reasons() if any(codes) else ()

    async def check_header(
        self, header: PlanningHeader, path: str, *, before: PlanningHeader | None = None
    ) -> None:
        """Check the changed values of a header that the ERP has to know.

        Args:
            header: new header.
            path: prefix of its fields in the request body.
            before: recorded header. None for a new planning.

        Raises:
            InvalidBody: the ERP does not have a value.
        """
        series, reason = header.series, header.reason
        is_new_series = series is not None and (before is None or series != before.series)
        if series is not None and is_new_series and not await self.catalogue.has_open_series(series):
            message = "No es una serie abierta para devoluciones."
            raise InvalidBody(errors=[FieldProblem(f"{path}serie", message)])
        if reason is not None and (before is None or reason != before.reason):
            check_reason(reason, await self.catalogue.read_reasons(), f"{path}motivo")
        answers = header.return_fields
        if answers and (before is None or answers != before.return_fields):
            check_answers(answers, await self.catalogue.read_custom_fields(), f"{path}camposDevolucion")
