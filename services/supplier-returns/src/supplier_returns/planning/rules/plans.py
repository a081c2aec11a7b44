"""A whole plan at once: lines planned and put into documents. Pure; takes long when there is a lot."""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from datetime import date
from decimal import Decimal
from itertools import count
from typing import Final

import attrs
from msgspec.structs import replace

from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import Planning, PlanningHeader
from supplier_returns.planning.model.states import DocumentState, LineState
from supplier_returns.planning.model.warehouse import StockItem, WarehouseFacts
from supplier_returns.planning.rules.documents import Arrangement, arrange
from supplier_returns.planning.rules.drafting import Scene, plan_lines
from supplier_returns.planning.rules.names import ItemNames
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.planning.rules.policy import free_lines
from supplier_returns.quantities import ZERO

MAX_ROWS: Final = 10_000
"""Lines, and allocations, that one planning may have: the ERP keeps a row of each."""


class PlanTooLargeError(Exception):
    """A plan has more lines, or more allocations, than `MAX_ROWS`."""


def merged(requested: Iterable[PlanningLine]) -> list[PlanningLine]:
    """Make one line of what is asked of one item for one reason; add up quantities and rows.

    The lines are numbered from 1 in order of first appearance.
    """
    together: dict[tuple[str, str | None], list[PlanningLine]] = {}
    for each in requested:
        together.setdefault((each.item_code, each.reason), []).append(each)
    return [
        attrs.evolve(
            parts[0],
            line_id=line_id,
            quantity=sum((each.quantity for each in parts), ZERO),
            rows=tuple(row for each in parts for row in each.rows),
        )
        for line_id, parts in enumerate(together.values(), start=1)
    ]


def plan(lines: Sequence[PlanningLine], scene: Scene, *, max_lines: int, return_date: date) -> Arrangement:
    """Plan new lines.

    Args:
        lines: As asked.
        scene: What to plan against.
        max_lines: Lines that one document may have.
        return_date: Posting date of the returns.

    Raises:
        PlanTooLargeError: It has too many lines, or touches too many receipt lines.
    """
    _check_size(lines)
    planned = plan_lines(lines, scene, return_date=return_date)
    _check_size(planned)
    return arrange(planned, (), max_lines=max_lines, has_bins=scene.warehouse.has_bins)


def replan(
    planning: Planning,
    lines: Sequence[PlanningLine],
    scene: Scene,
    picks: Mapping[int, Sequence[Pick]] | None = None,
) -> Planning:
    """Plan some lines of a planning anew and fill its documents again.

    Args:
        planning: The others of its lines stay as they are.
        lines: As for `plan_lines`.
        scene: What to plan against.
        picks: What is picked now, by line id.

    Raises:
        PicksMismatchError: What is picked now does not add up to what the line gives back.
        PlanTooLargeError: It has too many lines, or touches too many receipt lines.
    """
    _check_size(planning.lines)
    scene = _without_what_is_spoken_for(scene, planning, {line.line_id for line in lines})
    again = plan_lines(lines, scene, return_date=planning.header.posting_date, picks=picks)
    by_id = {line.line_id: line for line in again}
    every = [by_id.get(line.line_id, line) for line in planning.lines]
    return _arranged(planning, every, scene)


def rests_of(planning: Planning) -> list[PlanningLine]:
    """Return what documents that were given up held, as lines of their own with what they had picked of it.

    Args:
        planning: Some of its allocations are in omitted documents.
    """
    gone = _gone(planning)
    rests = []
    for line in planning.lines:
        loose = tuple(part for part in line.allocations if part.doc_id in gone)
        rest = line.quantity - sum(
            (part.inventory for part in line.allocations if part.doc_id not in gone), ZERO
        )
        if loose and rest > 0:
            rests.append(attrs.evolve(line, quantity=rest, allocations=loose))
    return rests


def replan_rest(planning: Planning, scene: Scene) -> Planning:
    """Plan anew what documents that were given up held, and fill documents with it.

    What is in other documents stays there, also where these only wait to be executed, and is taken off what
    is planned.

    Args:
        planning: Some of its allocations are in omitted documents.
        scene: What to plan against, as it is now.

    Raises:
        PlanTooLargeError: It touches too many receipt lines.
    """
    gone = _gone(planning)
    rests = rests_of(planning)
    again = {rest.line_id for rest in rests}
    kept = {
        line.line_id: tuple(part for part in line.allocations if part.doc_id not in gone)
        for line in planning.lines
        if line.line_id in again
    }
    scene = _without_what_is_spoken_for(scene, planning, kept, waiting_too=True)
    by_id = {
        line.line_id: line for line in plan_lines(rests, scene, return_date=planning.header.posting_date)
    }
    every = [
        attrs.evolve(
            by_id[line.line_id],
            quantity=line.quantity,
            allocations=(*kept[line.line_id], *by_id[line.line_id].allocations),
        )
        if line.line_id in by_id
        else line
        for line in planning.lines
    ]
    return _arranged(planning, every, scene, keep_waiting=True)


def _arranged(
    planning: Planning, lines: Sequence[PlanningLine], scene: Scene, *, keep_waiting: bool = False
) -> Planning:
    _check_size(lines)
    arranged = arrange(
        lines,
        planning.documents,
        max_lines=planning.header.max_lines,
        has_bins=scene.warehouse.has_bins,
        keep_waiting=keep_waiting,
    )
    failed = {each.doc_id for each in arranged.documents if each.state is DocumentState.FAILED}
    return attrs.evolve(
        planning,
        lines=tuple(_without_failure(line, failed) for line in arranged.lines),
        documents=arranged.documents,
    )


def _without_failure(line: PlanningLine, failed: Set[int]) -> PlanningLine:
    if line.state is LineState.FAILED and failed.isdisjoint(part.doc_id for part in line.allocations):
        return attrs.evolve(line, state=line.planned_state)
    return line


def needs_new_plan(planning: Planning, header: PlanningHeader) -> bool:
    """Tell whether a header plans otherwise: in another warehouse, or with a date that receipts depend on."""
    before = planning.header
    if header.whs_code != before.whs_code:
        return True
    if header.posting_date > before.posting_date:
        return any(line.no_receipt for line in planning.lines)
    return any(
        part.receipt.doc_date > header.posting_date for line in planning.lines for part in line.allocations
    )


def changes_activity(planning: Planning, header: PlanningHeader, stock: Iterable[StockItem]) -> bool:
    """Tell whether an item that goes back is active on one of the two posting dates alone: recorded or new.

    Args:
        planning: As recorded.
        header: As it is to be.
        stock: At least the items that go back.
    """
    days = planning.header.posting_date, header.posting_date
    goes_back = {part.receipt.item_code for line in planning.lines for part in line.allocations}
    return any(
        item.code in goes_back and item.is_active_on(days[0]) != item.is_active_on(days[1]) for item in stock
    )


def planned_at(header: PlanningHeader, warehouse: WarehouseFacts, decimals: int) -> PlanningHeader:
    """Keep with a planning what a change of one line needs to know: it then need not ask the ERP again."""
    return attrs.evolve(header, whs_code=warehouse.code, has_bins=warehouse.has_bins, decimals=decimals)


def _gone(planning: Planning) -> Set[int]:
    return {document.doc_id for document in planning.documents if document.state is DocumentState.OMITTED}


def _check_size(lines: Sequence[PlanningLine]) -> None:
    if max(len(lines), sum(len(line.allocations) for line in lines)) > MAX_ROWS:
        raise PlanTooLargeError


def _without_what_is_spoken_for(
    scene: Scene, planning: Planning, again: Container[int], *, waiting_too: bool = False
) -> Scene:
    """Take off what is not planned now, and the ERP has not booked for sure.

    That is what documents hold, and everything of the lines that are not planned again.

    Args:
        scene: What the ERP has.
        planning: As it is so far.
        again: Ids of the lines that are planned again.
        waiting_too: Whether their parts in documents that wait stay there.
    """
    waiting = {
        document.doc_id
        for document in planning.documents
        if document.may_still_take_stock or (waiting_too and document.state is DocumentState.PENDING)
    }
    settled = {document.doc_id for document in planning.documents if document.state.is_made}
    spoken_for = [
        part
        for line in planning.lines
        for part in line.allocations
        if part.doc_id in waiting or (line.line_id not in again and part.doc_id not in settled)
    ]
    if not spoken_for:
        return scene
    of_item: defaultdict[str, Decimal] = defaultdict(Decimal)
    of_receipt: defaultdict[int, Decimal] = defaultdict(Decimal)
    in_its_unit: defaultdict[int, Decimal] = defaultdict(Decimal)
    of_lot: defaultdict[tuple[str, str | None], Decimal] = defaultdict(Decimal)
    for part in spoken_for:
        of_item[part.receipt.item_code] += part.inventory
        of_receipt[part.receipt.age] += part.inventory
        in_its_unit[part.receipt.age] += part.document
        of_lot[part.receipt.item_code, part.lot] += part.inventory
    return attrs.evolve(
        scene,
        lots=scene.lots
        and [
            attrs.evolve(lot, quantity=lot.quantity - of_lot[lot.item_code, lot.name]) for lot in scene.lots
        ],
        stock=[replace(item, on_hand=item.on_hand - of_item[item.code]) for item in scene.stock],
        receipts=[
            replace(
                receipt,
                open_inventory=receipt.open_inventory - of_receipt[receipt.age],
                open_document=receipt.open_document - in_its_unit[receipt.age],
            )
            for receipt in scene.receipts
            if receipt.open_inventory > of_receipt[receipt.age]
        ],
    )


def plan_requested(
    requested: Iterable[PlanningLine], scene: Scene, *, max_lines: int, return_date: date
) -> Arrangement:
    """Plan what is asked of a new planning.

    Args:
        requested: The lines; their numbers don't matter.
        scene: What to plan against.
        max_lines: Lines that one document may have.
        return_date: Posting date of the returns.

    Raises:
        PlanTooLargeError: It has too many lines, or touches too many receipt lines.
    """
    lines = with_erp_codes(requested, scene.stock)
    return plan(lines, scene, max_lines=max_lines, return_date=return_date)


def plan_added(planning: Planning, requested: Iterable[PlanningLine], scene: Scene) -> Planning:
    """Add lines to a planning, and plan them with its other lines of the same items.

    Args:
        planning: As recorded; of its documents those that failed for sure are given up where they hold
            something of the items.
        requested: The lines; their numbers don't matter.
        scene: What to plan against: at least these items.

    Raises:
        PlanTooLargeError: It has too many lines, or touches too many receipt lines.
    """
    named = with_erp_codes(requested, scene.stock)
    items = {line.item_code for line in named}
    added = with_added(planning.without_failed(items), named)
    return replan(added, free_lines(added, items), scene)


def with_erp_codes(requested: Iterable[PlanningLine], stock: Iterable[StockItem]) -> list[PlanningLine]:
    """Spell item codes as the ERP does, and make one line of what then is of one item and reason."""
    names = ItemNames(stock)

    def spelled(line: PlanningLine) -> PlanningLine:
        item = names.find(line.item_code)
        return line if item is None else attrs.evolve(line, item_code=item.code)

    return merged(map(spelled, requested))


def with_added(planning: Planning, requested: Sequence[PlanningLine]) -> Planning:
    """Add what is asked: to the line of the same item and reason where it can be changed, else as a new one.

    A line that is excluded, that a document holds or that is limited to a supplier stays as it is.
    """
    lines = {line.line_id: line for line in planning.lines}
    open_lines = {
        (line.item_code, line.reason): line
        for line in reversed(free_lines(planning))
        if not line.excluded and line.card_code is None
    }
    numbers = count(max(lines, default=0) + 1)
    for each in requested:
        line = open_lines.get((each.item_code, each.reason))
        if line is None:
            line_id = next(numbers)
            lines[line_id] = attrs.evolve(each, line_id=line_id)
        else:
            lines[line.line_id] = attrs.evolve(
                line, quantity=line.quantity + each.quantity, rows=(*line.rows, *each.rows)
            )
    return attrs.evolve(planning, lines=tuple(lines.values()))
