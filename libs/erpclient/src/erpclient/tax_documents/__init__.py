"""Fetch the PDF of a tax document from a provider's SOAP service (operation ``Consulta_TXTDTE``).

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
