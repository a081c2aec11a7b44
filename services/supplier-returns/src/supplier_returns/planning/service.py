"""The use cases of planning: fetch, decide by pure functions, store. One `PlanningService` per request."""

from collections.abc import Callable, Sequence

from attrs import frozen

from supplier_returns.planning.changes import Changes
from supplier_returns.planning.checks import (
    check_decimals,
    check_reasons,
    refusing_large_plans,
)
from supplier_returns.planning.computing import UserComputing
from supplier_returns.planning.errors import (
    OpenPlanningExists,
)
from supplier_returns.planning.line_lots import LotAccess
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.previews import Previews
from supplier_returns.planning.rules.adding import plan_asked
from supplier_returns.planning.rules.plannings import (
    Planning,
    PlanningFilter,
    PlanningHeader,
    PlanningLine,
    PlanningPage,
)
from supplier_returns.planning.rules.replanning import planned_at
from supplier_returns.planning.sources import PlanningRules, PlanningSources


@frozen(kw_only=True)
class NewPlanning:
    """What a person asks for.

    Attributes:
        header: With its lines-per-document still to be set.
        lines: As asked; what became of them is still unknown.
    """

    header: PlanningHeader
    lines: Sequence[PlanningLine]
    digest: str = ""
    allow_another: bool = False


class PlanningService:
    """The use cases, for one signed-in user.

    Args:
        sources: The user's access to the ERP.
        computing: Where what takes long is computed.
        locks: Shared by all users.
        rules: Of the installation.
        is_running: Tells whether an execution of a planning runs; it can't be changed then.

    Attributes:
        previews: What pastes would become.
        change: Changes of stored plannings.
        lots: Which batches and serial numbers lines may pick.
    """

    def __init__(
        self,
        sources: PlanningSources,
        computing: UserComputing,
        locks: KeyedLocks,
        rules: PlanningRules,
        is_running: Callable[[int], bool],
    ) -> None:
        self.previews = Previews(sources, computing, rules)
        self.lots = LotAccess(sources)
        self.change = Changes(sources, computing, locks, is_running)
        self._at = sources
        self._computing = computing
        self._locks = locks

    async def create(self, new: NewPlanning) -> Planning:
        """Plan and store.

        Raises:
            InvalidBody: A series, a reason or a quantity that the ERP does not take.
            OpenPlanningExists: The user has an open one for the warehouse and does not want another.
            UnknownWarehouse: The ERP has no such warehouse.
            PlanningTooLarge: It touches too many receipt lines.
        """
        decimals = await self._at.catalogue.quantity_decimals()
        check_decimals(new.lines, decimals)
        warehouse = await self._at.find_warehouse(new.header.whs_code)
        await self._at.check_header(new.header, "cabecera.")
        reasons = await self._at.read_reasons(line.reason for line in new.lines)
        check_reasons(new.lines, reasons)
        async with self._locks.hold(("create", self._at.user, warehouse.code)):
            if not new.allow_another:
                newest = await self.find_open(warehouse.code)
                if newest is not None:
                    raise OpenPlanningExists(newest.id)
            scene = await self._at.read_scene(warehouse, decimals)
            header = planned_at(new.header, warehouse, decimals)
            with refusing_large_plans():
                planned = await self._computing.on_thread(
                    plan_asked, new.lines, scene, max_lines=header.max_lines, return_date=header.posting_date
                )
            return await self._at.repository.create(
                Planning(
                    header=header,
                    lines=planned.lines,
                    documents=planned.documents,
                    created_by=self._at.user,
                    digest=new.digest,
                )
            )

    async def get(self, planning_id: int) -> Planning:
        """Return a planning.

        Raises:
            PlanningNotFound: There is none of this id.
        """
        return await self._at.repository.get(planning_id)

    async def find_open(self, whs_code: str | None) -> Planning | None:
        """Return the user's newest open planning, of this warehouse where one is named."""
        return await self._at.repository.find_newest(self._open_ones(whs_code))

    async def find(self, where: PlanningFilter, *, page: int, size: int) -> PlanningPage:
        """Return one page (from 1) of the plannings that fit, newest first."""
        return await self._at.repository.find(where, skip=(page - 1) * size, top=size)

    def _open_ones(self, whs_code: str | None) -> PlanningFilter:
        return PlanningFilter(is_open=True, whs_code=whs_code, created_by=self._at.user)
