"""Comparison of a recorded planning with the ERP, which puts doubtful documents on hold."""

from attrs import frozen

from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import MAY_DUPLICATE, PLAN_CHANGED


@frozen
class Comparison:
    """Recorded planning and its actual state.

    Attributes:
        recorded: planning as it is stored.
        actual: the same planning, corrected by the returns in the ERP.
    """

    recorded: Planning
    actual: Planning

    @property
    def has_new_return(self) -> bool:
        """True if the ERP has a return of a document that is omitted or missing in the record."""
        present = {
            document.doc_id
            for document in self.recorded.documents
            if document.state is not DocumentState.OMITTED
        }
        return any(each.doc_id not in present and each.state.is_made for each in self.actual.documents)

    @property
    def has_new_hold(self) -> bool:
        """True if a document is on hold for a reason that the record does not contain yet."""
        recorded = {document.doc_id: document.warnings for document in self.recorded.documents}
        return any(
            document.is_on_hold and document.warnings != recorded.get(document.doc_id)
            for document in self.actual.documents
        )

    def with_holds(self) -> Planning:
        """Return the actual planning, with documents on hold whose goods may have been returned already.

        A late write can move goods of a created return to other documents. So unsent documents wait for a
        person if a return appeared, or if the lines of a return are gone.
        """
        if self.has_new_return:
            code = MAY_DUPLICATE
        elif self.actual.has_lost_content:
            code = PLAN_CHANGED
        else:
            return self.actual
        return self.actual.with_documents(
            document.on_hold(code)
            for document in self.actual.documents
            # A document with an attempt is looked up by its key before it is posted again.
            if document.state is DocumentState.PENDING and not document.attempts
        )
