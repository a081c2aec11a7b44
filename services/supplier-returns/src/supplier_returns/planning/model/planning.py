"""A planning: its header, its lines and its documents, as one frozen value."""

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
    """A valid value of the reason for a return."""

    code: str
    name: str


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

    def with_line(self, changed: PlanningLine) -> "Planning":
        """Return the planning with this line in place of the one with its number."""
        lines = tuple(changed if line.line_id == changed.line_id else line for line in self.lines)
        return attrs.evolve(self, lines=lines)

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
