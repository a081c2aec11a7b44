"""Find documents whose lines the ERP refused before for the same cause.

Planning them again would post the same content. Each reprocessing would then add a document and fail like the
one before. The record has no field for this. But the earlier document is still there: omitted, with its key
and the digest of its body. If the new document has the same digest under that key, it has the same content.
"""

import attrs

from supplier_returns.execution.rules.failures import is_retryable
from supplier_returns.execution.rules.return_body import ReturnFields, lines_by_document, write_return
from supplier_returns.planning.model.documents import SupplierDocument
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.model.states import DocumentState
from supplier_returns.planning.model.warnings import REPEATED, SENTENCES


def refused_again(planning: Planning, fields: ReturnFields) -> frozenset[int]:
    """Return the failed documents with the content of an earlier document that was refused and omitted.

    Args:
        planning: planning as recorded, or at the end of a run.
        fields: fields of the installation, as in `write_return`.
    """
    earlier = [
        document
        for document in planning.documents
        if document.state is DocumentState.OMITTED and document.error_class and document.payload_hash
    ]
    if not earlier:
        return frozenset()
    lines = lines_by_document(planning)

    def repeats(document: SupplierDocument, earlier_one: SupplierDocument) -> bool:
        if (earlier_one.error_class, earlier_one.error_code) != (document.error_class, document.error_code):
            return False
        # The body contains the key, so compare it under the former key.
        under_its_key = attrs.evolve(document, key=earlier_one.key)
        body = write_return(planning, under_its_key, fields, lines.get(document.doc_id, {}))
        return body.digest == earlier_one.payload_hash

    return frozenset(
        document.doc_id
        for document in planning.documents
        if document.may_be_given_up
        and not is_retryable(document.error_class)
        and any(repeats(document, earlier_one) for earlier_one in earlier)
    )


def with_repeats(planning: Planning, fields: ReturnFields) -> Planning:
    """Return the planning, with a message on each repeatedly refused document that a person has to decide."""
    repeated = refused_again(planning, fields)
    return planning.with_documents(
        document.with_warning(SENTENCES[REPEATED], REPEATED)
        for document in planning.documents
        if document.doc_id in repeated
    )
