"""Assembly of all checks of `erp-gateway doctor`, in the order in which they run."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final

from attrs import evolve, frozen

from erp_gateway.components import erp_credentials, erp_settings, printed_resources
from erp_gateway.doctor.attachments import AttachmentChecks
from erp_gateway.doctor.database import database_target
from erp_gateway.doctor.people import PeopleChecks
from erp_gateway.doctor.printing import PrintingChecks
from erp_gateway.doctor.report_gateway import ReportGatewayChecks
from erp_gateway.doctor.store import FileChecks, StoreChecks
from erp_gateway.extensions import Registries
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.reports.html.opening import open_executor
from erp_gateway.settings.erp import ErpUpstream
from erp_gateway.settings.erp_database import ErpDatabase
from erp_gateway.settings.report_gateway import ReportGateway
from erp_gateway.settings.root import Settings
from erp_gateway.store.places import place_of
from erp_gateway.store.sqlite.lock import find_holder
from erpclient.login_trouble import LoginTrouble
from erpdoctor.checks import Check, Group, fail, warn
from erpdoctor.database import DatabaseChecks
from erpdoctor.inspection.inspection import Inspection
from erpdoctor.network.checks import network_checks
from erpdoctor.origin import Origin, origin_checks
from erpdoctor.service_layer.context import CheckContext
from erpdoctor.service_layer.login import login_slow, login_troubles
from erpdoctor.service_layer.reads import ReadChecks
from erpdoctor.service_layer.server import probe_server
from erpdoctor.service_layer.session import SessionChecks
from erpdoctor.service_layer.shape import ExpectedSet, ShapeChecks
from erpdoctor.service_layer.timeouts import patient
from erpdoctor.service_layer.version import VersionChecks
from servicekit.child_process import orphans_adopted
from servicekit.clock import Clock

SERVICE_LAYER: Final = Group("service-layer", "docs/doctor.md#service-layer")
ORIGIN: Final = Group("origin", "docs/doctor.md#origin")
ERP_TLS: Final = "network.tls"
"""First check that uses the ERP's CA file."""

MOST_REPORT_S: Final = 15.0
"""Time limit of one call to the report gateway. Its login counts as a separate call."""

LEAST_SESSION_MINUTES: Final = 5
LOGIN_TROUBLES: Final = login_troubles(
    refused=fail(
        LoginTrouble.REFUSED.value,
        "El ERP rechaza al usuario o su contraseña; no se intentó otra vez, porque el ERP bloquea usuarios.",
        english="User or password is wrong. Older builds say the same of a locked user. It is tried once.",
        remedy="Corrija ERP_SL_USER y ERP_SL_PASSWORD, y revise en el ERP si el usuario está bloqueado.",
        english_remedy="Correct ERP_SL_USER and ERP_SL_PASSWORD, and check in the ERP whether the user "
        "is locked.",
    ),
    company="ERP_SL_COMPANY_DB",
    no_licence="El usuario del ERP no tiene licencia, o no quedan licencias libres.",
    silent="Revise la carga del servidor del ERP y aumente ERP_SL_LOGIN_TIMEOUT si siempre tarda tanto.",
    url="ERP_SL_URL",
)
LOGIN_SLOW: Final = login_slow("Revise la carga del servidor del ERP; nadie puede trabajar mientras dura.")
SESSION_SHORT: Final = warn(
    "session_short",
    "La sesión del ERP termina en menos de 5 minutos sin uso: habrá muchos inicios de sesión.",
    english="It is under 5 minutes.",
    remedy="Aumente SessionTimeout en b1s.conf (30 es lo habitual).",
    english_remedy="Raise SessionTimeout in b1s.conf (30 is usual).",
)


@frozen(kw_only=True)
class DoctorOptions:
    """Command line options of the doctor.

    Attributes:
        backups: folder with copies of the store.
        report: code and values of a report to print.
        measure_parallel: whether to send parallel calls even if the service is in use.
        origin: public address of the gateway; None skips the check of its certificate.
    """

    backups: Path | None = None
    report: tuple[str, Mapping[str, object]] | None = None
    measure_parallel: bool = False
    origin: Origin | None = None


@asynccontextmanager
async def open_doctor(
    settings: Settings, registries: Registries, options: DoctorOptions, *, clock: Clock
) -> AsyncIterator[tuple[Check, ...]]:
    """Yield all checks without running them. On exit, log out of every system that a check logged in to.

    Args:
        settings: of the installation.
        registries: resources, queries and reports that the gateway serves.
        options: from the command line.
        clock: time.
    """
    async with AsyncExitStack() as stack:
        inspection = await stack.enter_async_context(Inspection(patient(erp_settings(settings))))
        reports = await _open_reports(stack, settings, clock)
        executor = stack.enter_context(open_executor())
        stack.enter_context(orphans_adopted())
        database = _database_checks(settings, registries)
        stack.push_async_callback(database.aclose)
        store = await _open_store_checks(stack, settings, options, clock)
        context = CheckContext(inspection=inspection)
        expected = expected_sets(registries.resources)
        yield (
            *_network_checks(settings, inspection, clock),
            *_login_checks(context, SERVICE_LAYER, settings.erp),
            *ShapeChecks(context, SERVICE_LAYER, expected, settings.ledger.trace_field).checks(),
            *ReadChecks(
                context,
                SERVICE_LAYER,
                expected,
                max_concurrency=settings.erp.max_concurrency,
                measures=options.measure_parallel or not _may_serve(settings),
                clock=clock,
            ).checks(),
            *AttachmentChecks(context).checks(),
            *store.checks(),
            *PeopleChecks(context, settings.web.admin_web_users, store.permissions).checks(),
            *ReportGatewayChecks(
                context,
                settings,
                reports,
                options.report,
                today=clock.now().astimezone(settings.web.timezone).date(),
                registered=store.reports,
                printed=printed_resources(registries.resources),
                shared_ca_checks=_shared_ca_checks(settings, settings.report_gateway),
            ).checks(),
            *database.checks(),
            *PrintingChecks(settings.html_pdf, executor).checks(),
            *origin_checks(
                options.origin,
                group=ORIGIN,
                production=settings.installation.production,
                clock=clock,
            ),
        )


def _network_checks(settings: Settings, inspection: Inspection, clock: Clock) -> tuple[Check, ...]:
    return network_checks(
        settings.erp.url,
        authorities=settings.erp.ca_file,
        verify=settings.installation.verify_ssl,
        production=settings.installation.production,
        probe=partial(probe_server, inspection),
        clock=clock,
        group=Group("network", "docs/doctor.md#network"),
    )


def expected_sets(registry: Registry) -> tuple[ExpectedSet, ...]:
    """Return what the gateway expects of each registered resource."""
    return tuple(
        ExpectedSet(
            name=each.name,
            key=each.key,
            shown=(
                *(column.name for column in each.columns),
                *sorted(each.expand),
                *(("AttachmentEntry",) if each.attachments else ()),
            ),
            secret_fields=each.secret_fields,
            expands=bool(each.expand),
            read="GET" in each.methods,
            tagged=each.tagged,
            traced=each.traced,
        )
        for each in registry.resources
    )


def _shared_ca_checks(settings: Settings, other: ReportGateway | ErpDatabase | None) -> tuple[str, ...]:
    """Return the check that fails first if `other` uses the ERP's CA file."""
    shares = other is not None and other.ca_file is not None and other.ca_file == settings.erp.ca_file
    return (ERP_TLS,) if shares else ()


async def _open_store_checks(
    stack: AsyncExitStack, settings: Settings, options: DoctorOptions, clock: Clock
) -> StoreChecks:
    place = place_of(settings.store.path, settings.store.url)
    if isinstance(place, Path):
        return FileChecks(place, options.backups, clock)
    from erp_gateway.doctor.store_postgresql import PostgresChecks  # noqa: PLC0415 - only for PostgreSQL
    from erp_gateway.store.postgresql.looking import StoreInspector  # noqa: PLC0415 - only for PostgreSQL

    return PostgresChecks(await stack.enter_async_context(aclosing(StoreInspector(place))))


async def _open_reports(
    stack: AsyncExitStack, settings: Settings, clock: Clock
) -> ReportGatewayClient | None:
    if settings.report_gateway is None:
        return None
    client = ReportGatewayClient(
        evolve(settings.report_gateway, timeout_s=MOST_REPORT_S),
        verify_tls=settings.installation.verify_ssl,
        clock=clock,
        renews=False,
    )
    return await stack.enter_async_context(client)


def _database_checks(settings: Settings, registries: Registries) -> DatabaseChecks:
    configured = settings.erp_database
    if configured is None:
        return DatabaseChecks(None)
    statements = registries.queries.statements(configured.engine)
    return DatabaseChecks(database_target(configured, statements, _shared_ca_checks(settings, configured)))


def _may_serve(settings: Settings) -> bool:
    """Return whether a gateway may be running. With PostgreSQL this is not known yet, so assume one."""
    return settings.store.url is not None or find_holder(settings.store.path) is not None


def _login_checks(context: CheckContext, group: Group, erp: ErpUpstream) -> tuple[Check, ...]:
    """Return the checks of the login and of what it returns, in order."""
    login, session, balancer = SessionChecks(
        context,
        group,
        erp_credentials(erp),
        troubles=LOGIN_TROUBLES,
        slow=LOGIN_SLOW,
        short=SESSION_SHORT,
        least_minutes=LEAST_SESSION_MINUTES,
    ).checks()
    version, other_version = VersionChecks(context, group).checks()
    return (login, version, session, balancer, other_version)
