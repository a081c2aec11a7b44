"""Access to the provider of tax documents, from the ERP table `@DTE_CONFC` that users maintain.

Each download reads the table again, so that a changed password takes effect at once and is stored nowhere.
"""

from http import HTTPStatus
from typing import Final

import msgspec
from attrs import frozen

from erpclient import Caller, ErpClient, ErpRefused, ErpReplyUnreadable
from erpclient.odata import ListQuery
from erpclient.tax_documents import TaxServiceAccess
from servicekit.errors import NotConfigured
from supplier_returns.web.rights import needing_right

TABLE: Final = "U_DTE_CONFC"
MAX_PROVIDER_ROWS: Final = 20
_ADMIN_INFO: Final = "CompanyService_GetAdminInfo"
_UNKNOWN: Final = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND)


class _Row(msgspec.Struct):
    Code: str
    U_Url: str | None = None
    U_Usuario: str | None = None
    U_Clave: str | None = None
    U_RutEmisor: str | None = None
    U_Activo: str | None = None


class _AdminInfo(msgspec.Struct):
    FederalTaxID: str | None = None


_ROWS: Final = msgspec.json.Decoder(list[_Row])
_INFO: Final = msgspec.json.Decoder(_AdminInfo)


@frozen
class Provider:
    """Provider of tax documents.

    Attributes:
        issuer: RUT of the company, as the tax office writes it.
    """

    access: TaxServiceAccess
    issuer: str


async def read_provider(erp: ErpClient, caller: Caller) -> Provider:
    """Return the first active row by `Code`. Without a RUT of its own, it gets the company's.

    Raises:
        NotConfigured: there is no such table, or no active row with an address.
        ErpError: the request to the ERP failed.
    """
    # The table may have several rows, for example one for tests, so the order must be fixed.
    query = ListQuery(orderby=("Code asc",), top=MAX_PROVIDER_ROWS)
    try:
        with needing_right("@DTE_CONFC", task="leer la configuración de documentos tributarios"):
            page = await erp.list(TABLE, query, caller=caller)
    except ErpRefused as error:
        if error.status in _UNKNOWN:
            raise NotConfigured from error
        raise
    try:
        rows = _ROWS.decode(page.rows)
    except msgspec.DecodeError:
        # Drop the cause, because its text may quote the password.
        raise ErpReplyUnreadable("a configuration of tax documents of another form") from None
    row = next((row for row in rows if row.U_Activo == "Y" and row.U_Url), None)
    if row is None:
        raise NotConfigured
    issuer = row.U_RutEmisor or await _company_rut(erp, caller)
    access = TaxServiceAccess((row.U_Url or "").strip(), row.U_Usuario or "", row.U_Clave or "")
    return Provider(access, plain_rut(issuer))


async def _company_rut(erp: ErpClient, caller: Caller) -> str:
    with needing_right(_ADMIN_INFO, task="leer el RUT de la empresa"):
        reply = await erp.call_service(_ADMIN_INFO, b"", caller=caller)
    try:
        return _INFO.decode(reply.body).FederalTaxID or ""
    except msgspec.DecodeError as error:
        raise ErpReplyUnreadable("a company without a tax number") from error


def plain_rut(text: str) -> str:
    """Format a RUT as the tax office does: without dots and blanks, and with a capital check digit."""
    return text.replace(".", "").replace(" ", "").upper()
