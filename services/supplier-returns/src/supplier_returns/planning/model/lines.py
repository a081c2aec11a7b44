"""Lines of a planning, and their allocations to receipt lines."""

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
    """Part of a line that is returned against one receipt line, in one document.

    Attributes:
        receipt: receipt line at planning time.
        inventory: quantity in inventory units.
        document: quantity in units of the receipt line.
        doc_id: document that contains it.
        position: 0-based line of that document.
        batch: picked batch, if any.
        serial: picked serial number, if any.
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
    """Requested quantity of one item for one reason, and its plan.

    Attributes:
        line_id: number in the planning. 0 before it is assigned.
        stock: stock on hand that was available to the line at planning time.
        no_stock: requested quantity that the warehouse does not have.
        no_receipt: quantity in the warehouse without an open receipt.
        indivisible: open quantity that does not fit the unit of any receipt.
        card_code: only supplier that the line may use. None allows any.
        message: Spanish explanation for the user, if there is something to explain.
        rows: rows of the pasted text, cut to the length of the ERP field.
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
        """Inventory units that can be returned."""
        return sum((allocation.inventory for allocation in self.allocations), ZERO)

    @property
    def is_short(self) -> bool:
        """True if a part of the requested quantity can't be returned."""
        return not self.excluded and self.no_stock + self.no_receipt + self.indivisible > 0

    @property
    def lacks_picks(self) -> bool:
        """True if the user has to pick batches or serial numbers first."""
        return self.management is not Management.NONE and any(
            allocation.batch is None and allocation.serial is None for allocation in self.allocations
        )

    @property
    def planned_state(self) -> LineState:
        """State of the line before any of its documents is sent."""
        if self.excluded:
            return LineState.EXCLUDED
        allocated = self.allocated
        if not allocated:
            shortages = {
                LineState.NO_STOCK: self.no_stock,
                LineState.NO_RECEIPT: self.no_receipt,
                LineState.INDIVISIBLE: self.indivisible,
            }
            # The largest shortage gives the state.
            return max(shortages, key=lambda state: shortages[state])
        if self.lacks_picks:
            return LineState.NEEDS_PICKS
        return LineState.PLANNED if allocated == self.quantity else LineState.PARTIAL

    def state_by(self, documents: Mapping[int, DocumentState]) -> LineState:
        """Return the line's state, derived from the states of its documents."""
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
        """Return the line without the picks for these documents."""
        allocations = (
            attrs.evolve(part, batch=None, serial=None) if part.doc_id in doc_ids else part
            for part in self.allocations
        )
        return attrs.evolve(self, allocations=tuple(allocations))
