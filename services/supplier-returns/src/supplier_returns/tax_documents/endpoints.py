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
from supplier_returns.tax_documents.service import DownloadSources, TaxDocumentService, Wanted
from supplier_returns.tax_documents.shapes import DownloadBody
from supplier_returns.web.access import Access

OMITTED: Final = "X-Documentos-Omitidos"
_BODY_BYTES: Final = 128 * 1024


OpenSources = Callable[[Request], DownloadSources]
"""Builds the signed-in user's access to the ERP for a request."""


class TaxDocumentEndpoints:
    """The route of the joined PDF.

    Args:
        service: Does the work.
        open_sources: Builds the user's access for a request.
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
                summary="The tax documents of a planning as one PDF",
                description=(
                    "In the order of `documentos`; folios are read anew. A document without a folio is 409 "
                    f"unless `parcial`: then it is left out and named in the header `{OMITTED}`. No "
                    "incomplete file is ever sent."
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
                        headers={OMITTED: "Documents that are left out."},
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
        wanted = Wanted(body.documentos, assignable=body.cedible, partial=body.parcial)
        leaving = asyncio.create_task(client_gone(request))
        try:
            joined = await self._service.download(
                self._open(request), planning_id, wanted, has_left=leaving.done
            )
        finally:
            leaving.cancel()
            await asyncio.gather(leaving, return_exceptions=True)
        headers = {
            "Content-Disposition": f'inline; filename="devoluciones-{planning_id}.pdf"',
            "Cache-Control": "no-store",
        }
        if joined.omitted:
            headers[OMITTED] = ", ".join(map(str, joined.omitted))
        return Response(joined.pdf, media_type="application/pdf", headers=headers)
