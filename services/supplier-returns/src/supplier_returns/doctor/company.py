"""Checks of the company's setup for returns: series, provider of tax documents, warehouses with bins."""

import asyncio
import socket
import ssl
from collections.abc import Callable
from datetime import date, timedelta
from http import HTTPStatus
from typing import Any, Final

from erpclient.http.tls import create_tls_context
from erpclient.tax_documents import TaxServiceAddressRefused
from erpclient.tax_documents.checks import check_address
from erpclient.tax_documents.own_addresses import is_own_address
from erpclient.tax_documents.values import RUT
from erpdoctor.checks import Checks, Finding, declares_check, fail, ok, skipped, warn
from erpdoctor.network.reaching import Address, connect, shake_hands
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.faults import FAULTS
from supplier_returns.catalogues.service import RETURN_OBJECT
from supplier_returns.doctor.installed import RETURNS
from supplier_returns.settings.tax_documents import TaxDocuments
from supplier_returns.tax_documents.provider import MAX_PROVIDER_ROWS, TABLE, plain_rut

NO_SERIES: Final = fail(
    "no_open_series",
    "No hay ninguna serie de numeración abierta para devoluciones.",
    english="All numbering series for returns are locked.",
    remedy="Abra una serie para el documento «Devolución de mercancías» en el ERP.",
    english_remedy='Open a numbering series for the document "Goods Return" in the ERP.',
)
SERIES_FORBIDDEN: Final = fail(
    "series_forbidden",
    "Este usuario no puede leer las series de numeración.",
    english="The user has no right to the numbering series.",
    remedy="Dé al usuario, en las autorizaciones del ERP, el derecho a las series de devoluciones.",
    english_remedy="Give the user the right to the series of returns, in the ERP's authorisations.",
)
TAX_TABLE_MISSING: Final = skipped(
    "tax_table_missing",
    "El ERP no tiene la tabla @DTE_CONFC: no habrá PDF de documentos tributarios.",
    english="The table does not exist, so there are no PDFs of tax documents.",
    remedy="Instale el complemento de documentos tributarios, o cree la tabla como dice la página.",
    english_remedy="Install the add-on for tax documents, or create the table as the page says.",
    page="docs/returns.md#tax-documents",
)
TAX_TABLE_FORBIDDEN: Final = fail(
    "tax_table_forbidden",
    "Este usuario no puede leer la tabla @DTE_CONFC.",
    english="The user has no right to the table.",
    remedy="Dé al usuario el derecho a leer @DTE_CONFC.",
    english_remedy="Give the user the right to read @DTE_CONFC.",
    page="docs/returns.md#tax-documents",
)
TAX_INCOMPLETE: Final = fail(
    "tax_incomplete",
    "Ninguna fila activa de @DTE_CONFC está completa.",
    english="No active row is complete. `missing` names the fields.",
    remedy="Complete en una fila activa de @DTE_CONFC los campos que se nombran (missing).",
    english_remedy="Fill the named fields (missing) in an active row of @DTE_CONFC.",
    page="docs/returns.md#tax-documents",
)
TAX_ADDRESS: Final = fail(
    "tax_address_refused",
    "La dirección de @DTE_CONFC no se puede usar: debe ser https y de un servidor permitido.",
    english="The address is malformed (a wrong port, for example), not https, or its host is not in "
    "`DTE_HOSTS`.",
    remedy="Corrija U_Url en @DTE_CONFC, o agregue ese servidor a DTE_HOSTS.",
    english_remedy="Correct U_Url in @DTE_CONFC, or add that server to DTE_HOSTS.",
    page="docs/returns.md#tax-documents",
)
TAX_OWN_ADDRESS: Final = fail(
    "tax_address_own",
    "La dirección de @DTE_CONFC lleva a este mismo servidor.",
    english="In production: the host is this one. Allow it with `DTE_ALLOW_LOCAL`, or correct the address.",
    remedy="Corrija U_Url en @DTE_CONFC, o permita el propio servidor con DTE_ALLOW_LOCAL=true.",
    english_remedy="Correct U_Url in @DTE_CONFC, or allow the host itself with DTE_ALLOW_LOCAL=true.",
    page="docs/returns.md#tax-documents",
)
TAX_ISSUER: Final = fail(
    "tax_issuer_invalid",
    "El RUT del emisor en @DTE_CONFC no es un RUT: no se entrega ningún PDF.",
    english="`U_RutEmisor` is not a RUT: every PDF is 503 `not_configured`.",
    remedy="Corrija U_RutEmisor en @DTE_CONFC (76123456-K), o déjelo vacío para usar el de la empresa.",
    english_remedy="Correct U_RutEmisor in @DTE_CONFC (76123456-K), or leave it empty to use the company's.",
    page="docs/returns.md#tax-documents",
)
TAX_UNREACHABLE: Final = fail(
    "tax_host_unreachable",
    "El servidor de documentos tributarios no contesta desde aquí.",
    english="The provider's host does not accept a connection.",
    remedy="Revise U_Url en @DTE_CONFC, y si la red permite salir hacia ese servidor.",
    english_remedy="Check U_Url in @DTE_CONFC, and whether the network lets this host reach that server.",
    page="docs/returns.md#tax-documents",
)
TAX_TLS: Final = fail(
    "tax_certificate_refused",
    "El certificado del servidor de documentos tributarios no es de confianza.",
    english="Its certificate is not trusted. Add the private authority to `DTE_CA_FILE`.",
    remedy="Revise la dirección en @DTE_CONFC; si la autoridad es propia, configúrela en DTE_CA_FILE.",
    english_remedy="Check the address in @DTE_CONFC; if the authority is a private one, configure it "
    "in DTE_CA_FILE.",
    page="docs/returns.md#tax-documents",
)
NO_FOLIOS: Final = warn(
    "folios_never_given",
    "Las últimas devoluciones de una serie llevan más de un día sin folio.",
    english="In one series none did (`series` names it). Ask whether the add-on [issues them for "
    "goods returns](docs/returns.md#let-the-add-on-see-your-returns).",
    remedy="Pregunte a quien provee el complemento si emite documentos por devoluciones de mercancías.",
    english_remedy="Ask the add-on's provider whether it emits documents for goods returns.",
    page="docs/returns.md#tax-documents",
)
BINS_FORBIDDEN: Final = skipped(
    "bins_forbidden",
    "Este usuario no puede leer las bodegas.",
    english="The user has no right to warehouses. See `returns.rights`.",
    remedy="Dé al usuario el derecho a leer las bodegas, que returns.rights nombra.",
    english_remedy="Give the user the right to read warehouses, which returns.rights names.",
)
_YES: Final = "tYES"
FOLIO_PATIENCE: Final = timedelta(days=1)
"""Age after which a return without a folio is reported."""

LAST_RETURNS: Final = 20
_REQUIRED: Final = ("U_Url", "U_Usuario", "U_Clave")


class CompanyChecks(Checks):
    """Checks of the company's setup for returns."""

    group = RETURNS
    faults = FAULTS

    def __init__(
        self,
        context: CheckContext,
        tax_documents: TaxDocuments,
        today: Callable[[], date],
        *,
        tax_may_be_local: bool,
    ) -> None:
        self._context = context
        self._tax_may_be_local = tax_may_be_local
        self._today = today
        self._tax_documents = tax_documents
        self._url = ""

    @declares_check(
        "series",
        "Series de numeración",
        NO_SERIES,
        SERIES_FORBIDDEN,
        needs=("service-layer.login",),
        english="There is an open numbering series for returns.",
    )
    async def _series(self) -> Finding:
        body = {"DocumentTypeParams": {"Document": RETURN_OBJECT}}
        answer = await self._context.inspection.ask("SeriesService_GetDocumentSeries", body)
        if answer.status == HTTPStatus.FORBIDDEN:
            return SERIES_FORBIDDEN.found()
        rows = answer.rows()
        open_series = [row for row in rows if row.get("Locked") != _YES]
        return ok(open=len(open_series)) if open_series else NO_SERIES.found(locked=len(rows))

    @declares_check(
        "tax-service",
        "Configuración de documentos tributarios",
        TAX_TABLE_MISSING,
        TAX_TABLE_FORBIDDEN,
        TAX_INCOMPLETE,
        TAX_ADDRESS,
        TAX_ISSUER,
        needs=("service-layer.login",),
        english="[`@DTE_CONFC`](docs/returns.md#connect-the-provider) has an active row with address, "
        "user and password, and an issuer that is a RUT or empty.",
    )
    async def _tax_service(self) -> Finding:
        answer = await self._context.read(f"/{TABLE}?$orderby=Code%20asc&$top={MAX_PROVIDER_ROWS}")
        if answer.status == HTTPStatus.FORBIDDEN:
            return TAX_TABLE_FORBIDDEN.found()
        if answer.status in (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_FOUND):
            return TAX_TABLE_MISSING.found()
        active = [row for row in answer.rows() if row.get("U_Activo") == "Y"]
        row: dict[str, Any] = next((row for row in active if row.get("U_Url")), {})
        # A row without a user or a password passes the service's read, but each request would be refused.
        missing = tuple(name for name in _REQUIRED if not row.get(name))
        if missing:
            return TAX_INCOMPLETE.found(missing=missing, active=len(active))
        url = str(row["U_Url"]).strip()
        try:
            check_address(url, frozenset(self._tax_documents.hosts or ()))
        except TaxServiceAddressRefused:
            return TAX_ADDRESS.found(_shown(url))
        issuer = row.get("U_RutEmisor")
        if issuer and not RUT.fullmatch(plain_rut(str(issuer))):
            return TAX_ISSUER.found(active=len(active))
        self._url = url
        return ok(Address.of(url).shown, active=len(active))

    @declares_check(
        "tax-host",
        "Servidor de documentos tributarios",
        TAX_UNREACHABLE,
        TAX_TLS,
        TAX_OWN_ADDRESS,
        needs=("tax-service",),
        english="The provider's host accepts a connection, with a trusted certificate.",
    )
    async def _tax_host(self) -> Finding:
        address = Address.of(self._url)
        try:
            if not self._tax_may_be_local and await _is_this_host(address):
                return TAX_OWN_ADDRESS.found(address.shown)
            if address.tls:
                await shake_hands(address, create_tls_context(ca_file=self._tax_documents.ca_file))
            else:
                await connect(address)
        except ssl.SSLError:
            return TAX_TLS.found(address.shown)
        except OSError:
            return TAX_UNREACHABLE.found(address.shown)
        return ok(address.shown, tls=address.tls)

    @declares_check(
        "folios",
        "Folios de las últimas devoluciones",
        NO_FOLIOS,
        needs=("tax-service",),
        english="Of the last 20 returns that are more than a day old, some in each series have a folio.",
    )
    async def _folios(self) -> Finding:
        day = self._today() - FOLIO_PATIENCE
        # Returns of today may still wait for the add-on, and cancelled ones never get a folio.
        query = (
            f"$select=Series,FolioNumber&$filter=CreationDate%20lt%20'{day}'%20and%20Cancelled%20eq%20'tNO'"
            f"&$orderby=DocEntry%20desc&$top={LAST_RETURNS}"
        )
        answer = await self._context.read(f"/PurchaseReturns?{query}")
        folios: dict[int, list[bool]] = {}
        for row in answer.rows():
            folios.setdefault(int(row.get("Series") or 0), []).append(bool(row.get("FolioNumber")))
        never = tuple(str(series) for series, given in sorted(folios.items()) if not any(given))
        return NO_FOLIOS.found(series=never) if never else ok(series=len(folios))

    @declares_check(
        "bins",
        "Bodegas con ubicaciones",
        BINS_FORBIDDEN,
        needs=("service-layer.login",),
        english="Number of warehouses with bin locations. Their returns are planned but not executed.",
    )
    async def _bins(self) -> Finding:
        condition = "EnableBinLocations%20eq%20'tYES'%20and%20Inactive%20eq%20'tNO'"
        answer = await self._context.read(f"/Warehouses?$select=WarehouseCode&$filter={condition}")
        if answer.status == HTTPStatus.FORBIDDEN:
            return BINS_FORBIDDEN.found()
        rows = answer.rows()
        codes = ", ".join(str(row.get("WarehouseCode")) for row in rows)
        return ok(f"{codes}: se planifica, no se ejecuta" if rows else "ninguna", warehouses=len(rows))


async def _is_this_host(address: Address) -> bool:
    """Return whether a name resolves to an address of this host.

    Raises:
        OSError: the name can't be resolved.
    """
    addresses = await asyncio.get_running_loop().getaddrinfo(
        address.host, address.port, type=socket.SOCK_STREAM
    )
    return any(is_own_address(str(each[4][0])) for each in addresses)


def _shown(url: str) -> str:
    """Return host and port for the terminal, or an empty text if the URL is invalid."""
    try:
        return Address.of(url).shown
    except ValueError:
        return ""
