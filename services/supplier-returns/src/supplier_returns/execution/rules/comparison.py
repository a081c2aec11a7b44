"""A recorded planning beside what the ERP has of it, and the documents that a person has to look at first."""

from attrs import frozen

from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import MAY_DUPLICATE, PLAN_CHANGED


@frozen
class Comparison:
    """A planning twice.

    Attributes:
        recorded: As its record says.
        actual: With what the ERP has of it.
    """

    recorded: Planning
    actual: Planning

    @property
    def has_new_return(self) -> bool:
        """Whether the ERP has a return of a document that was omitted, or is no longer on record."""
        present = {
            document.doc_id
            for document in self.recorded.documents
            if document.state is not DocumentState.OMITTED
        }
        return any(each.doc_id not in present and each.state.is_made for each in self.actual.documents)

    @property
    def has_new_hold(self) -> bool:
        """Whether documents are on hold for a reason that the record does not name yet."""
        recorded = {document.doc_id: document.warnings for document in self.recorded.documents}
        return any(
            document.is_on_hold and document.warnings != recorded.get(document.doc_id)
            for document in self.actual.documents
        )

    def with_holds(self) -> Planning:
        """Return the actual planning with the documents on hold whose goods may have been returned already.

        A write that arrived late can give the goods of a return to other documents. So documents that were
        never sent wait for a person if a return appeared, or if a return holds nothing any more.
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
            if document.state is DocumentState.PENDING and not document.attempts
        )
