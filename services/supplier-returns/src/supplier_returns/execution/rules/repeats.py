"""Recognizes documents whose lines the ERP refused before for the same cause.

To plan them once more would post the same again, so that each reprocessing adds a document and ends where it
began. No field of the record says so: the earlier document is still on record, omitted, with its key and the
digest of what was posted. The present document under that key has the same digest if it asks for the same.
"""

import attrs

from supplier_returns.execution.rules.failures import passes
from supplier_returns.execution.rules.return_body import ReturnFields, lines_by_document, write_return
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import REPEATED, SENTENCES


def refused_again(planning: Planning, fields: ReturnFields) -> frozenset[int]:
    """Return the failed documents that ask for what an earlier, omitted document was refused for.

    Args:
        planning: As recorded, or at the end of a run.
        fields: As for `write_return`.
    """
    earlier = [
        document
        for document in planning.documents
        if document.state is DocumentState.OMITTED and document.error_class and document.payload_hash
    ]
    if not earlier:
        return frozenset()
    lines = lines_by_document(planning)

    def asks_again(document: SupplierDocument, former: SupplierDocument) -> bool:
        if (former.error_class, former.error_code) != (document.error_class, document.error_code):
            return False
        under_its_key = attrs.evolve(document, key=former.key)
        body = write_return(planning, under_its_key, fields, lines.get(document.doc_id, {}))
        return body.digest == former.payload_hash

    return frozenset(
        document.doc_id
        for document in planning.documents
        if document.may_be_given_up
        and not passes(document.error_class)
        and any(asks_again(document, former) for former in earlier)
    )


def with_repeats(planning: Planning, fields: ReturnFields) -> Planning:
    """Return a planning whose repeatedly refused documents say that a person decides about them."""
    repeated = refused_again(planning, fields)
    return planning.with_documents(
        document.also_saying(SENTENCES[REPEATED], REPEATED)
        for document in planning.documents
        if document.doc_id in repeated
    )
