"""`/api/html-reports`: reports rendered from registered queries, as HTML and as PDF."""

import asyncio
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports import shapes as exports
from erp_gateway.files.exports.errors import EXPORT_ERRORS
from erp_gateway.files.exports.options import read_export_options
from erp_gateway.files.exports.response import ExportResponse
from erp_gateway.files.jobs.errors import START_ERRORS
from erp_gateway.files.jobs.job import JobKind, JobRequest, Pdf
from erp_gateway.files.jobs.jobs import Jobs
from erp_gateway.files.jobs.responses import pdf_response, start_job, wants_job
from erp_gateway.files.jobs.shapes import ACCEPTED, PREFER
from erp_gateway.queries.errors import DATABASE_ERRORS
from erp_gateway.reports.html import errors
from erp_gateway.reports.html.printing.guard import CONTENT_SECURITY_POLICY
from erp_gateway.reports.html.registry import HtmlReport
from erp_gateway.reports.html.service import HtmlReportService
from erp_gateway.reports.html.shapes import ReportListing, ReportListings, ReportValues, TableListing
from erp_gateway.reports.html.tables import TABLE
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.values.parameters.declare import shown_parameters
from erp_gateway.values.parameters.reading import MAX_VALUES_BYTES
from erp_gateway.web.access import MenuAccess, actor_of, is_admin_request, lasting_right, session_of
from erp_gateway.web.disconnects import Disconnected
from servicekit.endpoint import (
    Answer,
    Body,
    Endpoint,
    PathParam,
    QueryParam,
    client_gone,
    json_response,
    path_param,
    read_json,
    read_query,
)
from servicekit.erp.errors import ClientGone
from servicekit.errors import FieldProblem, InvalidBody, InvalidQuery, NotFound, ServiceError

RUN: Final = MenuAccess("/reportes-html/ejecutar")
"""Right to run reports of this kind."""
_CODE: Final = {"code": PathParam("Code of the report", "ventas-del-mes")}
_PDF: Final = "application/pdf"
_HTML: Final = "text/html; charset=utf-8"


_LIST: Final = Body(ReportListings)
_VALUES: Final = Body(ReportValues)
_TABLES: Final = (
    *exports.QUERY,
    QueryParam(TABLE, "Which of the report's tables, for a file; needed for a CSV where there are several"),
)
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
    InvalidQuery,
    errors.PdfNotConfigured,
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
        service: renders and prints them.
        jobs: long exports.
    """

    def __init__(self, service: HtmlReportService, jobs: Jobs) -> None:
        self._service = service
        self._jobs = jobs

    async def list_reports(self, request: Request) -> Response:
        """List the reports with their parameters."""
        to_administrator = is_admin_request(request)
        items = tuple(_listing(report, to_administrator) for report in self._service.reports)
        return json_response(ReportListings(items=items))

    async def form(self, request: Request) -> Response:
        """Return one report with its form."""
        report = await self._service.form(path_param(request, "code"), actor_of(request))
        return json_response(_listing(report, is_admin_request(request)))

    async def render(self, request: Request) -> Response:
        """Return the report as HTML that can neither run scripts nor load resources."""
        code, query = path_param(request, "code"), read_query(request)
        export_options = read_export_options(request.headers.get("accept", ""), query)
        values = (await read_json(request, ReportValues)).values
        actor, disconnected = actor_of(request), partial(client_gone, request)
        if export_options is not None:
            table = query.get(TABLE)
            return ExportResponse(
                await self._service.export(
                    code,
                    values,
                    export_options,
                    table,
                    actor=actor,
                    disconnected=disconnected,
                    check=lasting_right(request),
                )
            )
        if TABLE in query:
            raise InvalidQuery(errors=[FieldProblem(TABLE, "Solo un archivo CSV o XLSX es de una tabla.")])
        html = await self._service.render(code, values, actor, disconnected)
        return Response(html, media_type=_HTML, headers={"Content-Security-Policy": CONTENT_SECURITY_POLICY})

    async def print(self, request: Request) -> Response:
        """Return the report as PDF, or start a job for it."""
        read_query(request)  # no query parameters: reject any
        code, body = path_param(request, "code"), await read_json(request, ReportValues)
        report, actor = self._service.find(code), actor_of(request)

        async def make(disconnected: Disconnected) -> Pdf:
            return Pdf(report.title, await self._service.print(code, body.values, actor, disconnected))

        if wants_job(request):
            job = JobRequest(
                kind=JobKind.HTML_REPORT,
                owner=session_of(request).user.name,
                menu=RUN.route,
                make=lambda _: make(asyncio.Event().wait),
            )
            return await start_job(self._jobs, job)
        return pdf_response(await make(partial(client_gone, request)))

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the HTML reports."""
        return [
            Endpoint(
                "GET",
                "/api/html-reports",
                self.list_reports,
                access=RUN,
                summary="Available HTML reports",
                responses={
                    200: Answer(
                        "The reports with their parameters",
                        _LIST,
                    )
                },
                errors=(PermissionDenied,),
            ),
            Endpoint(
                "GET",
                "/api/html-reports/{code}",
                self.form,
                access=RUN,
                summary="Form of an HTML report",
                description=(
                    "The report as the list has it, and for parameters whose options come from a query "
                    "(`optionsFrom`) those that there are now."
                ),
                path_params=_CODE,
                responses={200: Answer("The report with its parameters", Body(ReportListing))},
                errors=(
                    PermissionDenied,
                    errors.HtmlReportNotFound,
                    errors.ReportDataFailed,
                    *DATABASE_ERRORS,
                ),
            ),
            Endpoint(
                "POST",
                "/api/html-reports/{code}/render",
                self.render,
                access=RUN,
                summary="Render a report as HTML",
                description=(
                    "Show it in a sandboxed frame: it holds what people typed into the ERP. As a file it "
                    "answers the report's tables instead, whole or not at all: an XLSX has a sheet for each, "
                    "a CSV is one of them."
                ),
                path_params=_CODE,
                request=_VALUES,
                max_body_bytes=MAX_VALUES_BYTES,
                query=_TABLES,
                responses={
                    200: Answer(
                        "The report; its content security policy allows no script and no network",
                        Body({"type": "string"}, "<!doctype html><title>Ventas del mes</title>", _HTML),
                        {"Content-Security-Policy": "Sandboxes the report", **exports.DISPOSITION_HEADER},
                        exports.FILES,
                    )
                },
                errors=(*_RENDER_ERRORS, *EXPORT_ERRORS),
            ),
            Endpoint(
                "POST",
                "/api/html-reports/{code}/pdf",
                self.print,
                access=RUN,
                summary="Print a report as PDF",
                description="The same document on the paper that its template's `@page` rule asks for.",
                path_params=_CODE,
                request=_VALUES,
                max_body_bytes=MAX_VALUES_BYTES,
                responses={
                    200: Answer(
                        "The report",
                        Body({"type": "string", "contentMediaType": _PDF}, "%PDF-1.7 …", _PDF),
                        headers={"Content-Disposition": "Names the file after the report's title"},
                    ),
                    202: ACCEPTED,
                },
                headers=(PREFER,),
                errors=(*_PDF_ERRORS, *START_ERRORS),
            ),
        ]


def _listing(report: HtmlReport, to_administrator: bool) -> ReportListing:
    return ReportListing(
        code=report.code,
        title=report.title,
        parameters=shown_parameters(report.parameters, to_administrator=to_administrator),
        tables=tuple(TableListing(name=table.name, title=table.title) for table in report.tables),
    )
