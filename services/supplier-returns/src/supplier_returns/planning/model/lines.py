"""A line of a planning, and its parts by receipt line."""

from collections.abc import Collection, Mapping
from decimal import Decimal

import attrs
from attrs import frozen

from supplier_returns.planning.model.receipts import OpenReceiptLine
from supplier_returns.planning.model.states import DocumentState, LineState
from supplier_returns.planning.model.warehouse import Management
from supplier_returns.quantities import ZERO


@frozen(slots=True)
class Allocation:
    """A part of a line that goes back against one receipt line, in one document.

    Attributes:
        receipt: The receipt line, as it was when it was planned.
        inventory: Inventory units.
        document: The same in the receipt line's unit.
        doc_id: The document it is in.
        position: 0-based line of that document.
        batch: Picked batch, None without.
        serial: Picked serial number, None without.
    """

    receipt: OpenReceiptLine
    inventory: Decimal
    document: Decimal
    doc_id: int = 0
    position: int = 0
    batch: str | None = None
    serial: str | None = None

    @property
    def lot(self) -> str | None:
        """Number of the picked batch, or the picked serial number."""
        return self.serial if self.batch is None else self.batch


@frozen(kw_only=True)
class PlanningLine:
    """What is asked back of one item for one reason, and what became of it.

    Attributes:
        line_id: Its number in the planning, 0 before it has one.
        stock: Stock on hand that it could draw on when it was planned.
        no_stock: Asked, but not in the warehouse.
        no_receipt: In the warehouse, but without an open receipt.
        indivisible: Open, but not expressible in the unit of any receipt.
        card_code: The only supplier that it may go back to, None for any.
        message: Spanish text for the person, None when there is nothing to explain.
        rows: Rows of the pasted text, as far as the ERP's record could hold them.
    """

    line_id: int = 0
    item_code: str
    quantity: Decimal
    name: str = ""
    unit: str = ""
    stock: Decimal = ZERO
    no_stock: Decimal = ZERO
    no_receipt: Decimal = ZERO
    indivisible: Decimal = ZERO
    management: Management = Management.NONE
    reason: str | None = None
    excluded: bool = False
    card_code: str | None = None
    state: LineState = LineState.PLANNED
    message: str | None = None
    rows: tuple[int, ...] = ()
    allocations: tuple[Allocation, ...] = ()

    @property
    def allocated(self) -> Decimal:
        """Inventory units that can go back."""
        return sum((allocation.inventory for allocation in self.allocations), ZERO)

    @property
    def is_short(self) -> bool:
        """Whether something is asked of it that can't go back."""
        return not self.excluded and self.no_stock + self.no_receipt + self.indivisible > 0

    @property
    def lacks_picks(self) -> bool:
        """Whether batches or serials have to be picked before it can go back."""
        return self.management is not Management.NONE and any(
            allocation.batch is None and allocation.serial is None for allocation in self.allocations
        )

    @property
    def planned_state(self) -> LineState:
        """The line's state while no document holds it."""
        if self.excluded:
            return LineState.EXCLUDED
        allocated = self.allocated
        if not allocated:
            shortages = {
                LineState.NO_STOCK: self.no_stock,
                LineState.NO_RECEIPT: self.no_receipt,
                LineState.INDIVISIBLE: self.indivisible,
            }
            return max(shortages, key=lambda state: shortages[state])
        if self.lacks_picks:
            return LineState.NEEDS_PICKS
        return LineState.PLANNED if allocated == self.quantity else LineState.PARTIAL

    def state_by(self, documents: Mapping[int, DocumentState]) -> LineState:
        """Return the line's state by the states of the documents that hold its parts."""
        states = {documents.get(part.doc_id, DocumentState.PENDING) for part in self.allocations}
        if DocumentState.FAILED in states:
            return LineState.FAILED
        if states == {DocumentState.CREATED}:
            return LineState.RETURNED
        if states and all(state.is_made for state in states):
            # Goods of a cancelled return are back in the warehouse.
            return LineState.PARTIAL if DocumentState.CREATED in states else LineState.DROPPED
        return self.planned_state

    def state_when_closed(self, documents: Mapping[int, DocumentState]) -> LineState:
        """Return the line's state in a closed planning."""
        states = {documents.get(part.doc_id) for part in self.allocations}
        if self.excluded or states == {DocumentState.CREATED}:
            return self.state
        return LineState.PARTIAL if DocumentState.CREATED in states else LineState.DROPPED

    def without_picks_of(self, doc_ids: Collection[int]) -> "PlanningLine":
        """Return the line without the batches and serial numbers picked for these documents."""
        allocations = (
            attrs.evolve(part, batch=None, serial=None) if part.doc_id in doc_ids else part
            for part in self.allocations
        )
        return attrs.evolve(self, allocations=tuple(allocations))
