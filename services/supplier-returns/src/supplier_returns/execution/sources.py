"""An execution's access to the ERP, in the signed-in user's session."""

from collections.abc import Callable, Collection, Coroutine
from typing import Any

from attrs import frozen

from erpclient import ErpRefused
from supplier_returns.execution.repository import ReturnRepository
from supplier_returns.execution.rules.recheck import Holdings, has_other_prices
from supplier_returns.planning.errors import UnknownWarehouse
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.warehouse import WarehouseFacts
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.sources import PlanningSources
from supplier_returns.web.session import WebSession


@frozen
class ExecutionSources:
    """An execution's access to the ERP, in the signed-in user's session.

    Attributes:
        session: session, which stays open until the execution ends.
        request_id: ID of the request that started the execution.
        ip: IP address of the browser.
        planning: access to stock, receipts, catalogue and plannings.
        is_fence_up: returns whether posts include the fence.
    """

    session: WebSession
    request_id: str
    ip: str
    planning: PlanningSources
    returns: ReturnRepository
    is_fence_up: Callable[[], Coroutine[Any, Any, bool]]

    async def read_snapshot(self, header: PlanningHeader, *, must_be_open: bool) -> WarehouseSnapshot:
        """Read stock and receipts. Reprocessing also works for a closed warehouse.

        Raises:
            UnknownWarehouse: the warehouse is closed, and must be open.
            ServiceError: the stock or the receipts may be incomplete.
        """
        warehouse = await self.planning.catalogue.find_warehouse(header.whs_code)
        if warehouse is None or not warehouse.is_active:
            if must_be_open:
                raise UnknownWarehouse
            # Results of earlier posts must be recorded even if the warehouse has been deactivated since.
            warehouse = WarehouseFacts(header.whs_code, is_active=False)
        return await self.planning.read_snapshot(warehouse, await self.planning.find_decimals(header))

    async def holdings_of(self, planning: Planning, snapshot: WarehouseSnapshot) -> Holdings:
        """Return the stock and receipts that documents are compared with before their posts.

        The company's price decimals are read only if a price differs, because many users lack the right to
        them.
        """
        holdings = Holdings.of(snapshot.stock, snapshot.receipts)
        if not has_other_prices(planning, holdings):
            return holdings
        try:
            decimals = await self.planning.catalogue.price_decimals()
        except ErpRefused:
            return holdings
        return Holdings.of(snapshot.stock, snapshot.receipts, price_decimals=decimals)

    async def record(
        self,
        planning: Planning,
        *,
        doc_ids: Collection[int],
        with_lines: bool = False,
        whole: bool = False,
    ) -> None:
        """Write the changed rows, or every row if `whole` is set."""
        repository = self.planning.repository
        if whole:
            await repository.save(planning)
        else:
            await repository.save_progress(planning, doc_ids=doc_ids, with_lines=with_lines)
