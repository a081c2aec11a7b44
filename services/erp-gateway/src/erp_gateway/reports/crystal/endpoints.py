"""`/api/gateway`: HTTP in and out of the report gateway's module."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Final

import attrs
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.files.exports.errors import ExportNoRoom
from erp_gateway.files.jobs.errors import START_ERRORS
from erp_gateway.files.jobs.job import JobKind, JobRequest, Pdf, ReportProgress
from erp_gateway.files.jobs.jobs import Jobs
from erp_gateway.files.jobs.responses import pdf_response, start_job, wants_job
from erp_gateway.files.jobs.shapes import ACCEPTED, PREFER
from erp_gateway.reports.crystal.errors import (
    UPSTREAM_ERRORS,
    DocumentFailed,
    ReportEmpty,
    ReportFailed,
    ReportNotFound,
    ReportObsolete,
    ReportUnknown,
)
from erp_gateway.reports.crystal.registry import RegisteredReport, ReportDefinition
from erp_gateway.reports.crystal.service import MOST_DOCUMENTS, ReportService
from erp_gateway.reports.crystal.shapes import (
    AuthorizedItem,
    AuthorizedItems,
    DocumentExport,
    DocumentFormat,
    DocumentFormats,
    ExportValues,
    RegisteredReports,
    SuggestedParameters,
)
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.values.audit_event import Actor
from erp_gateway.values.declarations import is_menu_route
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.values.parameters.declare import shown_parameters
from erp_gateway.values.parameters.reading import MAX_DOC_ENTRY, MAX_VALUES_BYTES
from erp_gateway.web.access import (
    Access,
    MenuAccess,
    Permissions,
    actor_of,
    allows_one_of,
    check_one_of,
    is_admin_request,
    lasting_right,
    session_of,
)
from erp_gateway.web.disconnects import cancel_on_disconnect
from erp_gateway.web.requests import caller_of, upstream_calls
from erp_gateway.web.upstream_errors import UPSTREAM_FAILURES, UPSTREAM_REFUSALS
from erpclient import Caller
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
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import (
    FieldProblem,
    InvalidBody,
    InvalidPath,
    InvalidQuery,
    NotConfigured,
    ServiceError,
)

MAX_CODE_CHARS: Final = 50

_CODE_TEXT: Final = re.compile(r"\S(.*\S)?")
_DOCUMENT: Final = re.compile(r"[A-Za-z0-9_]{3,20}")
_NO_ROUTE: Final = "Debe ser una ruta de menú exacta, como /ventas/pedidos."


MAX_DEFINITION_BYTES: Final = 256 * 1024
"""As many parameters as a report may have, with the longest names."""

MAX_DOCUMENT_BYTES: Final = 2 * 1024
"""A screen, a code and fifty numbers."""

RUN: Final = MenuAccess("/reportes/ejecutar")
"""Right to run reports of this kind."""
_CODE: Final = {
    "code": PathParam(
        "Code of the report at the report gateway.",
        "RCRI0002",
        {"type": "string", "minLength": 1, "maxLength": 50},
    )
}

_STORED: Final[tuple[type[ServiceError], ...]] = (NotConfigured, StoreUnavailable)
_COMMON_ERRORS: Final[tuple[type[ServiceError], ...]] = (*_STORED, *UPSTREAM_ERRORS)
_PRINTED: Final[tuple[type[ServiceError], ...]] = (
    InvalidQuery,
    *_COMMON_ERRORS,
    *UPSTREAM_FAILURES,
    *UPSTREAM_REFUSALS,
    RecordNotFound,
    ReportNotFound,
    ReportUnknown,
    ReportObsolete,
    ReportFailed,
    ReportEmpty,
)


_PDF: Final = Answer(
    "The PDF, as a file named after the report's title.",
    Body({"type": "string", "format": "binary"}, example="%PDF-1.7 …", media_type="application/pdf"),
    {"Content-Disposition": "`attachment`, with the title as file name"},
)


class ReportEndpoints:
    """Handlers of Crystal reports.

    Args:
        service: use cases of reports; None without a configured report gateway. Every endpoint is then 503.
        permissions: rights of web users.
        jobs: long exports.
    """

    def __init__(self, service: ReportService | None, permissions: Permissions, jobs: Jobs) -> None:
        self._service = service
        self._permissions = permissions
        self._jobs = jobs

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the report gateway."""
        return [
            Endpoint(
                "GET",
                "/api/gateway/authorized",
                self.authorized,
                access=Access.ADMIN,
                summary="Reports the gateway authorises",
                description=(
                    "The report gateway's general catalogue. Layouts of documents are never in it: "
                    "`document` asks the ERP for those of a document type, its default first. A report need "
                    "not be listed to be registered."
                ),
                query=(
                    QueryParam(
                        "document",
                        "Document type of the ERP whose layouts to list",
                        "RDR2",
                        {"type": "string", "pattern": "^[A-Za-z0-9_]{3,20}$"},
                    ),
                ),
                responses={200: Answer("The reports, or the document type's layouts", Body(AuthorizedItems))},
                errors=(*_COMMON_ERRORS, InvalidQuery, *UPSTREAM_REFUSALS, *UPSTREAM_FAILURES),
            ),
            Endpoint(
                "GET",
                "/api/gateway/authorized/{code}/parameters",
                self.suggested,
                access=Access.ADMIN,
                summary="Parameters of a report, as registry definitions",
                description=(
                    "What the report itself tells, as a suggestion: it can be sent to the registry as it is. "
                    "`required` is the administrator's choice. Headings carry no value and are left out."
                ),
                path_params=_CODE,
                responses={
                    200: Answer(
                        "The parameters, in the report's own order",
                        Body(SuggestedParameters),
                    )
                },
                errors=(*_COMMON_ERRORS, ReportUnknown),
            ),
            Endpoint(
                "GET",
                "/api/gateway/registry",
                self.registry,
                access=Access.ADMIN,
                summary="Registered reports",
                responses={200: Answer("All of them, by code", Body(RegisteredReports))},
                errors=_STORED,
            ),
            Endpoint(
                "PUT",
                "/api/gateway/registry/{code}",
                self.register,
                access=Access.ADMIN,
                summary="Register or update a report",
                description=(
                    "The report gateway says whether there is such a report: every parameter must be one of "
                    "its own, byte for byte and with its type. Their order, `isRange` and `isMultiple` are "
                    "the report's, whatever is sent; a value of a range is `{from, to}`, several values are "
                    "a list.\n\n"
                    "A screen has one default format: a report that becomes the default takes that place "
                    "from the one that had it. A report with `documents` needs a parameter with "
                    "`isDocEntry`, and every other required parameter a default, because nobody is asked."
                ),
                path_params=_CODE,
                request=Body(ReportDefinition),
                max_body_bytes=MAX_DEFINITION_BYTES,
                responses={200: Answer("The report as registered", Body(RegisteredReport))},
                errors=(*_COMMON_ERRORS, ReportUnknown),
            ),
            Endpoint(
                "DELETE",
                "/api/gateway/registry/{code}",
                self.unregister,
                access=Access.ADMIN,
                summary="Remove a report from the registry",
                path_params=_CODE,
                responses={204: Answer("Removed.")},
                errors=(*_STORED, ReportNotFound),
            ),
            Endpoint(
                "GET",
                "/api/gateway/reports",
                self.reports,
                access=RUN,
                summary="Enabled reports",
                description="Those that are tied to screens only for who may use one of these.",
                responses={200: Answer("By category and title", Body(RegisteredReports))},
                errors=_STORED,
            ),
            Endpoint(
                "POST",
                "/api/gateway/reports/{code}/export",
                self.export,
                access=RUN,
                summary="Make a report's PDF",
                description=(
                    "`values` by parameter name: texts, numbers, dates such as `2026-01-31`, booleans; "
                    '`{"from": …, "to": …}` for a range and a list for several values. Values of parameters '
                    "that are not registered, hidden, or given by the configuration are dropped. A parameter "
                    "that is not sent takes its default; one that is sent empty has no value.\n\n"
                    "A report that is tied to screens needs permission for one of these besides."
                ),
                path_params=_CODE,
                max_body_bytes=MAX_VALUES_BYTES,
                request=Body(ExportValues),
                headers=(PREFER,),
                responses={200: _PDF, 202: ACCEPTED},
                errors=(*_PRINTED, *START_ERRORS),
            ),
            Endpoint(
                "GET",
                "/api/gateway/documents",
                self.documents,
                access=Access.SCREEN,
                summary="PDF formats of a screen's documents",
                query=(
                    QueryParam(
                        "screen",
                        "Menu route of the screen",
                        "/ventas/pedidos",
                        {"type": "string"},
                        required=True,
                    ),
                ),
                responses={
                    200: Answer(
                        "The enabled formats, the default first",
                        Body(DocumentFormats),
                    )
                },
                errors=(*_STORED, PermissionDenied, InvalidQuery),
            ),
            Endpoint(
                "POST",
                "/api/gateway/documents/export",
                self.export_document,
                access=Access.SCREEN,
                summary="PDF of a document",
                description=(
                    "`docEntry` goes into the parameter that the registry marks with `isDocEntry`. "
                    "`docEntries` in its place, at most 50, makes one PDF of several, in this order: all of "
                    "them, or none, and the document that failed is named. Those that the ERP does not have "
                    "are named together, and nothing is printed."
                ),
                headers=(PREFER,),
                max_body_bytes=MAX_DOCUMENT_BYTES,
                request=Body(DocumentExport),
                responses={200: _PDF, 202: ACCEPTED},
                errors=(*_PRINTED, *START_ERRORS, DocumentFailed, ExportNoRoom, PermissionDenied),
            ),
        ]

    async def authorized(self, request: Request) -> Response:
        """List the general catalogue, or a document type's layouts."""
        service, document = self._reports, read_query(request).get("document")
        if document is not None and not _DOCUMENT.fullmatch(document):
            raise InvalidQuery(
                errors=[FieldProblem("document", "Debe ser un tipo de documento del ERP, como RDR2.")]
            )
        registered = {report.code for report in await service.list_registered()}
        with upstream_calls(request) as caller:
            reports = await service.list_authorized(document, caller)
        items = tuple(
            AuthorizedItem(**attrs.asdict(each), registered=each.code in registered) for each in reports
        )
        return json_response(AuthorizedItems(items=items))

    async def suggested(self, request: Request) -> Response:
        """Return a report's parameters as definitions."""
        service, code = self._reports, _code(request)
        with upstream_calls(request) as caller:
            parameters = await service.suggest(code, caller)
        return json_response(SuggestedParameters(code=code, parameters=parameters))

    async def registry(self, _request: Request) -> Response:
        """List every registered report."""
        return json_response(RegisteredReports(items=await self._reports.list_registered()))

    async def register(self, request: Request) -> Response:
        """Register a report or change it."""
        service, code = self._reports, _code(request)
        definition = await read_json(request, ReportDefinition)
        with upstream_calls(request) as caller:
            return json_response(await service.register(code, definition, caller, actor_of(request)))

    async def unregister(self, request: Request) -> Response:
        """Remove a report from the registry."""
        await self._reports.unregister(_code(request), actor_of(request))
        return Response(status_code=204)

    async def reports(self, request: Request) -> Response:
        """List the reports that the user can run."""
        web_user = session_of(request).user.name
        items = await self._reports.list_enabled(
            lambda report: allows_one_of(self._permissions, web_user, report.screens)
        )
        is_admin = is_admin_request(request)
        shown = (
            attrs.evolve(each, parameters=shown_parameters(each.parameters, to_administrator=is_admin))
            for each in items
        )
        return json_response(RegisteredReports(items=tuple(shown)))

    async def export(self, request: Request) -> Response:
        """Make a report's PDF, or have a job make it."""
        service, code = self._reports, _code(request)
        read_query(request)  # no query parameters: reject any
        values = (await read_json(request, ExportValues)).values
        report = await service.find_enabled(code)
        owner, actor = session_of(request).user.name, actor_of(request)
        check_one_of(self._permissions, owner, report.screens, key=code)
        if wants_job(request):
            staying = _staying(request)
            job = JobRequest(
                kind=JobKind.REPORT,
                owner=owner,
                menu=RUN.route,
                screens=report.screens,
                make=lambda _: service.export(report, values, staying, actor),
            )
            return await start_job(self._jobs, job)
        with upstream_calls(request) as caller:
            return pdf_response(await service.export(report, values, caller, actor))

    async def documents(self, request: Request) -> Response:
        """List the formats of a screen's documents."""
        service, screen = self._reports, read_query(request)["screen"]
        if not is_menu_route(screen):
            raise InvalidQuery(errors=[FieldProblem("screen", _NO_ROUTE)])
        self._check_screen(request, screen)
        formats = await service.list_formats(screen)
        return json_response(
            DocumentFormats(
                items=tuple(
                    DocumentFormat(code=each.code, title=each.title, default=each.is_default_of(screen))
                    for each in formats
                )
            )
        )

    async def export_document(self, request: Request) -> Response:
        """Return the PDF of one document or of several joined ones, or start a job for it."""
        service = self._reports
        read_query(request)  # as with `export`
        document_request = await read_json(request, DocumentExport)
        if not is_menu_route(document_request.screen):
            raise InvalidBody(errors=[FieldProblem("screen", _NO_ROUTE)])
        entries = _documents(document_request)
        right = partial(self._check_screen, request, document_request.screen, key=",".join(map(str, entries)))
        right()
        actor = actor_of(request)
        if wants_job(request):
            job = JobRequest(
                kind=JobKind.DOCUMENT,
                owner=session_of(request).user.name,
                menu=document_request.screen,
                total=len(entries),
                make=partial(_print, service, document_request, entries, _staying(request), actor),
            )
            return await start_job(self._jobs, job)
        with upstream_calls(request) as caller:
            if document_request.doc_entries is None:
                return pdf_response(await _print(service, document_request, entries, caller, actor))
            check = lasting_right(request, right)
            staying = attrs.evolve(caller, disconnected=None)
            printing = _print(service, document_request, entries, staying, actor, lambda _: check())
            return pdf_response(await cancel_on_disconnect(printing, partial(client_gone, request)))

    @property
    def _reports(self) -> ReportService:
        if self._service is None:
            raise NotConfigured
        return self._service

    def _check_screen(self, request: Request, screen: str, *, key: str | None = None) -> None:
        check_one_of(self._permissions, session_of(request).user.name, (screen,), key=key)


async def _print(
    service: ReportService,
    document_request: DocumentExport,
    entries: Sequence[int],
    caller: Caller,
    actor: Actor,
    report_progress: ReportProgress | None = None,
) -> Pdf:
    screen, code = document_request.screen, document_request.code
    if document_request.doc_entries is None:
        return await service.export_document(screen, code, entries[0], caller, actor)
    return await service.print_documents(
        screen, code, entries, caller, actor, report_progress=report_progress
    )


def _staying(request: Request) -> Caller:
    return attrs.evolve(caller_of(request), disconnected=None)


def _documents(document_request: DocumentExport) -> tuple[int, ...]:
    """Return the documents to print.

    Raises:
        InvalidBody: the list is empty or too long, an entry is invalid or repeated, or both members are set.
    """
    if (document_request.doc_entry is None) == (document_request.doc_entries is None):
        raise InvalidBody(errors=[FieldProblem("docEntry", "Indique docEntry o docEntries, y solo uno.")])
    if document_request.doc_entry is not None:
        entries: tuple[int, ...] = (document_request.doc_entry,)
        paths = ["docEntry"]
    else:
        entries = document_request.doc_entries or ()
        paths = [f"docEntries[{index}]" for index in range(len(entries))]
    if not 0 < len(entries) <= MOST_DOCUMENTS:
        raise InvalidBody(errors=[FieldProblem("docEntries", f"Deben ser de 1 a {MOST_DOCUMENTS}.")])
    invalid = [
        FieldProblem(path, f"Debe estar entre 1 y {MAX_DOC_ENTRY}.")
        for path, entry in zip(paths, entries, strict=True)
        if not 0 < entry <= MAX_DOC_ENTRY
    ]
    twice = [
        FieldProblem(path, "Este documento está repetido.")
        for index, (path, entry) in enumerate(zip(paths, entries, strict=True))
        if entry in entries[:index]
    ]
    if invalid or twice:
        raise InvalidBody(errors=[*invalid, *twice])
    return entries


def _code(request: Request) -> str:
    code = path_param(request, "code")
    if len(code) > MAX_CODE_CHARS or not _CODE_TEXT.fullmatch(code):
        raise InvalidPath(f"El código del informe debe tener entre 1 y {MAX_CODE_CHARS} caracteres.")
    return code
