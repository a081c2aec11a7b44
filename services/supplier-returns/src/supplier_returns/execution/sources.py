"""What an execution reads and writes, bound to the signed-in user's ERP session."""

from collections.abc import Callable, Collection, Coroutine
from typing import Any

from attrs import frozen

from erpclient import ErpRefused
from supplier_returns.execution.repository import ReturnRepository
from supplier_returns.execution.rules.recheck import Holdings, has_other_prices
from supplier_returns.planning.errors import UnknownWarehouse
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.warehouse import WarehouseFacts
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.sources import PlanningSources
from supplier_returns.web.session import WebSession


@frozen
class ExecutionSources:
    """What an execution reads and writes, bound to the signed-in user's ERP session.

    Attributes:
        session: Kept open until the execution ends.
        request_id: Of the request that asks for it.
        ip: Of the browser that asks for it.
        planning: Stock, receipts, catalogue and the plannings.
        is_fence_up: Asks whether returns are posted with the fence.
    """

    session: WebSession
    request_id: str
    ip: str
    planning: PlanningSources
    returns: ReturnRepository
    is_fence_up: Callable[[], Coroutine[Any, Any, bool]]

    async def read_scene(self, header: PlanningHeader, *, must_be_open: bool) -> Scene:
        """Read what is there; what became of documents is found out also where the warehouse is closed.

        Raises:
            UnknownWarehouse: It is closed, and must not be.
            ServiceError: What is there can't be proved complete.
        """
        warehouse = await self.planning.catalogue.find_warehouse(header.whs_code)
        if warehouse is None or not warehouse.is_active:
            if must_be_open:
                raise UnknownWarehouse
            warehouse = WarehouseFacts(header.whs_code, is_active=False)
        return await self.planning.read_scene(warehouse, await self.planning.find_decimals(header))

    async def holdings_of(self, planning: Planning, scene: Scene) -> Holdings:
        """Return what documents are compared with before they are posted.

        How the company rounds prices is asked only where one differs; it does not tell everybody.
        """
        holdings = Holdings.of(scene.stock, scene.receipts)
        if not has_other_prices(planning, holdings):
            return holdings
        try:
            decimals = await self.planning.catalogue.price_decimals()
        except ErpRefused:
            return holdings
        return Holdings.of(scene.stock, scene.receipts, price_decimals=decimals)

    async def record(
        self,
        planning: Planning,
        *,
        doc_ids: Collection[int],
        with_lines: bool = False,
        whole: bool = False,
    ) -> None:
        """Write what changed, or every row where rows are new."""
        repository = self.planning.repository
        if whole:
            await repository.save(planning)
        else:
            await repository.save_progress(planning, doc_ids=doc_ids, with_lines=with_lines)
