"""Plans lines against stock and receipts and says what became of them. Values in, values out."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date

import attrs
from attrs import field, frozen

from supplier_returns.planning.rules.allocation import allocate
from supplier_returns.planning.rules.explanations import explain, join, marks, unknown_item
from supplier_returns.planning.rules.model import (
    OpenReceiptLine,
    PlannedItem,
    StockItem,
    WantedItem,
    WarehouseFacts,
)
from supplier_returns.planning.rules.picking.lots import Lot, Lots
from supplier_returns.planning.rules.picking.picks import Pick, PicksMismatchError, keep, picks_of, spread
from supplier_returns.planning.rules.plannings import ZERO, LineAllocation, LineState, PlanningLine


@frozen
class Scene:
    """What is planned against.

    Attributes:
        stock: All items read, in any order.
        receipts: All open receipt lines of these items in the warehouse, in any order.
        decimals: Decimals that the ERP keeps for quantities.
        lots: Batches and serial numbers in the warehouse, as far as any are picked; None where nobody looked.
    """

    warehouse: WarehouseFacts
    stock: Sequence[StockItem]
    receipts: Sequence[OpenReceiptLine] = field(repr=False)
    decimals: int
    lots: Sequence[Lot] | None = None


class ItemNames:
    """Finds the ERP's own spelling of item codes.

    Args:
        stock: What the warehouse knows.
    """

    def __init__(self, stock: Iterable[StockItem]) -> None:
        self._by_code = {item.code: item for item in stock}
        self._folded: defaultdict[str, list[StockItem]] = defaultdict(list)
        self._unpadded: defaultdict[str, list[StockItem]] = defaultdict(list)
        for item in self._by_code.values():
            self._folded[item.code.casefold()].append(item)
            self._unpadded[_without_zeros(item.code)].append(item)

    def find(self, code: str) -> StockItem | None:
        """Return the item of this code; letter case matters only where it has to tell two items apart."""
        exact = self._by_code.get(code)
        return exact if exact is not None else _only(self._folded.get(code.casefold(), []))

    def suggest(self, code: str) -> str | None:
        """Return the one code that differs from an unknown one in leading zeros only."""
        found = _only(self._unpadded.get(_without_zeros(code), []))
        return None if found is None else found.code


@frozen
class _Against:
    """What lines are described against.

    Attributes:
        later: Items with open receipts dated after the return: with each supplier, and with None for any.
        lots: What is left of each lot while one line after the other keeps its picks.
    """

    scene: Scene
    return_date: date
    names: ItemNames
    later: AbstractSet[tuple[str, str | None]]
    lots: Lots | None


def plan_lines(
    lines: Sequence[PlanningLine],
    scene: Scene,
    *,
    return_date: date,
    picks: Mapping[int, Sequence[Pick]] | None = None,
) -> list[PlanningLine]:
    """Plan these lines anew; those of one item share its stock and its receipts, in the order given.

    Batches and serial numbers that were picked before are kept as far as they still fit.

    Args:
        lines: All lines of each of their items that may be planned; what they had allocated is forgotten.
        scene: What to plan against.
        return_date: Posting date of the returns.
        picks: What is picked now, by line id.

    Returns:
        The lines in the same order, without documents.

    Raises:
        PicksMismatchError: What is picked now does not add up to what the line gives back.
    """
    names = ItemNames(scene.stock)
    known = [names.find(line.item_code) for line in lines]
    wanted = [
        WantedItem(index, item.code if item else line.item_code, line.quantity, line.card_code)
        for index, (line, item) in enumerate(zip(lines, known, strict=True))
        if not line.excluded
    ]
    planned = allocate(
        wanted,
        {item.code: item.on_hand for item in scene.stock},
        scene.receipts,
        decimals=scene.decimals,
        return_date=return_date,
    )
    by_index = {each.wanted.line_id: each for each in planned}
    chosen = picks or {}
    later = {(each.item_code, each.card_code) for each in scene.receipts if each.doc_date > return_date}
    lots = None if scene.lots is None else Lots(scene.lots)
    against = _Against(scene, return_date, names, later | {(item_code, None) for item_code, _ in later}, lots)
    return [
        _described(line, item, by_index.get(index), chosen.get(line.line_id), against)
        for index, (line, item) in enumerate(zip(lines, known, strict=True))
    ]


def _described(
    line: PlanningLine,
    item: StockItem | None,
    planned: PlannedItem | None,
    picks: Sequence[Pick] | None,
    against: _Against,
) -> PlanningLine:
    if item is not None:
        line = attrs.evolve(
            line, item_code=item.code, name=item.name, unit=item.unit, management=item.management
        )
    if planned is None:
        if picks:
            raise PicksMismatchError(sum((pick.quantity for pick in picks), ZERO), ZERO)
        return attrs.evolve(
            line,
            stock=ZERO if item is None else item.on_hand,
            no_stock=ZERO,
            no_receipt=ZERO,
            indivisible=ZERO,
            allocations=(),
            state=LineState.EXCLUDED,
            message="Excluida de la devolución.",
        )
    fresh = tuple(LineAllocation(each.receipt, each.inventory, each.document) for each in planned.allocations)
    if picks is not None:
        allocations = spread(fresh, picks, decimals=against.scene.decimals)
    else:
        allocations = _with_former_picks(fresh, line, against)
    line = attrs.evolve(
        line,
        stock=planned.stock,
        no_stock=planned.no_stock,
        no_receipt=planned.no_receipt,
        indivisible=planned.indivisible,
        allocations=allocations,
    )
    return attrs.evolve(line, state=state_of(line), message=_message(line, item, against))


def _with_former_picks(
    fresh: tuple[LineAllocation, ...], line: PlanningLine, against: _Against
) -> tuple[LineAllocation, ...]:
    picks = picks_of(line.allocations)
    if against.lots is not None:
        allocated = sum((part.inventory for part in fresh), ZERO)
        picks = against.lots.take(line.item_code, picks, most=allocated)
    return keep(fresh, picks, decimals=against.scene.decimals)


def state_of(line: PlanningLine) -> LineState:
    """Return the state of a line that is planned and that no document holds."""
    allocated = line.allocated
    if not allocated:
        shortages = {
            LineState.NO_STOCK: line.no_stock,
            LineState.NO_RECEIPT: line.no_receipt,
            LineState.INDIVISIBLE: line.indivisible,
        }
        return max(shortages, key=lambda state: shortages[state])
    if line.lacks_picks:
        return LineState.NEEDS_PICKS
    return LineState.PLANNED if allocated == line.quantity else LineState.PARTIAL


def _message(line: PlanningLine, item: StockItem | None, against: _Against) -> str | None:
    if item is None:
        return join(unknown_item(against.names.suggest(line.item_code)))
    sentences = explain(
        quantity=line.quantity,
        allocated=line.allocated,
        stock=line.stock,
        no_stock=line.no_stock,
        no_receipt=line.no_receipt,
        indivisible=line.indivisible,
        card_code=line.card_code,
        comes_later=(line.item_code, line.card_code) in against.later,
    )
    if line.allocations:
        sentences += marks(
            management=line.management,
            lacks_picks=line.lacks_picks,
            has_bins=against.scene.warehouse.has_bins,
            is_active=item.is_active_on(against.return_date),
        )
    return join(sentences)


def _without_zeros(code: str) -> str:
    return code.casefold().lstrip("0")


def _only(found: Sequence[StockItem]) -> StockItem | None:
    return found[0] if len(found) == 1 else None
