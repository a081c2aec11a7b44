"""What the use cases of planning read and write, bound to the signed-in user's ERP session."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, tzinfo

from attrs import frozen

from servicekit.errors import FieldProblem, InvalidBody
from supplier_returns.planning.checks import check_reason
from supplier_returns.planning.errors import UnknownWarehouse
from supplier_returns.planning.ports import CatalogueReader, LotReader, ReceiptReader, StockReader
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.model import Reason, WarehouseFacts
from supplier_returns.planning.rules.plannings import PlanningHeader


@frozen
class PlanningRules:
    """What the installation says about plannings.

    Attributes:
        max_lines: Lines that one supplier document may have.
        today: The company's date.
        timezone: The company's: of days in filters.
    """

    max_lines: int
    today: Callable[[], date]
    timezone: tzinfo


@frozen
class PlanningSources:
    """What planning reads and writes.

    Attributes:
        user: ERP user code.
    """

    user: str
    stock: StockReader
    receipts: ReceiptReader
    lots: LotReader
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

    async def read_scene(
        self, warehouse: WarehouseFacts, decimals: int, *, item_code: str | None = None
    ) -> Scene:
        """Read stock and open receipts of a warehouse, or of one of its items.

        Raises:
            ServiceError: They can't be proved complete.
        """
        stock = await self.stock.read_stock(warehouse.code, item_code=item_code)
        receipts = await self.receipts.read_open_receipts(warehouse.code, item_code=item_code)
        return Scene(warehouse, stock, receipts, decimals)

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
        series_changes = before is None or header.series != before.series
        if (
            series_changes
            and header.series is not None
            and not await self.catalogue.has_open_series(header.series)
        ):
            message = "No es una serie abierta para devoluciones."
            raise InvalidBody(errors=[FieldProblem(f"{path}serie", message)])
        if header.reason is not None and (before is None or header.reason != before.reason):
            check_reason(header.reason, await self.catalogue.read_reasons(), f"{path}motivo")
