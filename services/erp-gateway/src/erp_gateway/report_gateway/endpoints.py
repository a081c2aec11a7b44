"""`/api/gateway`: HTTP in and out of the report gateway's module."""

import re
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final, TypeVar

import attrs
from attrs import field, frozen
from starlette.requests import Request
from starlette.responses import Response

from erp_gateway.declarations import is_menu_route
from erp_gateway.jobs.jobs import JobKind, JobRequest, Jobs, Made, ReportProgress
from erp_gateway.jobs.respond_async import accept, wants_job
from erp_gateway.report_gateway import documentation as documented
from erp_gateway.report_gateway.registry import RegisteredReport, ReportDefinition
from erp_gateway.report_gateway.service import MOST_DOCUMENTS, OpenReports, Pdf, ReportService
from erp_gateway.report_parameters import MAX_DOC_ENTRY, ReportParameter
from erp_gateway.web.access import Permissions, actor_of, allows_one_of, check_one_of, session_of
from erp_gateway.web.attachments import content_disposition
from erp_gateway.web.disconnects import cancel_on_disconnect
from erp_gateway.web.requests import caller_of, record_upstream_time
from erpclient import Caller
from servicekit.endpoint import Endpoint, client_gone, json_response, path_param, read_json, read_query
from servicekit.errors import FieldProblem, InvalidBody, InvalidPath, InvalidQuery, NotConfigured

T = TypeVar("T")

MAX_CODE_CHARS: Final = 50

_CODE: Final = re.compile(r"\S(.*\S)?")
_DOCUMENT: Final = re.compile(r"[A-Za-z0-9_]{3,20}")
_NO_ROUTE: Final = "Debe ser una ruta de menú exacta, como /ventas/pedidos."


@frozen(kw_only=True)
class ExportValues:
    """What a person sends to run a report: values by parameter name; what is not registered is dropped."""

    values: dict[str, Any] = field(factory=dict)


@frozen(kw_only=True)
class DocumentExport:
    """Which document to print, in which format, from which screen.

    Attributes:
        screen: exact menu route of the screen.
        code: code of the report.
        doc_entry: `DocEntry` of the document.
        doc_entries: those of several, to be joined in this order; instead of `doc_entry`.
    """

    screen: str
    code: str
    doc_entry: int | None = None
    doc_entries: tuple[int, ...] | None = None


@frozen(kw_only=True)
class AuthorizedItem:
    """A report that the report gateway, or the ERP for a document type, knows.

    Attributes:
        code: its code.
        name: for people.
        registered: whether it is in the registry.
        default: whether the ERP prints the document type with it.
        printable: whether the report gateway can print it: of layouts, the Crystal ones.
    """

    code: str
    name: str
    registered: bool
    default: bool
    printable: bool


@frozen(kw_only=True)
class AuthorizedItems:
    """All of them."""

    items: tuple[AuthorizedItem, ...]


@frozen(kw_only=True)
class SuggestedParameters:
    """A report's parameters, ready to be registered."""

    code: str
    parameters: tuple[ReportParameter, ...]


@frozen(kw_only=True)
class RegisteredReports:
    """Registered reports."""

    items: tuple[RegisteredReport, ...]


@frozen(kw_only=True)
class DocumentFormat:
    """A format in which a screen's documents can be printed."""

    code: str
    title: str
    default: bool
    obsoleto: bool


@frozen(kw_only=True)
class DocumentFormats:
    """All of a screen, the default first."""

    items: tuple[DocumentFormat, ...]


class ReportEndpoints:
    """Handlers of the module.

    Args:
        open_reports: the module; None while no report gateway is configured, and everything answers 503.
        permissions: what web users may do.
        jobs: long exports.
    """

    def __init__(self, open_reports: OpenReports | None, permissions: Permissions, jobs: Jobs) -> None:
        self._open = open_reports
        self._permissions = permissions
        self._jobs = jobs

    def endpoints(self) -> list[Endpoint]:
        """Return every endpoint of the report gateway."""
        return [
            documented.authorized(self.authorized, AuthorizedItems),
            documented.suggested(self.suggested, SuggestedParameters),
            documented.registry(self.registry, RegisteredReports),
            documented.register(self.register, ReportDefinition, RegisteredReport),
            documented.check(self.check, RegisteredReport),
            documented.unregister(self.unregister),
            documented.reports(self.reports, RegisteredReports),
            documented.export(self.export, ExportValues),
            documented.documents(self.documents, DocumentFormats),
            documented.export_document(self.export_document, DocumentExport),
        ]

    async def authorized(self, request: Request) -> Response:
        """Answer the general catalogue, or a document type's layouts."""
        service, document = self._reports, read_query(request).get("document")
        if document is not None and not _DOCUMENT.fullmatch(document):
            raise InvalidQuery(
                errors=[FieldProblem("document", "Debe ser un tipo de documento del ERP, como RDR2.")]
            )
        registered = {report.code for report in await service.list_registered()}
        if document is None:
            found = await _costed(request, service.list_authorized)
            items = [
                AuthorizedItem(
                    code=each.code,
                    name=each.name,
                    registered=each.code in registered,
                    default=False,
                    printable=True,
                )
                for each in found
            ]
        else:
            layouts = await _costed(request, lambda caller: service.list_layouts(document, caller))
            items = [
                AuthorizedItem(
                    code=each.code,
                    name=each.name,
                    registered=each.code in registered,
                    default=each.default,
                    printable=each.printable,
                )
                for each in layouts
            ]
        return json_response(AuthorizedItems(items=tuple(items)))

    async def suggested(self, request: Request) -> Response:
        """Answer a report's parameters as definitions."""
        service, code = self._reports, _code(request)
        parameters = await _costed(request, lambda caller: service.suggest(code, caller))
        return json_response(SuggestedParameters(code=code, parameters=parameters))

    async def registry(self, _request: Request) -> Response:
        """Answer every registered report."""
        return json_response(RegisteredReports(items=await self._reports.list_registered()))

    async def register(self, request: Request) -> Response:
        """Register a report or change it."""
        service, code = self._reports, _code(request)
        definition = await read_json(request, ReportDefinition)
        actor = actor_of(request)
        report = await _costed(request, lambda caller: service.register(code, definition, caller, actor))
        return json_response(report)

    async def check(self, request: Request) -> Response:
        """Look whether a registered report still has its parameters."""
        service, code = self._reports, _code(request)
        return json_response(await _costed(request, lambda caller: service.check(code, caller)))

    async def unregister(self, request: Request) -> Response:
        """Take a report off the registry."""
        await self._reports.unregister(_code(request), actor_of(request))
        return Response(status_code=204)

    async def reports(self, request: Request) -> Response:
        """Answer the reports that the person can run."""
        web_user = session_of(request).web_user
        items = await self._reports.list_enabled(
            lambda report: allows_one_of(self._permissions, web_user, report.screens)
        )
        return json_response(RegisteredReports(items=items))

    async def export(self, request: Request) -> Response:
        """Make a report's PDF, or have a job make it."""
        service, code = self._reports, _code(request)
        read_query(request)  # there is nothing to ask for: whoever asks is told
        values = (await read_json(request, ExportValues)).values
        report = await service.find_enabled(code)
        owner, actor = session_of(request).web_user, actor_of(request)
        check_one_of(self._permissions, owner, report.screens)
        if wants_job(request):
            caller = _staying(request)

            async def make(_told: ReportProgress) -> Made:
                pdf = await service.export(report, values, caller, actor)
                return Made(pdf.title, pdf.content)

            wanted = JobRequest(
                kind=JobKind.REPORT,
                owner=owner,
                menu=documented.RUN.route,
                screens=report.screens,
                make=make,
            )
            return await accept(self._jobs, wanted)
        return _pdf(await _costed(request, lambda caller: service.export(report, values, caller, actor)))

    async def documents(self, request: Request) -> Response:
        """Answer the formats of a screen's documents."""
        service, screen = self._reports, read_query(request)["screen"]
        if not is_menu_route(screen):
            raise InvalidQuery(errors=[FieldProblem("screen", _NO_ROUTE)])
        self._check_screen(request, screen)
        formats = await service.list_formats(screen)
        return json_response(
            DocumentFormats(
                items=tuple(
                    DocumentFormat(
                        code=each.code,
                        title=each.title,
                        default=each.is_default_of(screen),
                        obsoleto=each.obsoleto,
                    )
                    for each in formats
                )
            )
        )

    async def export_document(self, request: Request) -> Response:
        """Make the PDF of a document, or one of several, or have a job make it."""
        documents = self._module.documents
        read_query(request)  # as with `export`
        asked = await read_json(request, DocumentExport)
        if not is_menu_route(asked.screen):
            raise InvalidBody(errors=[FieldProblem("screen", _NO_ROUTE)])
        wanted = _documents(asked)
        self._check_screen(request, asked.screen)
        actor = actor_of(request)

        async def make(caller: Caller, told: ReportProgress | None = None) -> Pdf:
            if asked.doc_entries is None:
                return await self._reports.export_document(asked.screen, asked.code, wanted[0], caller, actor)
            return await documents.print(asked.screen, asked.code, wanted, caller, actor, told=told)

        async def all_until_disconnected(caller: Caller) -> Pdf:
            return await cancel_on_disconnect(
                make(attrs.evolve(caller, gone=None)), partial(client_gone, request)
            )

        if not wants_job(request):
            return _pdf(await _costed(request, make if asked.doc_entries is None else all_until_disconnected))
        staying = _staying(request)

        async def make_beside(told: ReportProgress) -> Made:
            pdf = await make(staying, told)
            return Made(pdf.title, pdf.content)

        return await accept(
            self._jobs,
            JobRequest(
                kind=JobKind.DOCUMENT,
                owner=session_of(request).web_user,
                menu=asked.screen,
                total=len(wanted),
                make=make_beside,
            ),
        )

    @property
    def _module(self) -> OpenReports:
        if self._open is None:
            raise NotConfigured
        return self._open

    @property
    def _reports(self) -> ReportService:
        return self._module.service

    def _check_screen(self, request: Request, screen: str) -> None:
        check_one_of(self._permissions, session_of(request).web_user, (screen,))


async def _costed(request: Request, work: Callable[[Caller], Awaitable[T]]) -> T:
    """Do the work for the request's caller and note what its calls cost."""
    caller = caller_of(request)
    try:
        return await work(caller)
    finally:
        record_upstream_time(request, caller)


def _staying(request: Request) -> Caller:
    """Return the caller of work that goes on when the client leaves."""
    return attrs.evolve(caller_of(request), gone=None)


def _documents(asked: DocumentExport) -> tuple[int, ...]:
    """Return the documents to print.

    Raises:
        InvalidBody: it is none, or too many, or one that can't be, or one twice, or both ways of saying it.
    """
    if (asked.doc_entry is None) == (asked.doc_entries is None):
        raise InvalidBody(errors=[FieldProblem("docEntry", "Indique docEntry o docEntries, y solo uno.")])
    if asked.doc_entry is not None:
        entries: tuple[int, ...] = (asked.doc_entry,)
        paths = ["docEntry"]
    else:
        entries = asked.doc_entries or ()
        paths = [f"docEntries[{index}]" for index in range(len(entries))]
    if not 0 < len(entries) <= MOST_DOCUMENTS:
        raise InvalidBody(errors=[FieldProblem("docEntries", f"Deben ser de 1 a {MOST_DOCUMENTS}.")])
    bad = [
        FieldProblem(path, f"Debe estar entre 1 y {MAX_DOC_ENTRY}.")
        for path, entry in zip(paths, entries, strict=True)
        if not 0 < entry <= MAX_DOC_ENTRY
    ]
    twice = [
        FieldProblem(path, "Este documento está repetido.")
        for index, (path, entry) in enumerate(zip(paths, entries, strict=True))
        if entry in entries[:index]
    ]
    if bad or twice:
        raise InvalidBody(errors=[*bad, *twice])
    return entries


def _code(request: Request) -> str:
    code = path_param(request, "code")
    if len(code) > MAX_CODE_CHARS or not _CODE.fullmatch(code):
        raise InvalidPath(f"El código del informe debe tener entre 1 y {MAX_CODE_CHARS} caracteres.")
    return code


def _pdf(pdf: Pdf) -> Response:
    return Response(
        pdf.content,
        media_type="application/pdf",
        headers={"Content-Disposition": content_disposition(pdf.title, "pdf")},
    )
