"""In: the address and credentials of a provider's SOAP service, and what names a tax document.
Out: its PDF, by the operation ``Consulta_TXTDTE``, or a typed error.

Needs the extra ``erpclient[tax-documents]``; zeep is loaded by a process of its own, never by the program.
"""

from erpclient.tax_documents.client import TaxDocuments
from erpclient.tax_documents.errors import (
    TaxDocumentError,
    TaxServiceAddressRefused,
)
from erpclient.tax_documents.values import (
    TaxDocumentKey,
    TaxDocumentSettings,
    TaxServiceAccess,
)

__all__ = [
    "TaxDocumentError",
    "TaxDocumentKey",
    "TaxDocumentSettings",
    "TaxDocuments",
    "TaxServiceAccess",
    "TaxServiceAddressRefused",
]
