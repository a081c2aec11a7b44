"""Registers and exports reports. Every change and every export is audited."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Final
from zoneinfo import ZoneInfo

import attrs
import structlog
from attrs import define, field

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.jobs.job import Pdf, ReportProgress
from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.reports.crystal.conformity import conform, missing_parameters
from erp_gateway.reports.crystal.definition_checks import SCHEMA, check_definition
from erp_gateway.reports.crystal.errors import (
    BLANK,
    DocumentFailed,
    ReportEmpty,
    ReportNotFound,
    ReportObsolete,
)
from erp_gateway.reports.crystal.layouts import load_layouts, read_reply
from erp_gateway.reports.crystal.registry import RegisteredReport, ReportDefinition, as_registered
from erp_gateway.reports.crystal.store import ReportStore
from erp_gateway.reports.crystal.suggestions import suggest_parameters
from erp_gateway.reports.crystal.wire import AuthorizedReport, export_body
from erp_gateway.values.audit_event import Actor, AuditAction, AuditEvent, AuditResult
from erp_gateway.values.audit_recorder import failure_recorded
from erp_gateway.values.parameters.declare import ReportParameter, Scalar, Value, display_label
from erp_gateway.values.parameters.reading import on_day, read_values
from erp_gateway.web.error_map import CallKind, upstream_service_error
from erpclient import (
    Caller,
    ErpClient,
    ErpError,
)
from erpclient.odata import IntKey, ListQuery
from servicekit.clock import Clock
from servicekit.erp.errors import RecordNotFound
from servicekit.errors import FieldProblem, ServiceError
from servicekit.pdfs.processes import BlankCheck, Joining, PartBrokenError, PdfProcessError
from servicekit.tasks import finish

GOOD_FOR_S: Final = 60.0
"""Seconds for which a passed check of a report's parameters is cached."""

_log = structlog.get_logger(__name__)

_NO_VALUES: Final[Mapping[str, object]] = {}


MOST_DOCUMENTS: Final = 50

_TRY_AGAIN: Final = 503


@define(eq=False, repr=False)
class ReportService:
    """Use cases of Crystal reports.

    Args:
        client: the report gateway.
        erp: source of a document type's layouts, and of the existence of documents.
        store: the registry.
        recorder: audits changes and exports.
        clock: time.
        schema: the company's schema, for reports with a parameter for it.
        timezone: time zone of relative days.
        budget: memory limit of documents until they are joined, shared with all exports.
        printed: resource and key of the records that a screen's formats print; documents of other screens are
            not checked.
        blank: detects blank documents; None to accept them.
    """

    client: ReportGatewayClient
    _erp: ErpClient
    _store: ReportStore
    _recorder: AuditRecorder
    _clock: Clock
    _schema: str = field(kw_only=True)
    _timezone: ZoneInfo = field(kw_only=True)
    _budget: SpoolBudget = field(kw_only=True)
    _printed: Mapping[str, tuple[str, IntKey]] = field(factory=dict, kw_only=True)
    _blank: BlankCheck | None = field(default=None, kw_only=True)
    _joining: Joining = field(factory=Joining, init=False)
    _good_until: dict[str, float] = field(factory=dict, init=False)

    @property
    def _fixed(self) -> Mapping[str, Scalar]:
        return {SCHEMA: self._schema}

    async def list_authorized(self, document: str | None, caller: Caller) -> tuple[AuthorizedReport, ...]:
        """Return the report gateway's general catalogue, or a document type's layouts.

        Raises:
            ServiceError: the report gateway, or the ERP for layouts, failed.
        """
        if document is None:
            return await self.client.load_authorized(caller)
        return await load_layouts(self._erp, document, caller)

    async def suggest(self, code: str, caller: Caller) -> tuple[ReportParameter, ...]:
        """Return a report's parameters as they could be registered.

        Raises:
            ReportUnknown: the report gateway has no such report.
        """
        return suggest_parameters(await self.client.load_parameters(code, caller))

    async def list_registered(self) -> tuple[RegisteredReport, ...]:
        """Return every registered report, by code."""
        return await self._store.all()

    async def list_enabled(
        self, may_print: Callable[[RegisteredReport], bool]
    ) -> tuple[RegisteredReport, ...]:
        """Return the reports that can be run, by category and title, with relative days resolved.

        Args:
            may_print: returns whether the user may print a report's documents.
        """
        today = self._today()
        enabled = (
            attrs.evolve(report, parameters=on_day(report.parameters, today))
            for report in await self._store.all()
            if report.enabled and may_print(report)
        )
        return tuple(
            sorted(
                enabled, key=lambda report: (report.category.casefold(), report.title.casefold(), report.code)
            )
        )

    async def find_enabled(self, code: str) -> RegisteredReport:
        """Return a report that can be run. Callers check the right to its documents.

        Raises:
            ReportNotFound: it is not registered, or disabled.
        """
        report = await self._store.find(code)
        if report is None or not report.enabled:
            raise ReportNotFound
        return report

    async def list_formats(self, screen: str) -> tuple[RegisteredReport, ...]:
        """Return the enabled formats of a screen's documents, its default first, the others by title."""
        formats = (report for report in await self._store.all() if report.enabled and report.prints(screen))
        return tuple(
            sorted(
                formats,
                key=lambda report: (not report.is_default_of(screen), report.title.casefold(), report.code),
            )
        )

    async def register(
        self, code: str, definition: ReportDefinition, caller: Caller, actor: Actor
    ) -> RegisteredReport:
        """Register or change a report that exists in the report gateway.

        Raises:
            InvalidBody: the definition is invalid, or does not fit the report.
            ReportUnknown: the report gateway has no such report.
            StoreUnavailable: nothing was changed.
        """
        check_definition(definition, fixed=self._fixed)
        designed = await self.client.load_parameters(code, caller)
        report = as_registered(code, conform(definition, designed, fixed=self._fixed))
        await finish(self._saved(report, actor))
        return report

    async def unregister(self, code: str, actor: Actor) -> None:
        """Remove a report from the registry.

        Raises:
            ReportNotFound: it is not registered.
            StoreUnavailable: nothing was changed.
        """
        self._remember_check(code, is_good=False)
        await finish(self._removed(code, actor))

    async def export(
        self, report: RegisteredReport, values: Mapping[str, object], caller: Caller, actor: Actor
    ) -> Pdf:
        """Print a report as PDF.

        Args:
            report: result of `find_enabled`.
            values: sent values by parameter name.
            caller: the caller.
            actor: the actor for the audit.

        Raises:
            InvalidBody: values are missing or of the wrong type; the report gateway was not called.
            RecordNotFound: the ERP does not have the document; nothing was printed.
            ReportObsolete: the designer removed parameters of it.
            ServiceError: the report gateway failed.
        """
        read = read_values(on_day(report.parameters, self._today()), values, fixed=self._fixed)
        document = document_of(report.parameters, read)
        if document is not None:
            await self._check_documents_exist(report, report.screens, (int(document),), caller, actor)
        return await self._export(report, read, caller, actor)

    async def export_document(
        self, screen: str, code: str, doc_entry: int, caller: Caller, actor: Actor
    ) -> Pdf:
        """Print a document as PDF in one of the formats of its screen.

        Raises:
            ReportNotFound: it is not registered for this screen, or disabled; the report gateway was not
                called.
            RecordNotFound: the ERP does not have the document; nothing was printed.
            ServiceError: the report gateway failed.
        """
        report = await self._find_format(screen, code)
        await self._check_documents_exist(report, (screen,), (doc_entry,), caller, actor)
        return await self._export_document(report, doc_entry, caller, actor)

    async def _find_format(self, screen: str, code: str) -> RegisteredReport:
        report = await self.find_enabled(code)
        if not report.prints(screen):
            raise ReportNotFound
        return report

    async def _export_document(
        self, report: RegisteredReport, doc_entry: int, caller: Caller, actor: Actor
    ) -> Pdf:
        parameters = on_day(report.parameters, self._today())
        read = read_values(parameters, _NO_VALUES, doc_entry=doc_entry, fixed=self._fixed)
        return await self._export(report, read, caller, actor)

    async def print_documents(
        self,
        screen: str,
        code: str,
        doc_entries: Sequence[int],
        caller: Caller,
        actor: Actor,
        *,
        report_progress: ReportProgress | None = None,
    ) -> Pdf:
        """Print documents into one PDF in the requested order. Each one is audited.

        Args:
            screen: menu route of their screen.
            code: the format.
            doc_entries: keys of the documents; at least one.
            caller: the caller.
            actor: the actor for the audit.
            report_progress: receives the number of finished ones.

        Raises:
            ReportNotFound: as `export_document`.
            RecordNotFound: some do not exist in the ERP; the error names them, and none was printed.
            DocumentFailed: one of them failed, is not a complete PDF, or can't be joined; the error names it.
            ExportNoRoom: together they are too large.
            ServiceError: 503, printing is unavailable at present.
        """
        report = await self._find_format(screen, code)
        await self._check_documents_exist(report, (screen,), doc_entries, caller, actor)
        parts: list[bytes] = []
        share = self._budget.of(actor.web_user or "").share()
        try:
            for index, doc_entry in enumerate(doc_entries):
                try:
                    pdf = await self._export_document(report, doc_entry, caller, actor)
                except ServiceError as error:
                    if _is_of_all(error):
                        raise
                    raise _failed(index, doc_entry, error.detail) from error
                parts.append(pdf.content)
                share.resize(sum(map(len, parts)))
                if report_progress is not None:
                    report_progress(len(parts))
            return Pdf(f"{report.title} ({len(parts)})", await self._joined(parts, doc_entries))
        finally:
            share.release()

    async def _joined(self, parts: list[bytes], doc_entries: Sequence[int]) -> bytes:
        try:
            return await self._joining.join(parts)
        except PartBrokenError as error:
            raise _failed(error.index, doc_entries[error.index], "No llegó como un PDF completo.") from error
        except PdfProcessError as error:
            raise DocumentFailed("Los documentos se imprimieron, pero no se pudieron unir.") from error

    # The two writes belong together, so run both to the end even if the client disconnects.

    async def _saved(self, report: RegisteredReport, actor: Actor) -> None:
        await self._store.save(report, at=self._clock.now(), by=actor.web_user or "")
        self._remember_check(report.code, is_good=True)
        await self._recorder.record(
            AuditEvent(
                action=AuditAction.REPORT_REGISTER,
                result=AuditResult.OK,
                actor=actor,
                resource=report.code,
                fields=tuple(parameter.name for parameter in report.parameters),
            )
        )

    async def _removed(self, code: str, actor: Actor) -> None:
        if not await self._store.remove(code):
            raise ReportNotFound
        await self._recorder.record(
            AuditEvent(
                action=AuditAction.REPORT_UNREGISTER, result=AuditResult.OK, actor=actor, resource=code
            )
        )

    async def _check_design(self, report: RegisteredReport, caller: Caller) -> None:
        """Reject a report whose parameters the designer has removed, because it would print something else.

        Raises:
            ReportObsolete: the error names them.
            ServiceError: the report gateway failed.
        """
        good_until = self._good_until.get(report.code)
        if not report.parameters or (good_until is not None and self._clock.monotonic() < good_until):
            return
        designed = await self.client.load_parameters(report.code, caller)
        missing = missing_parameters(report.parameters, designed)
        # Meanwhile, a registration or another check may have stored a newer result. Keep that one.
        if self._good_until.get(report.code) == good_until:
            self._remember_check(report.code, is_good=not missing)
        if missing:
            raise ReportObsolete(map(display_label, missing))

    def _remember_check(self, code: str, *, is_good: bool) -> None:
        if is_good:
            self._good_until[code] = self._clock.monotonic() + GOOD_FOR_S
        else:
            self._good_until.pop(code, None)

    async def _check_documents_exist(
        self,
        report: RegisteredReport,
        screens: Iterable[str],
        doc_entries: Sequence[int],
        caller: Caller,
        actor: Actor,
    ) -> None:
        """Reject documents that are missing in the ERP, if the screens determine their resource."""
        # A real report gateway prints a missing document as a valid, empty PDF (seen live). One call to the
        # ERP checks all documents.
        printed = resource_of(screens, self._printed)
        if printed is None:
            return
        resource, key = printed
        query = ListQuery(
            select=(key.name,),
            filter=" or ".join(key.filter(str(entry)) for entry in doc_entries),
            top=len(doc_entries),
        )
        event = AuditEvent(
            action=AuditAction.REPORT_EXPORT,
            result=AuditResult.ERROR,
            actor=actor,
            resource=report.code,
            key=str(doc_entries[0]),
        )
        async with failure_recorded(self._recorder, event):
            try:
                listed = await self._erp.list(resource, query, caller=caller)
                rows = read_reply(listed.rows, list[dict[str, object]])
            except ErpError as error:
                raise upstream_service_error(error, CallKind.READ) from error
        existing = {row.get(key.name) for row in rows}
        missing = {index: entry for index, entry in enumerate(doc_entries) if entry not in existing}
        for entry in missing.values():
            await self._recorder.record(attrs.evolve(event, key=str(entry), reason=RecordNotFound.code))
        if missing:
            raise _missing_documents(missing, of=len(doc_entries))

    def _today(self) -> date:
        return self._clock.now().astimezone(self._timezone).date()

    async def _export(
        self, report: RegisteredReport, values: Mapping[str, Value], caller: Caller, actor: Actor
    ) -> Pdf:
        event = AuditEvent(
            action=AuditAction.REPORT_EXPORT,
            result=AuditResult.OK,
            actor=actor,
            resource=report.code,
            key=document_of(report.parameters, values),
            fields=tuple(values),
        )
        async with failure_recorded(self._recorder, event):
            await self._check_design(report, caller)
            content = await self.client.export_pdf(
                report.code, export_body(report.parameters, values), caller
            )
            if event.key is not None and self._blank is not None and await self._blank.is_blank(content):
                _log.warning("report_failed", report=report.code, answer="a PDF on which nothing is painted")
                raise ReportEmpty(BLANK)
        await self._recorder.record(event)
        return Pdf(report.title, content)


def resource_of(
    screens: Iterable[str], printed: Mapping[str, tuple[str, IntKey]]
) -> tuple[str, IntKey] | None:
    """Return resource and key of the records that formats of these screens print, or None if unknown."""
    resources = {printed[screen] for screen in screens if screen in printed}
    return resources.pop() if len(resources) == 1 else None


def document_of(parameters: Sequence[ReportParameter], values: Mapping[str, Value]) -> str | None:
    """Return the key of the printed document; a text may have leading zeros."""
    for parameter in parameters:
        if parameter.is_doc_entry and parameter.name.casefold() != SCHEMA:
            return str(int(str(values[parameter.name])))
    return None


def _is_of_all(error: ServiceError) -> bool:
    return isinstance(error, ReportNotFound | ReportObsolete) or error.status == _TRY_AGAIN


def _missing_documents(missing: Mapping[int, int], *, of: int) -> RecordNotFound:
    if of == 1:
        return RecordNotFound(f"El documento {missing[0]} no existe en el ERP; no se imprimió nada.")
    labels = ", ".join(map(str, missing.values()))
    return RecordNotFound(
        f"No existen en el ERP los documentos {labels}; no se imprimió ninguno.",
        errors=[FieldProblem(f"docEntries[{index}]", "No existe en el ERP.") for index in missing],
    )


def _failed(index: int, doc_entry: int, reason: str) -> DocumentFailed:
    return DocumentFailed(
        f"No se pudo imprimir el documento {doc_entry}; no se entrega ninguno. {reason}",
        errors=[FieldProblem(f"docEntries[{index}]", reason)],
    )
