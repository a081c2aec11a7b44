"""The dispatch guide of a return: its PDF, and its XML in the tax office's shape."""

from __future__ import annotations

import random
from datetime import datetime
from typing import Final
from xml.sax.saxutils import escape

from erpsim.business.layouts import Paper
from erpsim.company.company import Company
from erpsim.company.exchange import Fields
from erpsim.company.rows.merging import rows_of
from erpsim.company.rows.values import as_int
from erpsim.report_gateway.pages import Column, Page

DISPATCH_GUIDE: Final = 52

_COLUMNS: Final = (
    Column(title="Código", width=0.2),
    Column(title="Descripción", width=0.5),
    Column(title="Cantidad", width=0.15, number=True),
    Column(title="Unidad", width=0.15),
)


def page_of_guide(company: Company, document: Fields) -> Page:
    """Return the page of a return's printed guide."""
    lines = rows_of(document, "DocumentLines")
    return Page(
        paper=Paper.LETTER,
        company=f"{company.switches.company_name}  R.U.T. {issuer_of(company)}",
        title=f"Guía de despacho electrónica N° {as_int(document['FolioNumber'])}",
        labels=(
            ("Señores", str(document.get("CardName") or "")),
            ("R.U.T.", str(document.get("FederalTaxID") or "")),
            ("Fecha", str(document.get("TaxDate") or document.get("DocDate") or "")[:10]),
            ("Traslado", "Guía de devolución"),
        ),
        columns=_COLUMNS,
        rows=tuple(
            (
                str(line.get("ItemCode") or ""),
                str(line.get("ItemDescription") or ""),
                f"{line.get('Quantity')}",
                str(line.get("MeasureUnit") or ""),
            )
            for line in lines
        ),
    )


def draw_guide(page: Page, now: datetime, *, filling_bytes: int = 0) -> bytes:
    """Draw a guide.

    Args:
        page: the content.
        now: for the file's own date.
        filling_bytes: size of an incompressible attachment that makes the file large.
    """
    # Imported lazily: loading the library takes most of a second.
    from erpsim.report_gateway.pdf import draw  # noqa: PLC0415

    filling = random.Random(filling_bytes).randbytes(filling_bytes)  # noqa: S311 - no secret
    return draw(page, now, attachment=filling or None)


def xml_of_guide(company: Company, document: Fields) -> str:
    """Return the beginning of the guide's XML, enough to identify the document."""
    receiver, name = (escape(str(document.get(field) or "")) for field in ("FederalTaxID", "CardName"))
    return (
        '<?xml version="1.0" encoding="ISO-8859-1"?>\n'
        '<DTE xmlns="http://www.sii.cl/SiiDte" version="1.0"><Documento ID="T52"><Encabezado>'
        f"<IdDoc><TipoDTE>{DISPATCH_GUIDE}</TipoDTE><Folio>{as_int(document['FolioNumber'])}</Folio>"
        f"<FchEmis>{str(document.get('DocDate') or '')[:10]}</FchEmis><IndTraslado>7</IndTraslado></IdDoc>"
        f"<Emisor><RUTEmisor>{issuer_of(company)}</RUTEmisor></Emisor>"
        f"<Receptor><RUTRecep>{receiver}</RUTRecep><RznSocRecep>{name}</RznSocRecep></Receptor>"
        "</Encabezado></Documento></DTE>"
    )


def issuer_of(company: Company) -> str:
    """Return the company's RUT."""
    return str(company.admin_info().get("FederalTaxID") or "")
