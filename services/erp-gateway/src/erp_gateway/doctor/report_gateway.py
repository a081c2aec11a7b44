"""Checks of the report gateway: login, catalogue, registered reports, and one export if requested."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Final
from urllib.parse import quote

from attrs import define, field

from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.reports.crystal.definition_checks import SCHEMA
from erp_gateway.reports.crystal.errors import ReportEmpty, ReportFailed, ReportUnknown
from erp_gateway.reports.crystal.registry import RegisteredReport
from erp_gateway.reports.crystal.service import document_of, resource_of
from erp_gateway.reports.crystal.wire import DesignedParameter, export_body
from erp_gateway.settings.report_gateway import ReportGateway
from erp_gateway.settings.root import Settings
from erp_gateway.values.parameters.reading import on_day, read_values
from erp_gateway.web.upstream_errors import UpstreamForbidden, UpstreamLoginFailed
from erpclient import Caller, ErpError, InternalLane
from erpclient.odata import IntKey
from erpdoctor.checks import (
    NO_ANSWER_IN_TIME,
    STEP_LIMIT_S,
    Cause,
    Checks,
    Finding,
    Group,
    declares_check,
    fail,
    ok,
    skipped,
    warn,
)
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.timeouts import MOST_LOGIN_S
from servicekit.erp.errors import UpstreamTimeout, UpstreamUnreachable
from servicekit.errors import InvalidBody, ServiceError

REPORT_GATEWAY: Final = Group("report-gateway", "docs/doctor.md#report-gateway")

_fail = partial(fail, page="docs/reports-and-queries.md#crystal-reports")
OFF: Final = skipped(
    "report_gateway_off", "APIGATEWAY_URL no está configurado.", english="`APIGATEWAY_URL` is not set."
)
SAME_ACCOUNT: Final = skipped(
    "same_account_refused",
    "Es la misma cuenta que el Service Layer rechazó; no se intentó otra vez.",
    english="The Service Layer refused this account, so it is not tried again.",
    remedy="Corrija primero la cuenta de ERP_SL_USER.",
    english_remedy="Correct the account of ERP_SL_USER first.",
)
REFUSED: Final = fail(
    "report_login_refused",
    "La pasarela de informes rechaza al usuario, su contraseña, la base de datos o la instancia.",
    english="User, password, database or instance is wrong.",
    remedy="Corrija APIGATEWAY_USER, APIGATEWAY_PASSWORD, APIGATEWAY_COMPANY_DB y APIGATEWAY_INSTANCE.",
    english_remedy="Correct APIGATEWAY_USER, APIGATEWAY_PASSWORD, APIGATEWAY_COMPANY_DB and "
    "APIGATEWAY_INSTANCE.",
)
NO_RIGHT: Final = fail(
    "report_right_missing",
    "El usuario de la pasarela de informes no tiene la autorización «Report Layout API».",
    english='The user lacks the authorization "Report Layout API".',
    remedy="Dé esa autorización en el ERP al usuario de APIGATEWAY_USER.",
    english_remedy="Give the user of APIGATEWAY_USER that authorisation in the ERP.",
)
AWAY: Final = fail(
    "report_gateway_away",
    "No se pudo conectar con la pasarela de informes, o su certificado no es de confianza.",
    english="No connection: address, network or certificate.",
    remedy="Corrija APIGATEWAY_URL o APIGATEWAY_CA_FILE, o ponga en marcha la pasarela.",
    english_remedy="Correct APIGATEWAY_URL or APIGATEWAY_CA_FILE, or start the report gateway.",
)
ODD: Final = fail(
    "report_gateway_odd",
    "La pasarela de informes respondió algo que no se esperaba.",
    english="The response is not a report gateway's.",
    remedy="Corrija APIGATEWAY_URL, o reinicie la pasarela de informes.",
    english_remedy="Correct APIGATEWAY_URL, or restart the report gateway.",
)
EMPTY_CATALOGUE: Final = warn(
    "catalogue_empty",
    "La pasarela de informes no autoriza ningún informe.",
    english="None is.",
    remedy="Autorice en el ERP los informes que este usuario debe poder imprimir.",
    english_remedy="Authorise the reports in the ERP that this user shall be able to print.",
    page="docs/reports-and-queries.md#crystal-reports",
)
GONE: Final = _fail(
    "report_gone",
    "La pasarela de informes ya no tiene informes que están registrados.",
    english="One no longer exists.",
    remedy="Importe esos informes de nuevo en el ERP, o quítelos del registro.",
)
CHANGED: Final = _fail(
    "report_parameters_changed",
    "Los parámetros de informes registrados cambiaron en el ERP.",
    english="Names, order or types have changed. Register it again.",
    remedy="Registre de nuevo esos informes.",
)
NOT_ASKED: Final = skipped(
    "export_not_asked",
    "No se indicó ningún informe.",
    english="No report was named.",
    remedy="Repita con --print CÓDIGO --values JSON para imprimir un informe registrado.",
    english_remedy="Repeat with --print CODE --values JSON to print a registered report.",
)
NOT_REGISTERED: Final = _fail(
    "report_not_registered",
    "El informe de --print no está registrado.",
    english="It is not registered, or disabled.",
    remedy="Indique el código de un informe registrado.",
)
BAD_VALUES: Final = _fail(
    "report_values_wrong",
    "Los valores de --values no son los que el informe pide.",
    english="`--values` does not fit its parameters. The terminal names each wrong one.",
    remedy="Corrija en --values los valores nombrados: un objeto JSON con los parámetros registrados.",
)
NO_DOCUMENT: Final = _fail(
    "no_such_document",
    "El ERP no tiene el documento de --values; no se imprimió nada.",
    english="The ERP does not have the document. It is asked first, as before every print; not with "
    "`--only report-gateway`.",
    remedy="Indique en --values el DocEntry de un documento que exista; no es su número.",
)
EMPTY: Final = _fail(
    "report_empty",
    "La pasarela de informes no devolvió nada: no hay qué imprimir, o está sobrecargada.",
    english="The report gateway answered `(---)` twice.",
    remedy="Pruebe con otros valores; si sigue, revise el informe y la memoria de la pasarela.",
)
NO_PDF: Final = _fail(
    "report_failed",
    "La pasarela de informes no pudo generar el PDF.",
    english="No PDF came.",
    remedy="Abra ese informe en el cliente del ERP con los mismos valores, y vea qué dice.",
)

_CALLER: Final = Caller(InternalLane("doctor"))
_MOST_REPORTS: Final = 20
_EXPORT_S: Final = 60.0
_TROUBLES: Final[Mapping[type[ServiceError], Cause]] = {
    UpstreamLoginFailed: REFUSED,
    UpstreamForbidden: NO_RIGHT,
    UpstreamUnreachable: AWAY,
    UpstreamTimeout: NO_ANSWER_IN_TIME,
    ReportEmpty: EMPTY,
    ReportFailed: NO_PDF,
    InvalidBody: BAD_VALUES,
}


def cause_of(error: ServiceError) -> Cause:
    """Map a failed call to the report gateway to a cause."""
    return next((_TROUBLES[kind] for kind in type(error).__mro__ if kind in _TROUBLES), ODD)


def is_as_registered(report: RegisteredReport, designed: Sequence[DesignedParameter]) -> bool:
    """Return whether a report has the registered parameters, in that order."""
    types = {parameter.name: parameter.type for parameter in designed}
    names = [parameter.name for parameter in report.parameters]
    order = [name for name in types if name in names]
    return order == names and all(types[each.name] == each.type for each in report.parameters)


@define(eq=False, repr=False)
class ReportGatewayChecks(Checks):
    """Check the report gateway.

    Args:
        context: shared session of the run. Both services may use the same account.
        settings: of the installation.
        client: of the report gateway; None if it is not configured.
        requested: code and values of a report to print.
        today: base of relative days in the values.
        registered: reads all registered reports from the store; called only if `store.version` passed.
        printed: by screen, the resource that its formats print, and the resource's key.
        shared_ca_checks: earlier checks that use the same CA file.
    """

    group = REPORT_GATEWAY

    _context: CheckContext
    _settings: Settings
    _client: ReportGatewayClient | None
    _requested: tuple[str, Mapping[str, object]] | None
    _today: date = field(kw_only=True)
    _stored: Callable[[], Awaitable[Sequence[RegisteredReport]]] = field(kw_only=True, alias="registered")
    _printed: Mapping[str, tuple[str, IntKey]] = field(kw_only=True)
    _shared_ca_checks: tuple[str, ...] = field(kw_only=True)
    _catalogue: frozenset[str] = field(init=False, default=frozenset())

    @declares_check(
        "login",
        "Inicio de sesión y derecho",
        OFF,
        SAME_ACCOUNT,
        REFUSED,
        NO_RIGHT,
        AWAY,
        ODD,
        limit_s=MOST_LOGIN_S,
        english="The account can log in and has the right to reports.",
    )
    async def _login(self) -> Finding:
        settings = self._settings.report_gateway
        if self._client is None or settings is None:
            return OFF.found()
        if self._context.refused and self._is_same_account(settings):
            return SAME_ACCOUNT.found(settings.user)
        try:
            catalogue = await self._client.load_authorized(_CALLER)
        except ServiceError as error:
            return self._not_let_in(cause_of(error), settings)
        self._catalogue = frozenset(report.code for report in catalogue)
        return ok(f"usuario {settings.user}, {settings.url}")

    def _is_same_account(self, settings: ReportGateway) -> bool:
        erp = self._settings.erp
        return (erp.user, erp.company_db) == (settings.user, settings.company_db)

    def _not_let_in(self, cause: Cause, settings: ReportGateway) -> Finding:
        summary = f"usuario {settings.user}, {settings.url}"
        if cause is not AWAY or settings.ca_file is None:
            return cause.found(summary)
        found = cause.found(f"{summary}, autoridades {settings.ca_file}")
        return found.suspecting(*self._shared_ca_checks) if settings.url.startswith("https:") else found

    @declares_check(
        "catalogue",
        "Informes autorizados",
        EMPTY_CATALOGUE,
        needs=("login",),
        english="Reports are authorized.",
    )
    async def _authorized(self) -> Finding:
        return ok(reports=len(self._catalogue)) if self._catalogue else EMPTY_CATALOGUE.found()

    @declares_check(
        "registered",
        "Informes registrados",
        GONE,
        CHANGED,
        ODD,
        needs=("login", "store.version"),
        limit_s=_MOST_REPORTS * STEP_LIMIT_S,
        english="Each enabled report of the [registry](docs/reports-and-queries.md#crystal-reports) "
        "exists, with its parameters as registered (the first 20).",
    )
    async def _registered(self) -> Finding:
        reports = [report for report in await self._stored() if report.enabled][:_MOST_REPORTS]
        gone, changed = [], []
        for report in reports:
            try:
                designed = await self._open_client().load_parameters(report.code, _CALLER)
            except ReportUnknown:
                gone.append(report.code)
            except ServiceError as error:
                return cause_of(error).found(report.code)
            else:
                changed += [] if is_as_registered(report, designed) else [report.code]
        if gone:
            return GONE.found(", ".join(gone), reports=len(gone))
        if changed:
            return CHANGED.found(", ".join(changed), reports=len(changed))
        return ok(reports=len(reports))

    @declares_check(
        "export",
        "Un informe impreso",
        NOT_ASKED,
        NOT_REGISTERED,
        BAD_VALUES,
        NO_DOCUMENT,
        EMPTY,
        NO_PDF,
        AWAY,
        ODD,
        needs=("login", "store.version"),
        limit_s=_EXPORT_S,
        english="The report of `--print` becomes a PDF.",
    )
    async def _export(self) -> Finding:
        if self._requested is None:
            return NOT_ASKED.found()
        code, values = self._requested
        report = next((each for each in await self._stored() if each.code == code and each.enabled), None)
        if report is None:
            return NOT_REGISTERED.found(code)
        try:
            read = read_values(on_day(report.parameters, self._today), values, fixed={SCHEMA: self._schema()})
            body = export_body(report.parameters, read)
            document = document_of(report.parameters, read)
            if document is not None and await self._lacks(report, document):
                return NO_DOCUMENT.found(f"{code}, documento {document}")
            pdf = await self._open_client().export_pdf(code, body, _CALLER)
        except ServiceError as error:
            wrong = (f"{each.path}: {each.message}" for each in error.errors)
            return cause_of(error).found("; ".join((code, *wrong)))
        return ok(code, bytes=len(pdf))

    async def _lacks(self, report: RegisteredReport, document: str) -> bool:
        """Return whether the ERP has no such document. The gateway checks this before every print."""
        settings = self._settings.report_gateway
        printed = resource_of(report.screens, self._printed)
        if settings is None or not settings.check_document or self._context.login is None or printed is None:
            return False
        resource, key = printed
        path = f"/{resource}?$select={key.name}&$filter={quote(key.filter(document))}"
        try:
            return not (await self._context.read(path)).rows()
        except ErpError:
            return False

    def _open_client(self) -> ReportGatewayClient:
        if self._client is None:
            raise RuntimeError("the report gateway is not configured")
        return self._client

    def _schema(self) -> str:
        settings = self._settings
        company = "" if settings.report_gateway is None else settings.report_gateway.company_db
        return company if settings.erp_database is None else settings.erp_database.schema or company
