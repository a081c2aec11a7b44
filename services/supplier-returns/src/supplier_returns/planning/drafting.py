"""Plans lines against stock and receipts, and puts them into supplier documents. Values in, values out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date
from typing import TypeAlias

import attrs
from attrs import field, frozen

from supplier_returns.planning.allocation import allocate
from supplier_returns.planning.consolidation import consolidate
from supplier_returns.planning.explanations import BINS_UNSUPPORTED, explain, join, marks, unknown_item
from supplier_returns.planning.model import (
    Allocation,
    OpenReceiptLine,
    PlannedItem,
    ReturnDraft,
    StockItem,
    WantedItem,
)
from supplier_returns.planning.picks import Pick, PicksMismatchError, picks_of, spread
from supplier_returns.planning.ports import WarehouseFacts
from supplier_returns.planning.record import (
    ZERO,
    DocumentState,
    LineAllocation,
    LineState,
    PlanningLine,
    SupplierDocument,
)

DocumentGroup: TypeAlias = tuple[str, str, int | None]
"""Supplier, currency and branch."""


@frozen
class Scene:
    """What is planned against.

    Attributes:
        stock: All items read, in any order.
        receipts: All open receipt lines of these items in the warehouse, in any order.
        decimals: Decimals that the ERP keeps for quantities.
    """

    warehouse: WarehouseFacts
    stock: Sequence[StockItem]
    receipts: Sequence[OpenReceiptLine] = field(repr=False)
    decimals: int


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
    """

    scene: Scene
    names: ItemNames
    later: AbstractSet[tuple[str, str | None]]


def plan_lines(
    lines: Sequence[PlanningLine],
    scene: Scene,
    *,
    return_date: date,
    picks: Mapping[int, Sequence[Pick]] | None = None,
) -> list[PlanningLine]:
    """Plan these lines anew; those of one item share its stock and its receipts, in the order given.

    Batches and serial numbers that were picked before are kept where they still add up.

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
    against = _Against(scene, names, later | {(item_code, None) for item_code, _ in later})
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
        allocations = _with_former_picks(fresh, line, against.scene.decimals)
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
    fresh: tuple[LineAllocation, ...], line: PlanningLine, decimals: int
) -> tuple[LineAllocation, ...]:
    picks = picks_of(line.allocations)
    if not picks:
        return fresh
    try:
        return spread(fresh, picks, decimals=decimals)
    except PicksMismatchError:
        return fresh


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
            is_active=item.is_active,
        )
    return join(sentences)


@frozen
class Arrangement:
    """Lines whose allocations know their documents, and the documents."""

    lines: tuple[PlanningLine, ...]
    documents: tuple[SupplierDocument, ...]


def arrange(
    lines: Sequence[PlanningLine],
    documents: Sequence[SupplierDocument],
    *,
    max_lines: int,
    has_bins: bool,
) -> Arrangement:
    """Put every allocation that no document holds into documents.

    Documents that are pending are filled anew and keep their numbers as far as they are still needed.

    Args:
        lines: All lines of the planning.
        documents: All documents it had.
        max_lines: Lines that one document may have.
        has_bins: Whether the warehouse's stock lies in bins; the documents then say so.
    """
    kept = [document for document in documents if document.state is not DocumentState.PENDING]
    held = {document.doc_id for document in kept if document.holds_its_lines}
    places: dict[int, tuple[int, int]] = {}
    loose: list[Allocation] = []
    for line_index, line in enumerate(lines):
        for index, part in enumerate(line.allocations):
            if part.doc_id not in held:
                loose.append(Allocation(line_index, part.receipt, part.inventory, part.document))
                places[id(loose[-1])] = (line_index, index)
    numbers = _Numbers(documents, kept)
    changed = [list(line.allocations) for line in lines]
    made: list[SupplierDocument] = []
    for draft in consolidate(loose, max_lines=max_lines):
        document = numbers.assign(draft, has_bins=has_bins)
        made.append(document)
        for position, group in enumerate(draft.lines):
            for allocation in group:
                line_index, index = places[id(allocation)]
                changed[line_index][index] = attrs.evolve(
                    changed[line_index][index], doc_id=document.doc_id, position=position
                )
    arranged = (
        attrs.evolve(line, allocations=tuple(parts)) for line, parts in zip(lines, changed, strict=True)
    )
    return Arrangement(tuple(arranged), tuple(sorted([*kept, *made], key=lambda document: document.doc_id)))


class _Numbers:
    """Makes documents of drafts: gives each its number and its part."""

    def __init__(self, before: Sequence[SupplierDocument], kept: Sequence[SupplierDocument]) -> None:
        self._next = max((document.doc_id for document in before), default=0) + 1
        self._free: defaultdict[DocumentGroup, list[int]] = defaultdict(list)
        self._parts: Counter[DocumentGroup] = Counter()
        for document in before:
            if document not in kept:
                self._free[_group(document)].append(document.doc_id)
        for document in kept:
            self._parts[_group(document)] = max(self._parts[_group(document)], document.part)

    def assign(self, draft: ReturnDraft, *, has_bins: bool) -> SupplierDocument:
        group = _group(draft)
        if self._free[group]:
            doc_id = self._free[group].pop(0)
        else:
            doc_id, self._next = self._next, self._next + 1
        receipt = draft.lines[0][0].receipt
        return SupplierDocument(
            doc_id=doc_id,
            card_code=draft.card_code,
            name=receipt.supplier_name,
            tax_id=receipt.supplier_tax_id,
            currency=draft.currency,
            branch=draft.branch,
            part=draft.part + self._parts[group],
            line_count=len(draft.lines),
            total=sum((part.document * part.receipt.price for line in draft.lines for part in line), ZERO),
            message=BINS_UNSUPPORTED if has_bins else None,
        )


def _group(document: SupplierDocument | ReturnDraft) -> DocumentGroup:
    return (document.card_code, document.currency, document.branch)


def _without_zeros(code: str) -> str:
    return code.casefold().lstrip("0")


def _only(found: Sequence[StockItem]) -> StockItem | None:
    return found[0] if len(found) == 1 else None
