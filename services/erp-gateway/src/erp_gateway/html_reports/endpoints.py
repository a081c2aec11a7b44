"""`/api/html-reports`: reports rendered from registered queries, as HTML and as PDF."""

from functools import partial
from typing import Any, Final

from attrs import field, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.erpdb.refusals import DATABASE_ERRORS
from erp_gateway.html_reports import errors
from erp_gateway.html_reports.printing.document import CONTENT_SECURITY_POLICY
from erp_gateway.html_reports.registry import HtmlReport
from erp_gateway.html_reports.service import HtmlReportService
from erp_gateway.refusals import PermissionDenied
from erp_gateway.report_parameters import MAX_VALUES_BYTES, ReportParameter
from erp_gateway.web.access import MenuAccess, actor_of
from erp_gateway.web.attachments import content_disposition
from erp_gateway.web.upstream_errors import ClientGone
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    client_gone,
    json_response,
    path_param,
    read_json,
)
from servicekit.errors import InvalidBody, NotFound, ServiceError

_RUN: Final = MenuAccess("/reportes-html/ejecutar")
_TAG: Final = "HTML reports"
_CODE: Final = {"code": PathParam("Code of the report", "ventas-del-mes")}
_PDF: Final = "application/pdf"
_HTML: Final = "text/html; charset=utf-8"


@frozen(kw_only=True)
class ReportListing:
    """A report as a person chooses it."""

    code: str
    title: str
    parameters: tuple[ReportParameter, ...]


@frozen(kw_only=True)
class ReportListings:
    """All reports."""

    items: tuple[ReportListing, ...]


@frozen(kw_only=True)
class ReportValues:
    """What a person fills in: values by parameter name."""

    values: dict[str, Any] = field(factory=dict)


_LIST_EXAMPLE: Final = {
    "items": [
        {
            "code": "ventas-del-mes",
            "title": "Ventas del mes",
            "parameters": [
                {
                    "name": "Desde",
                    "type": "xsd:date",
                    "required": True,
                    "isDocEntry": False,
                    "label": "Desde el día",
                    "input": {"kind": "date", "options": [], "default": None},
                    "isRange": False,
                    "isMultiple": False,
                }
            ],
        }
    ]
}
_VALUES: Final = Body(ReportValues, {"values": {"Desde": "2026-03-01"}})
_RENDER_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    PermissionDenied,
    errors.HtmlReportNotFound,
    InvalidBody,
    errors.ReportTooLong,
    errors.ReportDataFailed,
    errors.ReportTemplateFailed,
    errors.ReportTimeout,
    ClientGone,
    NotFound,
    *DATABASE_ERRORS,
)
_PDF_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    *_RENDER_ERRORS,
    errors.BrowserUnavailable,
    errors.PdfQueueFull,
    errors.PdfQueueTimeout,
    errors.PdfNotStarted,
    errors.PdfFailed,
    errors.PdfTimeout,
)


class HtmlReportEndpoints:
    """Handlers of the HTML reports.

    Args:
        service: what makes them.
    """

    def __init__(self, service: HtmlReportService) -> None:
        self._service = service

    async def list_reports(self, request: Request) -> Response:  # noqa: ARG002 - a handler's signature
        """Answer the reports with their parameters."""
        return json_response(ReportListings(items=tuple(map(_listing, self._service.reports))))

    async def render(self, request: Request) -> Response:
        """Answer the report as HTML that can neither run a script nor fetch anything."""
        code, asked = path_param(request, "code"), await read_json(request, ReportValues)
        html = await self._service.render(
            code, asked.values, actor_of(request), partial(client_gone, request)
        )
        return Response(html, media_type=_HTML, headers={"Content-Security-Policy": CONTENT_SECURITY_POLICY})

    async def print(self, request: Request) -> Response:
        """Answer the report as PDF."""
        code, asked = path_param(request, "code"), await read_json(request, ReportValues)
        pdf = await self._service.print(code, asked.values, actor_of(request), partial(client_gone, request))
        return Response(
            pdf,
            media_type=_PDF,
            headers={"Content-Disposition": content_disposition(self._service.find(code).title, "pdf")},
        )

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the HTML reports."""
        return [
            Endpoint(
                "GET",
                "/api/html-reports",
                self.list_reports,
                access=_RUN,
                summary="Available HTML reports",
                tag=_TAG,
                responses={
                    200: Answer("The reports with their parameters", Body(ReportListings, _LIST_EXAMPLE))
                },
                errors=(PermissionDenied,),
            ),
            Endpoint(
                "POST",
                "/api/html-reports/{code}/render",
                self.render,
                access=_RUN,
                summary="Render a report as HTML",
                description="Show it in a sandboxed frame: it holds what people typed into the ERP.",
                tag=_TAG,
                path_params=_CODE,
                request=_VALUES,
                max_body_bytes=MAX_VALUES_BYTES,
                responses={
                    200: Answer(
                        "The report; its content security policy allows no script and no network",
                        Body({"type": "string"}, "<!doctype html><title>Ventas del mes</title>", _HTML),
                        headers={"Content-Security-Policy": "Sandboxes the report"},
                    )
                },
                errors=_RENDER_ERRORS,
            ),
            Endpoint(
                "POST",
                "/api/html-reports/{code}/pdf",
                self.print,
                access=_RUN,
                summary="Print a report as PDF",
                description="The same document on the paper that its template's `@page` rule asks for.",
                tag=_TAG,
                path_params=_CODE,
                request=_VALUES,
                max_body_bytes=MAX_VALUES_BYTES,
                responses={
                    200: Answer(
                        "The report",
                        Body({"type": "string", "contentMediaType": _PDF}, "%PDF-1.7 …", _PDF),
                        headers={"Content-Disposition": "Names the file after the report's title"},
                    )
                },
                errors=_PDF_ERRORS,
            ),
        ]


def _listing(report: HtmlReport) -> ReportListing:
    return ReportListing(code=report.code, title=report.title, parameters=report.parameters)
