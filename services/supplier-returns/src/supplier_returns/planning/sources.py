"""What the use cases of planning read and write, bound to the signed-in user's ERP session.

Whoever implements the protocols lets `erpclient.ErpError` and `servicekit.errors.ServiceError` through.
"""

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
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.lots import Lot
from supplier_returns.planning.rules.picks import picks_of


@frozen
class PlanningSources:
    """What planning reads and writes.

    Attributes:
        user: ERP user code.
    """

    user: str
    warehouse: WarehouseReader
    catalogue: CatalogueReader
    repository: PlanningRepository

    async def find_warehouse(self, whs_code: str) -> WarehouseFacts:
        """Return a warehouse that documents may use.

        Raises:
            UnknownWarehouse: There is none of this code.
        """
        warehouse = await self.catalogue.find_warehouse(whs_code)
        if warehouse is None or not warehouse.is_active:
            raise UnknownWarehouse
        return warehouse

    async def find_decimals(self, header: PlanningHeader) -> int:
        """Return how many decimals quantities of a planning have: as it was planned, else as the ERP says."""
        known = header.decimals
        return await self.catalogue.quantity_decimals() if known is None else known

    async def find_planned_warehouse(self, header: PlanningHeader) -> WarehouseFacts:
        """Return the warehouse as it was at planning time; older records lack this, and the ERP supplies it.

        Raises:
            UnknownWarehouse: The record lacks it, and the ERP has no such active warehouse.
        """
        if header.has_bins is None:
            return await self.find_warehouse(header.whs_code)
        return WarehouseFacts(header.whs_code, has_bins=header.has_bins)

    async def read_scene(
        self, warehouse: WarehouseFacts, decimals: int, *, item_code: str | None = None
    ) -> Scene:
        """Read stock and open receipts of a warehouse, or of one of its items.

        Raises:
            ServiceError: They can't be proved complete.
        """
        stock = await self.warehouse.read_stock(warehouse.code, item_code=item_code)
        receipts = await self.warehouse.read_open_receipts(warehouse.code, item_code=item_code)
        return Scene(warehouse, stock, receipts, decimals)

    async def read_lots(self, planning: Planning, line: PlanningLine) -> Sequence[Lot]:
        """Read what lies in the warehouse of a line's item; nothing where it has neither batches nor serials.

        Raises:
            ServiceError: It can't be proved complete.
        """
        if line.management is Management.NONE:
            return ()
        return await self.warehouse.read_lots(
            planning.header.whs_code, line.management, item_code=line.item_code
        )

    async def read_picked_lots(self, planning: Planning, lines: Sequence[PlanningLine]) -> Sequence[Lot]:
        """Read what lies in the warehouse of the items whose batches or serials these lines picked."""
        lots: list[Lot] = []
        for management in (Management.BATCHES, Management.SERIALS):
            items = {
                line.item_code
                for line in lines
                if line.management is management and picks_of(line.allocations)
            }
            if items:
                only = items.pop() if len(items) == 1 else None
                lots += await self.warehouse.read_lots(planning.header.whs_code, management, item_code=only)
        return lots

    async def read_reasons(self, named: Iterable[str | None]) -> Sequence[Reason]:
        """Read the valid values of the reason, where any line names one."""
        return await self.catalogue.read_reasons() if any(named) else ()

    async def check_header(
        self, header: PlanningHeader, path: str, *, before: PlanningHeader | None = None
    ) -> None:
        """Check what the ERP has to know of a header, as far as it changed.

        Args:
            header: As it is to be.
            path: Of its fields in the request's body.
            before: As it was; None for a new one.

        Raises:
            InvalidBody: It does not know it.
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
