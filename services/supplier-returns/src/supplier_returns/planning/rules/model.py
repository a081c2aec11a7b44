"""The values that planning works on: frozen, with `Decimal` quantities and without any I/O.

Quantities are in the item's inventory unit unless a name says ``document``: a receipt line may count in boxes
while the stock counts in pieces.

What a warehouse has by the ten thousand are structures that the cyclic garbage collector does not know: none
can hold itself, and fifty plans at once would make it walk through a million of them, for a tenth of a second
in which nobody else is served.
"""

import enum
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import date, datetime
from decimal import Decimal

import attrs
import msgspec
from attrs import frozen

from supplier_returns.planning.rules import warnings
from supplier_returns.planning.rules.states import DocumentState, LineState, Outcome, PlanningState

ZERO = Decimal(0)


class Management(enum.Enum):
    """Whether single units of an item are told apart; the value is its name on the wire."""

    NONE = "ninguna"
    BATCHES = "lotes"
    SERIALS = "series"


class DateRange(msgspec.Struct, frozen=True, gc=False):
    """Days from one to another, both among them; None where an end is open."""

    first: date | None = None
    last: date | None = None

    def has(self, day: date) -> bool:
        """Tell whether a day is among them."""
        return (self.first is None or self.first <= day) and (self.last is None or day <= self.last)


class StockItem(msgspec.Struct, frozen=True, gc=False):
    """What the ERP knows of an item in one warehouse.

    Attributes:
        code: The ERP's own spelling.
        unit: Name of the inventory unit.
        on_hand: Stock in the warehouse, inventory units; may be negative.
        frozen: Days on which the ERP lets no document use it, None for none.
        valid: The only days on which it does, None for all.
    """

    code: str
    name: str
    unit: str
    on_hand: Decimal
    management: Management = Management.NONE
    frozen: DateRange | None = None
    valid: DateRange | None = None

    def is_active_on(self, day: date) -> bool:
        """Tell whether the ERP lets documents of a day use it."""
        is_frozen = self.frozen is not None and self.frozen.has(day)
        return not is_frozen and (self.valid is None or self.valid.has(day))


class OpenReceiptLine(msgspec.Struct, frozen=True, gc=False):
    """A line of a goods receipt that can still be returned.

    Attributes:
        doc_entry: The receipt's key (not the number people see).
        line_num: The ERP's 0-based line number.
        doc_date: Posting date of the receipt.
        open_inventory: What is still open, in inventory units, above zero.
        open_document: The same in the line's own unit.
        factor: Inventory units in one unit of the line, above zero.
        currency: Of the document; a return keeps it.
        branch: Business place, None in a company without branches.
        doc_num: The number that people see.
        supplier_reference: The supplier's own number of the delivery, possibly empty.
        supplier_name: Possibly empty.
        supplier_tax_id: RUT, possibly empty.
        price: For one unit of the line, in the document's currency.
        tax_code: Possibly empty.
    """

    doc_entry: int
    line_num: int
    doc_date: date
    item_code: str
    card_code: str
    currency: str
    branch: int | None
    open_inventory: Decimal
    open_document: Decimal
    factor: Decimal = Decimal(1)
    doc_num: int = 0
    supplier_reference: str = ""
    supplier_name: str = ""
    supplier_tax_id: str = ""
    price: Decimal = Decimal(0)
    tax_code: str = ""

    @property
    def age(self) -> int:
        """A number that is smaller the older the line is: by posting date, document key, line number.

        One number compares faster than three. No two receipt lines share it.
        """
        return (self.doc_date.toordinal() << 62) | (self.doc_entry << 31) | self.line_num


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


@frozen
class WarehouseFacts:
    """What planning has to know of a warehouse.

    Attributes:
        code: The ERP's own spelling.
        name: Empty where nobody asked for it.
        has_bins: Whether its stock lies in bins, which this service can plan but not return.
        is_active: Whether documents may use it.
    """

    code: str
    name: str = ""
    has_bins: bool = False
    is_active: bool = True


@frozen
class Reason:
    """A valid value of the reason for a return."""

    code: str
    name: str


class OwnCode(enum.Enum):
    """Error codes that this service gives; all others are the ERP's. The value stands in the record.

    After each of them the key of the document may still come to life in the ERP: the document is made anew
    only when somebody asks for it in so many words.
    """

    KEY_TAKEN = "clave_usada"
    """The key is used up, but there is neither a return nor a draft."""
    DRAFT_REFUSED = "borrador_rechazado"
    """Whoever approves has refused the draft."""
    DRAFT_GONE = "borrador_eliminado"
    """The draft is gone, and no return came of it."""
    FOREIGN_RETURN = "clave_ajena"
    """The ERP has a return under the key, of another supplier."""


_OWN_CODES = frozenset(code.value for code in OwnCode)


@frozen(kw_only=True)
class PlanningHeader:
    """What holds for every document of a planning.

    Attributes:
        whs_code: The warehouse, as the ERP spells it.
        posting_date: Posting date of the returns; receipts after it can't be returned.
        document_date: Date on the tax document.
        series: Numbering series of the returns, None for the ERP's default.
        transfer_kind: `IndTraslado` of the tax document, 7 for a return.
        dispatch_kind: `TipoDespacho` of the tax document, None to leave it out.
        reason: Code of a valid value, None for none.
        max_lines: Lines that one document may have.
        decimals: Decimals that the ERP kept for quantities when everything was planned last, None where the
            record does not tell.
        has_bins: Whether the warehouse's stock lay in bins then, None where the record does not tell.
        return_fields: What was filled in of the fields that the installation asks for, by name; None where
            nothing ever was.
    """

    whs_code: str
    posting_date: date
    document_date: date
    series: int | None = None
    transfer_kind: str = "7"
    dispatch_kind: str | None = None
    reason: str | None = None
    comment: str | None = None
    max_lines: int
    decimals: int | None = None
    has_bins: bool | None = None
    return_fields: Mapping[str, str] | None = None


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


@frozen(kw_only=True)
class SupplierDocument:
    """One return document, to be made or made.

    Attributes:
        doc_id: Its number in the planning.
        part: 1-based among the documents of the same supplier, currency and branch.
        line_count: Lines of the document.
        total: Sum of its lines, in its currency, without tax; once the return exists, the ERP's sum.
        key: Idempotency key, empty before the first execution.
        payload_hash: SHA-256 of what is posted, empty before the first execution.
        attempts: How often it was posted.
        last_attempt: When it was posted last, ISO time UTC, empty before.
        error_class: Class of the last failure, None without.
        error_code: The ERP's own code of the last failure, None without.
        message: Spanish text or the ERP's own, None without.
        warnings: Codes of the warnings in the message, as `rules.warnings` lists them.
        doc_entry: Key of the ERP's document, None before it exists. So with number and folio.
    """

    doc_id: int
    card_code: str
    name: str
    tax_id: str
    currency: str
    branch: int | None
    part: int
    line_count: int
    total: Decimal
    state: DocumentState = DocumentState.PENDING
    key: str = ""
    payload_hash: str = ""
    attempts: int = 0
    last_attempt: str = ""
    error_class: str | None = None
    error_code: str | None = None
    message: str | None = None
    warnings: frozenset[str] = frozenset()
    doc_entry: int | None = None
    doc_num: int | None = None
    folio: int | None = None

    @property
    def needs_new_key(self) -> bool:
        """Whether its key may still come to life in the ERP although it failed."""
        return self.error_code in _OWN_CODES

    @property
    def may_be_given_up(self) -> bool:
        """Whether the ERP has no return and never will, so that its lines may be planned otherwise."""
        return self.state.outcome is Outcome.REFUSED and not self.needs_new_key

    @property
    def locks_its_lines(self) -> bool:
        """Whether its lines and the header can't be changed: the return exists, or may come to exist."""
        return self.state.holds_lines and not self.may_be_given_up

    @property
    def may_still_take_stock(self) -> bool:
        """Whether it claims goods that the ERP's stock still shows."""
        return self.state.holds_lines and not self.state.is_made

    @property
    def is_on_hold(self) -> bool:
        """Whether a person has to compare documents before this one is sent."""
        return not self.warnings.isdisjoint(warnings.ON_HOLD)

    @property
    def was_started(self) -> bool:
        """Whether a run prepared it for sending, and no person has to look at it first."""
        return self.state is DocumentState.PENDING and bool(self.key) and not self.is_on_hold

    def saying(self, message: str | None, *codes: str) -> "SupplierDocument":
        """Return the document with another message, and the codes of the warnings in it."""
        return attrs.evolve(self, message=message, warnings=frozenset(codes))

    def also_saying(self, sentence: str, code: str) -> "SupplierDocument":
        """Return the document with a further warning in its message; one that it has is not repeated."""
        if code in self.warnings:
            return self
        message = f"{self.message or ''} {sentence}".strip()
        return attrs.evolve(self, message=message, warnings=self.warnings | {code})

    def on_hold(self, code: str) -> "SupplierDocument":
        """Return a pending document that a person has to look at before it is sent.

        Without attempts it loses its key: reprocessing then leaves it alone.
        """
        held = self if self.is_on_hold else self.saying(warnings.SENTENCES[code], code)
        return held if self.attempts else held.without_key()

    def without_key(self) -> "SupplierDocument":
        """Return the document without its key, so that it gets another one before it is posted."""
        return attrs.evolve(self, key="", payload_hash="")


@frozen(kw_only=True)
class Execution:
    """The latest execution of a planning.

    Attributes:
        user: ERP user code of whoever began it.
        request_id: Of the request that began it, as far as the record holds it.
        began: ISO time UTC.
        ended: ISO time UTC, empty while it runs or when it was cut off.
    """

    user: str
    request_id: str
    began: str
    ended: str = ""


@frozen(kw_only=True)
class Planning:
    """A planning.

    Attributes:
        id: Its key in the ERP, 0 before it is stored.
        number: Number that people see.
        is_open: Whether the ERP's record is open.
        version: Raised by every write.
        created_by: ERP user code.
        created_at: When the ERP stored it, None where the ERP doesn't tell.
        digest: SHA-256 of the pasted text, empty without.
        execution: What is known of the latest execution, None before the first.
        closed_by: ERP user code of whoever closed it, empty before.
        close_reason: Why it was closed, None without.
        has_warning_codes: Whether the ERP's record has the field for the documents' warning codes.
    """

    id: int = 0
    number: int = 0
    is_open: bool = True
    state: PlanningState = PlanningState.PLANNED
    version: int = 1
    header: PlanningHeader
    lines: tuple[PlanningLine, ...]
    documents: tuple[SupplierDocument, ...]
    created_by: str
    created_at: datetime | None = None
    digest: str = ""
    execution: Execution | None = None
    closed_by: str = ""
    close_reason: str | None = None
    has_warning_codes: bool = False

    @property
    def document_states(self) -> dict[int, DocumentState]:
        """States of the documents by their number."""
        return {document.doc_id: document.state for document in self.documents}

    @property
    def unresolved(self) -> tuple[int, ...]:
        """Documents of which it is unknown whether they become returns."""
        return tuple(each.doc_id for each in self.documents if each.state.is_unresolved)

    @property
    def filled(self) -> set[int]:
        """Documents that hold something."""
        return {part.doc_id for line in self.lines for part in line.allocations}

    @property
    def state_by_documents(self) -> PlanningState:
        """The state that the documents' states mean, while the planning is open and none is being made.

        A return that was cancelled in the ERP counts as an error, unless another of its returns exists.
        """
        states = {document.state for document in self.documents} - {DocumentState.OMITTED}
        if any(state.is_unresolved or state is DocumentState.FAILED for state in states):
            return PlanningState.WITH_ERRORS
        if DocumentState.CANCELLED in states and DocumentState.CREATED not in states:
            return PlanningState.WITH_ERRORS
        if not states or DocumentState.PENDING in states:
            return PlanningState.PLANNED
        return PlanningState.DONE

    @property
    def is_misstated(self) -> bool:
        """Whether the recorded state differs: a run was cut off, or an older write arrived later."""
        return self.state is not self.state_by_documents

    @property
    def has_lost_content(self) -> bool:
        """Whether a document that was made, or may be, holds nothing any more."""
        filled = self.filled
        return any(
            document.state.may_exist and document.line_count and document.doc_id not in filled
            for document in self.documents
        )

    def with_documents(self, changed: Iterable[SupplierDocument]) -> "Planning":
        """Return the planning with these documents in place of those with their numbers."""
        by_id = {document.doc_id: document for document in changed}
        documents = tuple(by_id.get(document.doc_id, document) for document in self.documents)
        return attrs.evolve(self, documents=documents)

    def with_states(self) -> "Planning":
        """Return the planning with the states of itself and its lines that the documents' states mean."""
        states = self.document_states
        lines = tuple(attrs.evolve(line, state=line.state_by(states)) for line in self.lines)
        return attrs.evolve(self, state=self.state_by_documents, lines=lines)

    def without_failed(self, items: Collection[str] | None) -> "Planning":
        """Return the planning without the documents that surely failed, so that their goods can be planned.

        Args:
            items: Only documents that hold some of these items; None for all.
        """
        concerned = {
            part.doc_id
            for line in self.lines
            if items is None or line.item_code in items
            for part in line.allocations
        }
        return self.with_documents(
            attrs.evolve(document, state=DocumentState.OMITTED)
            for document in self.documents
            if document.may_be_given_up and document.doc_id in concerned
        )

    def giving_up(self, doc_ids: Collection[int], *, without_picks: Collection[int] = ()) -> "Planning":
        """Return the planning without those of the documents that failed.

        Args:
            doc_ids: The documents.
            without_picks: Those whose picks are dropped too, because the ERP refused them.
        """
        failed = [
            document
            for document in self.documents
            if document.doc_id in doc_ids and document.state is DocumentState.FAILED
        ]
        after = self.with_documents(attrs.evolve(each, state=DocumentState.OMITTED) for each in failed)
        refused = {each.doc_id for each in failed} & set(without_picks)
        return attrs.evolve(after, lines=tuple(line.without_picks_of(refused) for line in after.lines))

    def warned_of_other_content(self, doc_ids: Collection[int]) -> "Planning":
        """Return the planning where those of the documents that were made say that the plan changed."""
        code = warnings.OTHER_CONTENT
        return self.with_documents(
            document.also_saying(warnings.SENTENCES[code], code)
            for document in self.documents
            if document.doc_id in doc_ids and document.state is DocumentState.CREATED
        )

    def has_posted_since(self, before: "Planning") -> bool:
        """Whether a run has sent one of the documents since the planning was as `before`."""
        former = {document.doc_id: (document.state, document.attempts) for document in before.documents}
        return any(
            document.state.was_posted and (document.state, document.attempts) != former.get(document.doc_id)
            for document in self.documents
        )

    def closed(self) -> "Planning":
        """Return the planning without what was not made: its documents omitted, its lines dropped.

        No document may be unresolved.
        """
        closed = self.with_documents(
            attrs.evolve(document, state=DocumentState.OMITTED)
            for document in self.documents
            if not document.state.is_made
        )
        states = closed.document_states
        lines = (attrs.evolve(line, state=line.state_when_closed(states)) for line in self.lines)
        return attrs.evolve(closed, lines=tuple(lines))


@frozen(kw_only=True)
class PlanningSummary:
    """One planning of a list; what the record does not tell is None, empty or 0.

    Attributes:
        whs_code: None, like the date, in an unreadable record only.
    """

    id: int
    number: int
    is_open: bool
    state: PlanningState
    whs_code: str | None
    posting_date: date | None
    created_by: str
    created_at: datetime | None
    line_count: int
    document_count: int
    created_count: int
    failed_count: int


@frozen
class PlanningFilter:
    """Which plannings to list; None for any.

    Attributes:
        is_open: Open or closed.
        created_from: First day of creation.
        created_by: ERP user code.
        other_than: A state to leave out.
    """

    is_open: bool | None = None
    whs_code: str | None = None
    created_from: date | None = None
    created_by: str | None = None
    other_than: PlanningState | None = None


@frozen
class PlanningPage:
    """A part of a list, newest first, with the number of all."""

    rows: tuple[PlanningSummary, ...]
    total: int


@frozen
class OpenPlan:
    """What an open planning takes from its warehouse.

    Attributes:
        number: Number that people see.
        user: ERP user code of who made it.
        items: Codes of the items that are still to go back with it.
    """

    number: int
    user: str
    items: AbstractSet[str]


@frozen
class OpenPlans:
    """The open plannings of a warehouse, as far as they could be looked at.

    Attributes:
        known: Newest first.
        are_all: Whether there are no others.
    """

    known: Sequence[OpenPlan] = ()
    are_all: bool = True
