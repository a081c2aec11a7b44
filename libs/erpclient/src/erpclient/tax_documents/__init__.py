"""In: the address and credentials of a provider's SOAP service, and what names a tax document.
Out: its PDF, by the operation ``Consulta_TXTDTE``, or a typed error.

Needs the extra ``erpclient[tax-documents]``; zeep is loaded by a process of its own, never by the program.
"""

from erpclient.tax_documents.client import TaxDocuments
from erpclient.tax_documents.errors import (
    TaxAnswerUnreadable,
    TaxCredentialsRefused,
    TaxDocumentBroken,
    TaxDocumentError,
    TaxDocumentMistaken,
    TaxDocumentNotReady,
    TaxDocumentUnknown,
    TaxReadingFailed,
    TaxServiceAddressRefused,
    TaxServiceFailed,
    TaxServiceFault,
    TaxServiceRefused,
    TaxServiceTimeout,
    TaxServiceUnreachable,
)
from erpclient.tax_documents.values import (
    TaxDocument,
    TaxDocumentKey,
    TaxDocumentSettings,
    TaxServiceAccess,
)

__all__ = [
    "TaxAnswerUnreadable",
    "TaxCredentialsRefused",
    "TaxDocument",
    "TaxDocumentBroken",
    "TaxDocumentError",
    "TaxDocumentKey",
    "TaxDocumentMistaken",
    "TaxDocumentNotReady",
    "TaxDocumentSettings",
    "TaxDocumentUnknown",
    "TaxDocuments",
    "TaxReadingFailed",
    "TaxServiceAccess",
    "TaxServiceAddressRefused",
    "TaxServiceFailed",
    "TaxServiceFault",
    "TaxServiceRefused",
    "TaxServiceTimeout",
    "TaxServiceUnreachable",
]
