"""Changes of a stored planning: read it, look at the ERP, plan again what is concerned, write it back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from servicekit.errors import InvalidBody
from supplier_returns.pasting.numbers import decimals_of
from supplier_returns.planning.checks import (
    check_decimals,
    check_editable,
    check_header_free,
    check_line_free,
    check_managed,
    check_not_done,
    check_pick_decimals,
    check_reason,
    check_reasons,
    refusing_large_plans,
    too_precise,
)
from supplier_returns.planning.computing import UserComputing
from supplier_returns.planning.errors import HeldByDocument, LineNotFound, PicksMismatch, PlanningInExecution
from supplier_returns.planning.line_lots import LotAccess
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.rules.adding import plan_added
from supplier_returns.planning.rules.drafting import Scene
from supplier_returns.planning.rules.model import WarehouseFacts
from supplier_returns.planning.rules.picking.picks import Pick, PicksMismatchError
from supplier_returns.planning.rules.plannings import Planning, PlanningHeader, PlanningLine
from supplier_returns.planning.rules.replanning import (
    marks_otherwise,
    planned_at,
    plans_otherwise,
    replan,
)
from supplier_returns.planning.rules.standing import free_lines, state_of_planning, without_failed
from supplier_returns.planning.sources import PlanningSources


class Changes:
    """Changes of stored plannings, for one signed-in user. One at a time of one planning.

    Args:
        sources: The user's access to the ERP.
        computing: Where what takes long is computed.
        locks: Shared by all users.
        is_running: Tells whether an execution of a planning runs; it can't be changed then.
    """

    def __init__(
        self,
        sources: PlanningSources,
        computing: UserComputing,
        locks: KeyedLocks,
        is_running: Callable[[int], bool],
    ) -> None:
        self._at = sources
        self._lots = LotAccess(sources)
        self._computing = computing
        self._locks = locks
        self._is_running = is_running

    async def header(self, planning_id: int, version: int, changes: Mapping[str, Any]) -> Planning:
        """Change the header; another warehouse, or a date that matters to the plan, plans everything again.

        Args:
            planning_id: Which.
            version: The version that the person has seen.
            changes: Attributes of `PlanningHeader` with their new values.

        Raises:
            PlanningNotFound: There is none of this id.
            ServiceError: It may not be changed, or not so.
        """
        self._check_idle(planning_id)
        async with self._locks.hold(planning_id):
            planning = await self._at.repository.get(planning_id)
            check_editable(planning, version)
            freed = without_failed(planning, None)
            check_header_free(freed)
            header = attrs.evolve(planning.header, **changes)
            if header == planning.header:
                return planning
            await self._at.check_header(header, "", before=planning.header)
            changed = _changed(freed, header=header)
            if freed != planning or await self._plans_otherwise(planning, header):
                changed = await self._plan_again(changed, planning.header)
                await self._at.repository.save(changed)
            else:
                await self._at.repository.save_header(changed)
            return changed

    async def line(
        self,
        planning_id: int,
        line_id: int,
        version: int,
        changes: Mapping[str, Any],
        picks: Sequence[Pick] | None = None,
    ) -> Planning:
        """Change a line and plan its item again, with the other lines of the same item.

        Args:
            planning_id: Which.
            line_id: Which line.
            version: The version that the person has seen.
            changes: Attributes of `PlanningLine` with their new values.
            picks: Batches or serial numbers to use, none of them to forget what was picked, None to leave it.

        Raises:
            PlanningNotFound: There is none of this id.
            LineNotFound: It has no such line.
            PicksMismatch: The picks don't fit.
            ServiceError: It may not be changed, or not so.
        """
        self._check_idle(planning_id)
        async with self._locks.hold(planning_id):
            planning = await self._at.repository.get(planning_id)
            check_editable(planning, version)
            check_not_done(planning)
            before = next((line for line in planning.lines if line.line_id == line_id), None)
            if before is None:
                raise LineNotFound
            freed = without_failed(planning, {before.item_code})
            check_line_free(before, freed)
            line = attrs.evolve(before, **changes)
            if line == before and picks is None:
                return planning
            if line.reason != before.reason and line.reason is not None:
                reasons = await self._at.catalogue.read_reasons()
                check_reason(line.reason, reasons, "motivo")
            changed = _with_line(_changed(freed), line)
            otherwise = attrs.evolve(line, reason=before.reason) != before
            if picks is not None or otherwise or freed != planning:
                changed = await self._plan_item(changed, line, picks)
            await self._at.repository.save(changed)
            return changed

    async def replan(self, planning_id: int, version: int) -> Planning:
        """Plan again with today's stock and receipts what no document holds; picks stay as far as they fit.

        Args:
            planning_id: Which.
            version: The version that the person has seen.

        Raises:
            PlanningNotFound: There is none of this id.
            ServiceError: It may not be changed.
        """
        self._check_idle(planning_id)
        async with self._locks.hold(planning_id):
            planning = await self._at.repository.get(planning_id)
            check_editable(planning, version)
            check_not_done(planning)
            freed = without_failed(planning, None)
            lines = free_lines(freed)
            if not lines:
                raise HeldByDocument
            header = planning.header
            decimals = await self._at.catalogue.quantity_decimals()
            warehouse = await self._at.find_warehouse(header.whs_code)
            scene = await self._at.read_scene(warehouse, decimals)
            scene = attrs.evolve(scene, lots=await self._lots.of_picks(planning, lines))
            changed = attrs.evolve(_changed(freed), header=planned_at(header, warehouse, decimals))
            changed = await self._replanned(changed, lines, scene, None)
            if attrs.evolve(changed, version=version) == planning:
                return planning
            await self._at.repository.save(changed)
            return changed

    async def add(self, planning_id: int, version: int, asked: Sequence[PlanningLine]) -> Planning:
        """Add lines and plan their items, with the other lines of the same items.

        What is asked of an item for a reason that a line is there for already is added to that line.

        Args:
            planning_id: Which.
            version: The version that the person has seen.
            asked: As they are asked; their numbers don't matter.

        Raises:
            PlanningNotFound: There is none of this id.
            InvalidBody: A reason or a quantity that the ERP does not take.
            ServiceError: It may not be changed.
        """
        self._check_idle(planning_id)
        async with self._locks.hold(planning_id):
            planning = await self._at.repository.get(planning_id)
            check_editable(planning, version)
            check_not_done(planning)
            decimals, warehouse = await self._planned_at(planning.header)
            check_decimals(asked, decimals)
            check_reasons(asked, await self._at.read_reasons(line.reason for line in asked))
            scene = await self._at.read_scene(warehouse, decimals)
            with refusing_large_plans():
                added = await self._computing.on_thread(plan_added, planning, asked, scene)
            changed = _changed(added)
            await self._at.repository.save(changed)
            return changed

    def _check_idle(self, planning_id: int) -> None:
        """Refuse at once what would have to wait for the end of an execution.

        Raises:
            PlanningInExecution: One runs.
        """
        if self._is_running(planning_id):
            raise PlanningInExecution

    async def _plans_otherwise(self, planning: Planning, header: PlanningHeader) -> bool:
        """Tell whether a header has to be planned with; items may be inactive on one of two dates alone."""
        if plans_otherwise(planning, header):
            return True
        if header.posting_date == planning.header.posting_date:
            return False
        return marks_otherwise(planning, header, await self._at.stock.read_stock(header.whs_code))

    async def _plan_item(
        self, planning: Planning, line: PlanningLine, picks: Sequence[Pick] | None
    ) -> Planning:
        decimals, warehouse = await self._planned_at(planning.header)
        if decimals_of(line.quantity) > decimals:
            raise InvalidBody(errors=[too_precise("cantidad", decimals)])
        scene = await self._at.read_scene(warehouse, decimals, item_code=line.item_code)
        chosen = {line.line_id: picks} if picks else None
        if picks:
            check_managed(line, picks)
            check_pick_decimals(picks, decimals)
            await self._lots.check(planning, line, picks)
        elif picks is not None:
            planning = _with_line(planning, attrs.evolve(line, allocations=()))
        again = free_lines(planning, {line.item_code})
        return await self._replanned(planning, again, scene, chosen)

    async def _planned_at(self, header: PlanningHeader) -> tuple[int, WarehouseFacts]:
        """Return what a planning was planned with; what its record does not tell, the ERP does."""
        decimals = header.decimals
        if decimals is None:
            decimals = await self._at.catalogue.quantity_decimals()
        if header.has_bins is None:
            return decimals, await self._at.find_warehouse(header.whs_code)
        return decimals, WarehouseFacts(header.whs_code, has_bins=header.has_bins)

    async def _plan_again(self, planning: Planning, before: PlanningHeader) -> Planning:
        """Plan every line anew. In another warehouse other batches lie, so picks are forgotten there."""
        decimals = await self._at.catalogue.quantity_decimals()
        warehouse = await self._at.find_warehouse(planning.header.whs_code)
        scene = await self._at.read_scene(warehouse, decimals)
        lines = planning.lines
        if planning.header.whs_code != before.whs_code:
            lines = tuple(attrs.evolve(line, allocations=()) for line in lines)
        header = planned_at(planning.header, warehouse, decimals)
        return await self._replanned(attrs.evolve(planning, header=header, lines=lines), lines, scene, None)

    async def _replanned(
        self,
        planning: Planning,
        lines: Sequence[PlanningLine],
        scene: Scene,
        picks: Mapping[int, Sequence[Pick]] | None,
    ) -> Planning:
        try:
            with refusing_large_plans():
                planned = await self._computing.on_thread(replan, planning, lines, scene, picks)
        except PicksMismatchError as error:
            raise PicksMismatch.in_sum(error.picked, error.allocated) from error
        return attrs.evolve(planned, state=state_of_planning(planned.documents))


def _changed(planning: Planning, **changes: Any) -> Planning:
    """Return a planning that is about to be written with changes."""
    return attrs.evolve(
        planning,
        version=planning.version + 1,
        state=state_of_planning(planning.documents),
        **changes,
    )


def _with_line(planning: Planning, changed: PlanningLine) -> Planning:
    lines = (changed if line.line_id == changed.line_id else line for line in planning.lines)
    return attrs.evolve(planning, lines=tuple(lines))
