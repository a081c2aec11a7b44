"""Planning with its header, lines and documents, as one frozen value."""

from collections.abc import Collection, Iterable, Mapping
from datetime import date, datetime

import attrs
from attrs import frozen

from supplier_returns.planning.model import warnings
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.states import DocumentState, PlanningState


@frozen
class Reason:
    """Valid value of the return reason."""

    code: str
    name: str


@frozen(kw_only=True)
class PlanningHeader:
    """Values that every document of a planning shares.

    Attributes:
        whs_code: warehouse, as the ERP spells it.
        posting_date: posting date of the returns. Later receipts can't be returned.
        document_date: date on the tax document.
        series: numbering series of the returns. None uses the ERP's default.
        transfer_kind: `IndTraslado` of the tax document, 7 for a return.
        dispatch_kind: `TipoDespacho` of the tax document. None omits it.
        reason: code of the reason, if any.
        max_lines: maximum lines of one document.
        decimals: decimals of quantities in the ERP when everything was planned. None in older records.
        has_bins: whether the warehouse used bin locations then. None in older records.
        return_fields: values of the installation's fields by name. None if the user never set any.
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
class Execution:
    """Latest execution of a planning.

    Attributes:
        user: ERP user code of the user who started it.
        request_id: ID of the request that started it, cut to the length of the ERP field.
        began: ISO time in UTC.
        ended: ISO time in UTC. Empty while it runs and after an interruption.
    """

    user: str
    request_id: str
    began: str
    ended: str = ""


@frozen(kw_only=True)
class Planning:
    """Planning of returns from one warehouse.

    Attributes:
        id: key in the ERP. 0 before it is stored.
        number: number that users see.
        is_open: whether the ERP record is open.
        version: number that every write increments.
        created_by: ERP user code.
        created_at: creation time, if the ERP supplies it.
        digest: SHA-256 of the pasted text, if there was one.
        execution: latest execution. None before the first.
        closed_by: ERP user code of the user who closed it, if any.
        close_reason: reason for closing it, if any.
        has_warning_codes: whether the ERP record has the field for the documents' warning codes.
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
        """Document states by document number."""
        return {document.doc_id: document.state for document in self.documents}

    @property
    def unresolved(self) -> tuple[int, ...]:
        """Numbers of the documents whose result is unknown."""
        return tuple(each.doc_id for each in self.documents if each.state.is_unresolved)

    @property
    def filled(self) -> set[int]:
        """Numbers of the documents that contain an allocation."""
        return {part.doc_id for line in self.lines for part in line.allocations}

    @property
    def state_by_documents(self) -> PlanningState:
        """State of an open planning between executions, derived from the states of its documents.

        A return that was cancelled in the ERP counts as an error, unless the planning has another return.
        """
        # An omitted document was replaced or given up, so it says nothing about the planning.
        states = {document.state for document in self.documents} - {DocumentState.OMITTED}
        if any(state.is_unresolved or state is DocumentState.FAILED for state in states):
            return PlanningState.WITH_ERRORS
        # The goods of a cancelled return are back in the warehouse, so the user should plan them again.
        if DocumentState.CANCELLED in states and DocumentState.CREATED not in states:
            return PlanningState.WITH_ERRORS
        if not states or DocumentState.PENDING in states:
            return PlanningState.PLANNED
        return PlanningState.DONE

    @property
    def is_state_outdated(self) -> bool:
        """True if the recorded state is wrong, after an interrupted run or a late write."""
        return self.state is not self.state_by_documents

    @property
    def has_lost_content(self) -> bool:
        """True if a document that exists or may exist has no lines any more."""
        filled = self.filled
        return any(
            document.state.may_exist and document.line_count and document.doc_id not in filled
            for document in self.documents
        )

    def with_documents(self, changed: Iterable[SupplierDocument]) -> "Planning":
        """Return the planning with these documents in place of those with the same numbers."""
        by_id = {document.doc_id: document for document in changed}
        documents = tuple(by_id.get(document.doc_id, document) for document in self.documents)
        return attrs.evolve(self, documents=documents)

    def with_line(self, changed: PlanningLine) -> "Planning":
        """Return the planning with this line in place of the one with the same number."""
        lines = tuple(changed if line.line_id == changed.line_id else line for line in self.lines)
        return attrs.evolve(self, lines=lines)

    def with_states(self) -> "Planning":
        """Return the planning with its state, and those of its lines, derived from the document states."""
        states = self.document_states
        lines = tuple(attrs.evolve(line, state=line.state_by(states)) for line in self.lines)
        return attrs.evolve(self, state=self.state_by_documents, lines=lines)

    def without_failed(self, items: Collection[str] | None) -> "Planning":
        """Return the planning without the failed documents, so that their goods can be planned again.

        Args:
            items: only documents with some of these items. None means all.
        """
        affected = {
            part.doc_id
            for line in self.lines
            if items is None or line.item_code in items
            for part in line.allocations
        }
        return self.with_documents(
            attrs.evolve(document, state=DocumentState.OMITTED)
            for document in self.documents
            if document.may_be_given_up and document.doc_id in affected
        )

    def without_given_up(
        self, doc_ids: Collection[int], *, without_picks: Collection[int] = ()
    ) -> "Planning":
        """Return the planning with the failed documents among these omitted.

        Args:
            doc_ids: Documents to give up.
            without_picks: Documents whose picks are removed too, because the ERP refused them.
        """
        failed = [
            document
            for document in self.documents
            if document.doc_id in doc_ids and document.state is DocumentState.FAILED
        ]
        after = self.with_documents(attrs.evolve(each, state=DocumentState.OMITTED) for each in failed)
        refused = {each.doc_id for each in failed} & set(without_picks)
        return attrs.evolve(after, lines=tuple(line.without_picks_of(refused) for line in after.lines))

    def with_content_warnings(self, doc_ids: Collection[int]) -> "Planning":
        """Return the planning with a warning on the created documents among these: the plan has changed."""
        code = warnings.OTHER_CONTENT
        return self.with_documents(
            document.with_warning(warnings.SENTENCES[code], code)
            for document in self.documents
            if document.doc_id in doc_ids and document.state is DocumentState.CREATED
        )

    def has_posted_since(self, before: "Planning") -> bool:
        """Return whether a run has posted a document since the planning was as `before`."""
        states_before = {
            document.doc_id: (document.state, document.attempts) for document in before.documents
        }
        return any(
            document.state.was_posted
            and (document.state, document.attempts) != states_before.get(document.doc_id)
            for document in self.documents
        )

    def closed(self) -> "Planning":
        """Return the planning with unsent and failed documents omitted, and their lines dropped.

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
