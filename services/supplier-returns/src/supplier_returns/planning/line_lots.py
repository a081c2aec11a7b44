"""Which batches and serial numbers a line may pick, and whether what was picked is there."""

from collections.abc import Sequence

from attrs import frozen

from supplier_returns.planning.errors import LineNotFound, PicksMismatch
from supplier_returns.planning.rules.model import Management
from supplier_returns.planning.rules.picking.lots import Lot, LotChoice, choices, without_others
from supplier_returns.planning.rules.picking.picks import Pick, picks_of
from supplier_returns.planning.rules.plannings import Planning, PlanningLine
from supplier_returns.planning.sources import PlanningSources


@frozen
class LineLots:
    """A line, and what lies in the warehouse of its item: what expires first comes first."""

    line: PlanningLine
    choices: Sequence[LotChoice]


class LotAccess:
    """Reads batches and serial numbers, for one signed-in user.

    Args:
        sources: The user's access to the ERP.
    """

    def __init__(self, sources: PlanningSources) -> None:
        self._at = sources

    async def of_line(self, planning_id: int, line_id: int) -> LineLots:
        """Return what a line of a planning may pick; nothing for an item without batches and serials.

        Raises:
            PlanningNotFound: There is none of this id.
            LineNotFound: It has no such line.
            ServiceError: What lies there can't be proved complete.
        """
        planning = await self._at.repository.get(planning_id)
        line = next((line for line in planning.lines if line.line_id == line_id), None)
        if line is None:
            raise LineNotFound
        return LineLots(line, choices(await self._of_item(planning, line), planning, line))

    async def check(self, planning: Planning, line: PlanningLine, picks: Sequence[Pick]) -> None:
        """Check that what a line picks now lies in the warehouse, and that no other line picked it.

        Raises:
            PicksMismatch: It does not.
            ServiceError: What lies there can't be proved complete.
        """
        left = without_others(await self._of_item(planning, line), planning, line)
        lack = left.find_lack(line.item_code, picks)
        if lack is not None:
            raise PicksMismatch.lacking(lack, line.management)

    async def of_picks(self, planning: Planning, lines: Sequence[PlanningLine]) -> list[Lot]:
        """Return what lies in the warehouse of the items whose batches or serials these lines picked."""
        lots: list[Lot] = []
        for management in (Management.BATCHES, Management.SERIALS):
            items = {
                line.item_code
                for line in lines
                if line.management is management and picks_of(line.allocations)
            }
            if items:
                only = next(iter(items)) if len(items) == 1 else None
                lots += await self._at.lots.read_lots(planning.header.whs_code, management, item_code=only)
        return lots

    async def _of_item(self, planning: Planning, line: PlanningLine) -> Sequence[Lot]:
        if line.management is Management.NONE:
            return ()
        return await self._at.lots.read_lots(
            planning.header.whs_code, line.management, item_code=line.item_code
        )
