"""What an answer means for the one who asked, no I/O."""

from http import HTTPStatus
from typing import Final

from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxCredentialsRefused,
    TaxDocumentBroken,
    TaxDocumentMistaken,
    TaxDocumentNotReady,
    TaxDocumentUnknown,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceRefused,
)
from erpclient.tax_documents.messages import Answered, Faulted, Named, PdfState, Reply, Unreadable
from erpclient.tax_documents.values import TaxDocument, TaxDocumentKey, TaxServiceAccess

FOUND: Final = 0
"""``Estatus`` of a document that was found; all the services of this family agree on it."""

_REFUSALS: Final = {1: TaxCredentialsRefused, 3: TaxDocumentUnknown, 4: TaxDocumentNotReady}
"""Of these only 3 is known from a relative of the operation; 1 and 4 are assumed."""


def document_of(
    status: int, reply: Reply, content: bytes, *, key: TaxDocumentKey, access: TaxServiceAccess
) -> TaxDocument:
    """Tell a document from all that is none.

    Args:
        status: the HTTP status.
        reply: what was understood of the body.
        content: the bytes of its PDFs.
        key: what was asked for.
        access: whose credentials no text may repeat.

    Raises:
        TaxDocumentError: it is none.
    """
    if isinstance(reply, Faulted):
        raise TaxServiceFault(_clean(reply.fault_code, access), _clean(reply.text, access))
    if status != HTTPStatus.OK:
        raise TaxServiceFailed(status)
    if isinstance(reply, Unreadable):
        raise TaxAnswerUnreadable(reply.reason)
    if reply.status != FOUND:
        raise _REFUSALS.get(reply.status, TaxServiceRefused)(reply.status, _clean(reply.text, access))
    return _whole(reply, content, key)


def _whole(reply: Answered, content: bytes, key: TaxDocumentKey) -> TaxDocument:
    asked = Named(key.issuer, key.document_type, key.folio)
    if reply.named is not None and reply.named != asked:
        raise TaxDocumentMistaken
    if reply.pdf is not PdfState.WHOLE:
        raise TaxDocumentBroken(reply.pdf.value)
    if reply.assignable not in (PdfState.ABSENT, PdfState.WHOLE):
        raise TaxDocumentBroken(f"its assignable copy: {reply.assignable.value}")
    pdf, copy = content[: reply.pdf_bytes], content[reply.pdf_bytes :]
    return TaxDocument(pdf, copy or None, confirmed=reply.named is not None)


def _clean(text: str, access: TaxServiceAccess) -> str:
    """Take credentials out of a text, should a service repeat them."""
    for secret in sorted({access.user, access.password} - {""}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
