"""Plan stored lines again: for a changed header or item, or with today's stock."""

from collections.abc import Mapping, Sequence

import attrs
from attrs import frozen

from servicekit.errors import InvalidBody
from supplier_returns.planning.checks import check_decimals, check_management, too_precise
from supplier_returns.planning.computing import UserComputing
from supplier_returns.planning.errors import PicksMismatch
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.rules.drafting import WarehouseSnapshot
from supplier_returns.planning.rules.locked_lines import free_lines
from supplier_returns.planning.rules.lots import available_lots
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.rules.plans import (
    changes_activity,
    needs_new_plan,
    replan,
    with_planning_facts,
)
from supplier_returns.planning.sources import PlanningSources
from supplier_returns.quantities import decimals_of


@frozen(eq=False, repr=False)
class Replanning:
    """Plans lines of a stored planning again, without storing the result.

    Args:
        sources: the user's access to the ERP.
        computing: runs long computations.
    """

    _sources: PlanningSources
    _computing: UserComputing

    async def is_needed_for(self, planning: Planning, header: PlanningHeader) -> bool:
        """Return whether the new header changes the plan.

        Another posting date matters if an item is active on one of the two dates only.
        """
        if needs_new_plan(planning, header):
            return True
        if header.posting_date == planning.header.posting_date:
            return False
        return changes_activity(planning, header, await self._sources.warehouse.read_stock(header.whs_code))

    async def plan_every_line(self, planning: Planning, previous_header: PlanningHeader) -> Planning:
        """Plan every line for the planning's new header.

        Another warehouse stores other batches, so a change of warehouse removes the picks.
        """
        decimals = await self._sources.catalogue.quantity_decimals()
        warehouse = await self._sources.find_warehouse(planning.header.whs_code)
        snapshot = await self._sources.read_snapshot(warehouse, decimals)
        lines = planning.lines
        if planning.header.whs_code != previous_header.whs_code:
            lines = tuple(attrs.evolve(line, allocations=()) for line in lines)
        header = with_planning_facts(planning.header, warehouse, decimals)
        return await self._compute(attrs.evolve(planning, header=header, lines=lines), lines, snapshot)

    async def plan_lines_today(self, planning: Planning, lines: Sequence[PlanningLine]) -> Planning:
        """Plan these lines with today's stock and receipts; keep the picks that still fit."""
        header = planning.header
        decimals = await self._sources.catalogue.quantity_decimals()
        warehouse = await self._sources.find_warehouse(header.whs_code)
        snapshot = await self._sources.read_snapshot(warehouse, decimals)
        snapshot = attrs.evolve(snapshot, lots=await self._sources.read_picked_lots(planning, lines))
        changed = attrs.evolve(planning, header=with_planning_facts(header, warehouse, decimals))
        return await self._compute(changed, lines, snapshot)

    async def plan_item(
        self, planning: Planning, line: PlanningLine, picks: Sequence[Pick] | None
    ) -> Planning:
        """Plan a line's item, with the other lines of the same item.

        Args:
            planning: planning with the changed line.
            line: changed line.
            picks: new picks of the line; an empty list removes them, None keeps them.

        Raises:
            InvalidBody: a quantity has more decimals than the ERP stores.
            PicksMismatch: the warehouse does not have these picks, or another line uses them.
        """
        decimals = await self._sources.find_decimals(planning.header)
        warehouse = await self._sources.find_planned_warehouse(planning.header)
        if decimals_of(line.quantity) > decimals:
            raise InvalidBody(errors=[too_precise("cantidad", decimals)])
        snapshot = await self._sources.read_snapshot(warehouse, decimals, item_code=line.item_code)
        if picks:
            check_management(line, picks)
            check_decimals(picks, decimals, "lotes")
            await self._check_picks(planning, line, picks)
        elif picks is not None:
            planning = planning.with_line(attrs.evolve(line, allocations=()))
        lines = free_lines(planning, {line.item_code})
        return await self._compute(planning, lines, snapshot, {line.line_id: picks} if picks else None)

    async def _check_picks(self, planning: Planning, line: PlanningLine, picks: Sequence[Pick]) -> None:
        available = available_lots(await self._sources.read_lots(planning, line), planning, line)
        shortage = available.find_shortage(line.item_code, picks)
        if shortage is not None:
            raise PicksMismatch.for_pick(*shortage)

    async def _compute(
        self,
        planning: Planning,
        lines: Sequence[PlanningLine],
        snapshot: WarehouseSnapshot,
        picks: Mapping[int, Sequence[Pick]] | None = None,
    ) -> Planning:
        planned = await self._computing.plan(replan, planning, lines, snapshot, picks)
        return attrs.evolve(planned, state=planned.state_by_documents)
