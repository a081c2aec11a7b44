"""`POST /api/planificaciones/{id}/pdf`."""

import asyncio
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, Body, Endpoint, client_gone, read_json
from servicekit.errors import NotConfigured
from supplier_returns.execution.errors import DocumentNotFound
from supplier_returns.planning.errors import MetadataMissing, PlanningNotFound, PlanningUnreadable
from supplier_returns.planning.http import PLANNING_ID, read_number
from supplier_returns.tax_documents.errors import FolioMissing, NoDocumentMade, TaxDocumentFailed
from supplier_returns.tax_documents.service import DownloadRequest, DownloadSources, TaxDocumentService
from supplier_returns.tax_documents.shapes import DownloadBody
from supplier_returns.web.access import Access

OMITTED: Final = "X-Documentos-Omitidos"
_BODY_BYTES: Final = 128 * 1024


OpenSources = Callable[[Request], DownloadSources]
"""Builds the signed-in user's access to the ERP for a request."""


class TaxDocumentEndpoints:
    """Route of the joined PDF.

    Args:
        service: fetches and joins the documents.
        open_sources: builds the user's access to the ERP for a request.
    """

    def __init__(self, service: TaxDocumentService, open_sources: OpenSources) -> None:
        self._service = service
        self._open = open_sources

    def endpoints(self) -> list[Endpoint]:
        """Declare the endpoint."""
        return [
            Endpoint(
                "POST",
                "/api/planificaciones/{id}/pdf",
                self.download,
                access=Access.SESSION,
                summary="Download the tax documents of a planning as one PDF",
                description=(
                    "The pages follow the order of `documentos`. The service reads the folios again. If a "
                    "document has no folio, the response is 409. With `parcial` the document is left out and "
                    f"named in the header `{OMITTED}` instead. The service never sends an incomplete file."
                ),
                path_params=PLANNING_ID,
                request=Body(DownloadBody, required=False),
                responses={
                    200: Answer(
                        "The PDF.",
                        Body(
                            {"type": "string", "format": "binary"},
                            example="%PDF-1.7 …",
                            media_type="application/pdf",
                        ),
                        headers={OMITTED: "Numbers of the omitted documents."},
                    )
                },
                errors=(
                    PlanningNotFound,
                    DocumentNotFound,
                    NoDocumentMade,
                    FolioMissing,
                    TaxDocumentFailed,
                    NotConfigured,
                    PlanningUnreadable,
                    MetadataMissing,
                ),
                max_body_bytes=_BODY_BYTES,
            )
        ]

    async def download(self, request: Request) -> Response:
        """Answer POST …/pdf."""
        planning_id = read_number(request, "id", PlanningNotFound)
        body = await read_json(request, DownloadBody, optional=True)
        requested = DownloadRequest(body.documentos, assignable=body.cedible, partial=body.parcial)
        # Fetching takes up to minutes, so notice a disconnect to spare the provider.
        disconnect = asyncio.create_task(client_gone(request))
        try:
            joined = await self._service.download(
                self._open(request), planning_id, requested, is_disconnected=disconnect.done
            )
        finally:
            disconnect.cancel()
            await asyncio.gather(disconnect, return_exceptions=True)
        headers = {
            "Content-Disposition": f'inline; filename="devoluciones-{planning_id}.pdf"',
            "Cache-Control": "no-store",
        }
        if joined.omitted:
            headers[OMITTED] = ", ".join(map(str, joined.omitted))
        return Response(joined.pdf, media_type="application/pdf", headers=headers)
