"""Keys and digests of documents, recorded before a post and compared with the record afterwards."""

from collections.abc import Callable, Iterable

import attrs
from attrs import frozen

from supplier_returns.execution.rules.return_body import ReturnFields, lines_by_document, write_return
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import PLAN_CHANGED


def to_prepare(planning: Planning, doc_ids: Iterable[int]) -> list[int]:
    """Return the documents that need a key or a new digest before their post.

    A pending document gets a new digest, because its lines may have changed.
    """
    unprepared = {
        document.doc_id
        for document in planning.documents
        if not document.key or document.state is DocumentState.PENDING
    }
    return [doc_id for doc_id in doc_ids if doc_id in unprepared]


@frozen
class SentContent:
    """Compare posted content with the record, for the fields of an installation."""

    fields: ReturnFields

    def prepare(
        self, planning: Planning, doc_ids: Iterable[int], make_key: Callable[[Planning, int], str]
    ) -> Planning:
        """Return the planning with keys and digests for these documents. Existing keys stay.

        Args:
            planning: planning that has an ID.
            doc_ids: documents that may be posted now.
            make_key: creates a key from the planning and the document's number.
        """
        chosen = set(doc_ids)
        lines = lines_by_document(planning)
        prepared = []
        for document in planning.documents:
            if document.doc_id in chosen:
                keyed = document
                if not document.key:
                    keyed = attrs.evolve(document, key=make_key(planning, document.doc_id))
                body = write_return(planning, keyed, self.fields, lines.get(document.doc_id, {}))
                prepared.append(attrs.evolve(keyed, payload_hash=body.digest))
        return planning.with_documents(prepared)

    def differing(self, planning: Planning) -> frozenset[int]:
        """Return the documents whose posted content differs from the record, because a plan arrived late.

        Args:
            planning: planning as recorded during or right after the posts.
        """
        lines = lines_by_document(planning)
        return frozenset(
            document.doc_id
            for document in planning.documents
            if document.state.may_exist
            and document.payload_hash
            and document.payload_hash
            != write_return(planning, document, self.fields, lines.get(document.doc_id, {})).digest
        )

    def merge(self, ours: Planning, recorded: Planning) -> Planning:
        """Combine the recorded lines with our documents, after a late plan may have replaced the lines.

        If the posted content differs from the recorded lines, the documents get a warning. Pending documents
        go on hold, because they may contain the same goods.

        Args:
            ours: planning that this run has just recorded.
            recorded: planning as it is recorded now.
        """
        our_ids = {document.doc_id for document in ours.documents}
        others = (document for document in recorded.documents if document.doc_id not in our_ids)
        merged = attrs.evolve(recorded, documents=(*ours.documents, *others), execution=ours.execution)
        differing = self.differing(merged)
        warned = merged.with_content_warnings(differing)
        # An uncertain document with other content may also have taken the goods of a pending one.
        if warned != merged or not differing.isdisjoint(merged.unresolved):
            pending = (each for each in warned.documents if each.state is DocumentState.PENDING)
            warned = warned.with_documents([document.on_hold(PLAN_CHANGED) for document in pending])
        return warned.with_states()
