"""Plan lines and build their documents in one step. Pure code that takes long for large plannings."""

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
from supplier_returns.planning.rules.drafting import WarehouseSnapshot, plan_lines
from supplier_returns.planning.rules.locked_lines import free_lines
from supplier_returns.planning.rules.names import ItemNames
from supplier_returns.planning.rules.picks import Pick
from supplier_returns.quantities import ZERO

MAX_ROWS: Final = 10_000
"""Maximum lines, and maximum allocations, of one planning, since the ERP stores a row for each."""


class PlanTooLargeError(Exception):
    """The plan has more lines, or more allocations, than `MAX_ROWS`."""


def merged(requested: Iterable[PlanningLine]) -> list[PlanningLine]:
    """Merge lines with the same item and reason, and add up their quantities and rows.

    The result is numbered from 1 in order of first appearance.
    """
    groups: dict[tuple[str, str | None], list[PlanningLine]] = {}
    for each in requested:
        groups.setdefault((each.item_code, each.reason), []).append(each)
    return [
        attrs.evolve(
            parts[0],
            line_id=line_id,
            quantity=sum((each.quantity for each in parts), ZERO),
            rows=tuple(row for each in parts for row in each.rows),
        )
        for line_id, parts in enumerate(groups.values(), start=1)
    ]


def plan(
    lines: Sequence[PlanningLine], snapshot: WarehouseSnapshot, *, max_lines: int, return_date: date
) -> Arrangement:
    """Plan new lines.

    Args:
        lines: requested lines.
        snapshot: stock, receipts and lots.
        max_lines: maximum lines of one document.
        return_date: posting date of the returns.

    Raises:
        PlanTooLargeError: the plan has too many lines, or uses too many receipt lines.
    """
    _check_size(lines)
    planned = plan_lines(lines, snapshot, return_date=return_date)
    _check_size(planned)
    return arrange(planned, (), max_lines=max_lines, has_bins=snapshot.warehouse.has_bins)


def replan(
    planning: Planning,
    lines: Sequence[PlanningLine],
    snapshot: WarehouseSnapshot,
    picks: Mapping[int, Sequence[Pick]] | None = None,
) -> Planning:
    """Plan some lines of a planning again, and build its pending documents again.

    Args:
        planning: planning whose other lines don't change.
        lines: lines as in `plan_lines`.
        snapshot: stock, receipts and lots.
        picks: new picks by line ID.

    Raises:
        PicksMismatchError: new picks do not add up to the line's allocated quantity.
        PlanTooLargeError: the plan has too many lines, or uses too many receipt lines.
    """
    _check_size(planning.lines)
    snapshot = _without_reserved(snapshot, planning, {line.line_id for line in lines})
    replanned = plan_lines(lines, snapshot, return_date=planning.header.posting_date, picks=picks)
    by_id = {line.line_id: line for line in replanned}
    lines_after = [by_id.get(line.line_id, line) for line in planning.lines]
    return _arranged(planning, lines_after, snapshot)


def remainders_of(planning: Planning) -> list[PlanningLine]:
    """Return the content of given-up documents as lines, with their picks.

    Args:
        planning: planning with allocations in omitted documents.
    """
    omitted = _omitted_ids(planning)
    remainders = []
    for line in planning.lines:
        unplanned = tuple(part for part in line.allocations if part.doc_id in omitted)
        remainder = line.quantity - sum(
            (part.inventory for part in line.allocations if part.doc_id not in omitted), ZERO
        )
        if unplanned and remainder > 0:
            remainders.append(attrs.evolve(line, quantity=remainder, allocations=unplanned))
    return remainders


def replan_remainders(planning: Planning, snapshot: WarehouseSnapshot) -> Planning:
    """Plan the content of given-up documents again, and build documents for it.

    The content of other documents stays, even if they are still pending. Its stock is not available to the
    new plan.

    Args:
        planning: planning with allocations in omitted documents.
        snapshot: current stock, receipts and lots.

    Raises:
        PlanTooLargeError: the plan uses too many receipt lines.
    """
    omitted = _omitted_ids(planning)
    remainders = remainders_of(planning)
    replanned_ids = {remainder.line_id for remainder in remainders}
    kept_parts = {
        line.line_id: tuple(part for part in line.allocations if part.doc_id not in omitted)
        for line in planning.lines
        if line.line_id in replanned_ids
    }
    snapshot = _without_reserved(snapshot, planning, kept_parts, keep_pending=True)
    by_id = {
        line.line_id: line
        for line in plan_lines(remainders, snapshot, return_date=planning.header.posting_date)
    }
    lines_after = [
        attrs.evolve(
            by_id[line.line_id],
            quantity=line.quantity,
            allocations=(*kept_parts[line.line_id], *by_id[line.line_id].allocations),
        )
        if line.line_id in by_id
        else line
        for line in planning.lines
    ]
    return _arranged(planning, lines_after, snapshot, keep_pending=True)


def _arranged(
    planning: Planning,
    lines: Sequence[PlanningLine],
    snapshot: WarehouseSnapshot,
    *,
    keep_pending: bool = False,
) -> Planning:
    _check_size(lines)
    arranged = arrange(
        lines,
        planning.documents,
        max_lines=planning.header.max_lines,
        has_bins=snapshot.warehouse.has_bins,
        keep_pending=keep_pending,
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
    """Return whether a header changes the plan: another warehouse, or a date that affects receipts."""
    before = planning.header
    if header.whs_code != before.whs_code:
        return True
    if header.posting_date > before.posting_date:
        return any(line.no_receipt for line in planning.lines)
    return any(
        part.receipt.doc_date > header.posting_date for line in planning.lines for part in line.allocations
    )


def changes_activity(planning: Planning, header: PlanningHeader, stock: Iterable[StockItem]) -> bool:
    """Return whether an allocated item is active on only one of the two posting dates.

    Args:
        planning: recorded planning, with the old date.
        header: new header.
        stock: at least the allocated items.
    """
    days = planning.header.posting_date, header.posting_date
    goes_back = {part.receipt.item_code for line in planning.lines for part in line.allocations}
    return any(
        item.code in goes_back and item.is_active_on(days[0]) != item.is_active_on(days[1]) for item in stock
    )


def with_planning_facts(header: PlanningHeader, warehouse: WarehouseFacts, decimals: int) -> PlanningHeader:
    """Store warehouse facts in the header, so that a change of one line need not read them again."""
    return attrs.evolve(header, whs_code=warehouse.code, has_bins=warehouse.has_bins, decimals=decimals)


def _omitted_ids(planning: Planning) -> Set[int]:
    return {document.doc_id for document in planning.documents if document.state is DocumentState.OMITTED}


def _check_size(lines: Sequence[PlanningLine]) -> None:
    if max(len(lines), sum(len(line.allocations) for line in lines)) > MAX_ROWS:
        raise PlanTooLargeError


def _without_reserved(
    snapshot: WarehouseSnapshot,
    planning: Planning,
    replanned_ids: Container[int],
    *,
    keep_pending: bool = False,
) -> WarehouseSnapshot:
    """Return the snapshot without quantities that other parts of the planning use.

    These are the quantities in sent documents that the ERP has not posted yet, and all parts of other lines.

    Args:
        snapshot: quantities in the ERP.
        planning: current planning.
        replanned_ids: IDs of the lines that are planned again.
        keep_pending: whether the parts of these lines in pending documents stay there.
    """
    reserving_ids = {
        document.doc_id
        for document in planning.documents
        if document.may_still_take_stock or (keep_pending and document.state is DocumentState.PENDING)
    }
    made_ids = {document.doc_id for document in planning.documents if document.state.is_made}
    reserved = [
        part
        for line in planning.lines
        for part in line.allocations
        if part.doc_id in reserving_ids or (line.line_id not in replanned_ids and part.doc_id not in made_ids)
    ]
    # Copying tens of thousands of rows takes time, so avoid it if nothing is reserved.
    if not reserved:
        return snapshot
    of_item: defaultdict[str, Decimal] = defaultdict(Decimal)
    of_receipt: defaultdict[int, Decimal] = defaultdict(Decimal)
    of_receipt_document: defaultdict[int, Decimal] = defaultdict(Decimal)
    of_lot: defaultdict[tuple[str, str | None], Decimal] = defaultdict(Decimal)
    for part in reserved:
        of_item[part.receipt.item_code] += part.inventory
        of_receipt[part.receipt.age] += part.inventory
        of_receipt_document[part.receipt.age] += part.document
        of_lot[part.receipt.item_code, part.lot] += part.inventory
    return attrs.evolve(
        snapshot,
        lots=snapshot.lots
        and [
            attrs.evolve(lot, quantity=lot.quantity - of_lot[lot.item_code, lot.name])
            for lot in snapshot.lots
        ],
        stock=[replace(item, on_hand=item.on_hand - of_item[item.code]) for item in snapshot.stock],
        receipts=[
            replace(
                receipt,
                open_inventory=receipt.open_inventory - of_receipt[receipt.age],
                open_document=receipt.open_document - of_receipt_document[receipt.age],
            )
            for receipt in snapshot.receipts
            if receipt.open_inventory > of_receipt[receipt.age]
        ],
    )


def plan_requested(
    requested: Iterable[PlanningLine], snapshot: WarehouseSnapshot, *, max_lines: int, return_date: date
) -> Arrangement:
    """Plan the lines of a new planning.

    Args:
        requested: lines, whose numbers are ignored.
        snapshot: stock, receipts and lots.
        max_lines: maximum lines of one document.
        return_date: posting date of the returns.

    Raises:
        PlanTooLargeError: the plan has too many lines, or uses too many receipt lines.
    """
    lines = with_erp_codes(requested, snapshot.stock)
    return plan(lines, snapshot, max_lines=max_lines, return_date=return_date)


def plan_added(
    planning: Planning, requested: Iterable[PlanningLine], snapshot: WarehouseSnapshot
) -> Planning:
    """Add lines to a planning, and plan them with its other lines of the same items.

    Args:
        planning: recorded planning. Failed documents with some of the items are given up.
        requested: lines, whose numbers are ignored.
        snapshot: stock, receipts and lots of at least these items.

    Raises:
        PlanTooLargeError: the plan has too many lines, or uses too many receipt lines.
    """
    named = with_erp_codes(requested, snapshot.stock)
    items = {line.item_code for line in named}
    added = with_added(planning.without_failed(items), named)
    return replan(added, free_lines(added, items), snapshot)


def with_erp_codes(requested: Iterable[PlanningLine], stock: Iterable[StockItem]) -> list[PlanningLine]:
    """Replace item codes by the ERP's spelling, and merge lines that then have the same item and reason."""
    names = ItemNames(stock)

    def spelled(line: PlanningLine) -> PlanningLine:
        item = names.find(line.item_code)
        return line if item is None else attrs.evolve(line, item_code=item.code)

    return merged(map(spelled, requested))


def with_added(planning: Planning, requested: Sequence[PlanningLine]) -> Planning:
    """Add quantities to the editable lines with the same item and reason, or else as new lines.

    Lines that are excluded, in a sent document or limited to a supplier don't change.
    """
    lines = {line.line_id: line for line in planning.lines}
    open_lines = {
        (line.item_code, line.reason): line
        # Reversed, so that the first line of an item and reason wins.
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
