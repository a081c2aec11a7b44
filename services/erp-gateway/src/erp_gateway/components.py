"""The object graph. Only this module constructs components; it closes them in the opposite order."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, aclosing, asynccontextmanager, nullcontext, suppress
from datetime import date
from functools import partial
from typing import Final
from zoneinfo import ZoneInfo

from attrs import frozen
from prometheus_client import CollectorRegistry

from erp_gateway.audit.chain_rows import AuditChain
from erp_gateway.audit.head_log import HeadLog
from erp_gateway.audit.recorder import AuditRecorder, open_recorder
from erp_gateway.audit.retention import apply_retention
from erp_gateway.audit.store import AuditStore
from erp_gateway.extensions import load_extensions
from erp_gateway.files.exports.budget import SpoolBudget
from erp_gateway.files.exports.currencies import Currencies
from erp_gateway.files.exports.exporter import Exporter, open_exports
from erp_gateway.files.jobs.jobs import Jobs, open_jobs
from erp_gateway.files.jobs.rights import OwnerRights
from erp_gateway.metrics import CacheMetrics, GatewayMetrics, JobMetrics, LongExportMetrics
from erp_gateway.operations.health.probe import ErpProbe
from erp_gateway.operations.system.service import SystemService
from erp_gateway.people.auth.administration.service import Administration
from erp_gateway.people.auth.company import CompanyName
from erp_gateway.people.auth.directory import EmployeeDirectory
from erp_gateway.people.auth.login import LoginService
from erp_gateway.people.auth.passwords import open_password_verifier
from erp_gateway.people.auth.persistence.changes import SessionChanges, open_session_changes
from erp_gateway.people.auth.recheck import EmployeeRecheck
from erp_gateway.people.auth.sessions import WebSessionStore
from erp_gateway.people.permissions.service import PermissionService
from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.opening import open_erp_database
from erp_gateway.queries.query_cache import QueryCache
from erp_gateway.queries.service import QueryClient, QueryService
from erp_gateway.queries.stored.client import STORED_QUERY_MAX_ROWS, StoredQueryClient
from erp_gateway.queries.stored.installed import open_installed
from erp_gateway.queries.stored.registry import StoredQueryRegistry
from erp_gateway.queries.user_field_cache import UserFieldCache
from erp_gateway.queries.user_fields import UserFieldSource
from erp_gateway.records.accounts.service import AccountService
from erp_gateway.records.attachments.service import AttachmentService
from erp_gateway.records.change_sets.service import ChangeSetService
from erp_gateway.records.documents.batch_reader import BatchReader
from erp_gateway.records.documents.paid_columns import PaidColumns
from erp_gateway.records.documents.refused_reads import RefusedReads
from erp_gateway.records.fields.service import FieldDescriptions
from erp_gateway.records.flow.database import FollowingInDatabase
from erp_gateway.records.flow.service import FlowService
from erp_gateway.records.home.figures import HomeFigures
from erp_gateway.records.home.service import HomeService
from erp_gateway.records.proxy.body.checker import BodyChecker
from erp_gateway.records.proxy.cache.catalogue import UNSURE_S, CatalogueCache
from erp_gateway.records.proxy.created_key import ResourceKeys
from erp_gateway.records.proxy.declarations.registry import Registry
from erp_gateway.records.proxy.export.list_exporter import ListExporter
from erp_gateway.records.proxy.policy import ProxyPolicy
from erp_gateway.records.proxy.service import ProxyService
from erp_gateway.records.proxy.service_action_rate import ServiceActionRate
from erp_gateway.records.proxy.sums import SumReader
from erp_gateway.reports.crystal.client import ReportGatewayClient
from erp_gateway.reports.crystal.service import ReportService
from erp_gateway.reports.crystal.store import ReportStore
from erp_gateway.reports.html.opening import open_html_reports
from erp_gateway.reports.html.service import HtmlReportService
from erp_gateway.settings.erp import ErpUpstream
from erp_gateway.settings.erp_database import ErpDatabase
from erp_gateway.settings.root import Settings
from erp_gateway.store.database import Database, hold_process_lock, open_database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.places import StorePlace, engine_name, place_of
from erp_gateway.store.standby.lease import MaySend, open_guarded_transport
from erp_gateway.store.store_metrics import publish_store_figures
from erp_gateway.values.role_template import RoleTemplate
from erp_gateway.writes.opening import OpenLedger, open_ledger
from erpclient import Credentials, ErpClient, ErpSettings
from erpclient.odata import IntKey
from servicekit.clock import Clock, SystemClock
from servicekit.erp.metrics import UpstreamMetrics
from servicekit.logs import LogOutput
from servicekit.metrics import HttpMetrics, create_registry
from servicekit.pdfs.processes import BlankCheck
from servicekit.request_log import RecentFailures
from servicekit.tasks import every
from servicekit.throttle import LoginThrottle

PERMISSIONS_INTERVAL_S: Final = 0.5
"""Interval at which changes by other processes are loaded. They must take effect within a second."""

RETENTION_INTERVAL_S: Final = 3600.0

HEAD_INTERVAL_S: Final = 60.0
"""Interval at which the head of the audit's chain is logged if there are new records."""

WRITE_TIMEOUTS_S: Final = {"sqlite": 0.75, "postgresql": 1.0}
"""Longest wait for another process that writes. A change of permissions may wait three times: for an earlier
write, for itself and for its audit record.
"""


@frozen(kw_only=True)
class DocumentServices:
    """Answers about documents that take several reads of the ERP."""

    flows: FlowService
    home: HomeService
    accounts: AccountService


@frozen(kw_only=True)
class Components:
    """All components of the running application."""

    settings: Settings
    client: ErpClient
    probe: ErpProbe
    audit_store: AuditStore
    recorder: AuditRecorder
    permissions: PermissionService
    sessions: WebSessionStore
    login: LoginService
    administration: Administration
    recheck: EmployeeRecheck
    registry: Registry
    roles: tuple[RoleTemplate, ...]
    policy: ProxyPolicy
    proxy: ProxyService
    list_exports: ListExporter
    sums: SumReader
    attachments: AttachmentService
    change_sets: ChangeSetService
    fields: FieldDescriptions
    documents: DocumentServices
    writes: OpenLedger
    bodies: BodyChecker
    service_action_rate: ServiceActionRate
    erp_database: DatabaseClient
    queries: QueryService
    stored_queries: QueryService
    user_fields: UserFieldCache | None
    exporter: Exporter
    currencies: Currencies
    html_reports: HtmlReportService
    reports: ReportService | None
    jobs: Jobs
    system: SystemService
    http_metrics: HttpMetrics
    metrics_registry: CollectorRegistry

    def drain(self) -> None:
        """Reject all waiting work, because the service stops."""
        self.client.drain()
        self.erp_database.drain()
        self.exporter.drain()
        self.html_reports.drain()
        self.jobs.drain()
        if self.reports is not None:
            self.reports.client.drain()


@asynccontextmanager
async def open_components(
    settings: Settings,
    *,
    clock: Clock | None = None,
    log: LogOutput | None = None,
    metrics_registry: CollectorRegistry | None = None,
    may_send: MaySend | None = None,
) -> AsyncIterator[Components]:
    """Open the store, the ERP client and everything that depends on them. On exit, log out of the ERP.

    The gateway logs in to the ERP only when the first request needs it.

    Args:
        settings: the configuration.
        clock: time; the system's by default.
        log: output of log lines, which counts dropped ones.
        metrics_registry: registry of the metrics; a new one by default.
        may_send: allows each request to the ERP while this process holds the store's lock.

    Raises:
        StoreNotUsable, StoreUnavailable: the store can't be opened, or another process serves it.
        erp_gateway.extensions.ExtensionError: an extension can't be served.
        OSError: a file of certificate authorities can't be read.
    """
    clock, zone = clock or SystemClock(), settings.web.timezone
    registries = load_extensions(
        settings.web.extensions,
        engine=settings.database_engine,
        reload_templates=settings.html_pdf.reload or settings.installation.environment == "development",
    )
    registry, metrics_registry = registries.resources, metrics_registry or create_registry()
    metrics = GatewayMetrics(metrics_registry, doctor_report=settings.installation.doctor_report)
    async with AsyncExitStack() as stack:
        enter = stack.enter_async_context
        place = place_of(settings.store.path, settings.store.url)
        database = await enter(_open_store(place, is_locked=may_send is not None))
        publish_store_figures(metrics_registry, place, settings.store.backup_folder)
        audit_store = AuditStore(database)
        heads = await enter(_looking_after_audit(settings, AuditChain(database), clock))
        recorder = await enter(open_recorder(audit_store, clock, observer=metrics))
        permissions = await enter(_open_permissions(settings, database, recorder, clock, heads))
        client = await enter(_open_client(settings, metrics, may_send))
        writes = await enter(
            open_ledger(
                database,
                recorder,
                clock,
                rules=settings.ledger,
                keep_days=settings.store.audit_retention_days,
                client=client,
                keys=ResourceKeys(registry),
                observer=metrics,
                left_s=None if may_send is None else settings.deadlines.longest_call_s,
            )
        )
        cache, cache_metrics = await _create_cache(settings, clock, registry, metrics_registry, writes)
        probe, sessions = ErpProbe(client, clock), _create_session_store(settings, clock)
        stack.push_async_callback(probe.aclose)
        directory, throttle = EmployeeDirectory(client), LoginThrottle(clock)
        changes = await enter(
            open_session_changes(database, sessions, throttle, recorder, clock, settings.sessions)
        )
        login = LoginService(
            directory=directory,
            company=CompanyName(client, clock, database=settings.erp.company_db),
            passwords=stack.enter_context(open_password_verifier(clock=clock)),
            throttle=throttle,
            changes=changes,
            recorder=recorder,
        )
        recheck = await enter(aclosing(_create_recheck(settings, directory, sessions, changes)))
        reads = JobMetrics(metrics_registry, "erpdb_reads", "Reads of the ERP's database")
        pdf_jobs = JobMetrics(metrics_registry, "html_pdf_jobs", "HTML reports to print")
        erp_database = await enter(open_erp_database(settings.erp_database, registries.queries, reads))
        today = partial(_today, clock, zone)
        answers, user_fields = await _open_query_caches(stack, settings.erp_database, erp_database, clock)
        exports = JobMetrics(metrics_registry, "exports", "Exports as CSV or XLSX")
        exporter = await enter(open_exports(settings.exports, clock, zone, exports))
        html_reports = await enter(
            open_html_reports(
                settings.html_pdf,
                registries.html_reports,
                erp_database,
                recorder,
                exporter,
                pdf_jobs,
                clock=clock,
                timezone=zone,
            )
        )
        reports = await _open_reports(
            stack,
            settings,
            metrics_registry,
            client=client,
            database=database,
            recorder=recorder,
            clock=clock,
            budget=exporter.budget,
            printed=printed_resources(registry),
        )
        currencies, long_exports = Currencies(client, clock), LongExportMetrics(metrics_registry)
        create_queries = partial(
            QueryService, recorder=recorder, exporter=exporter, decimals=currencies.decimals, today=today
        )
        stored_queries = await enter(
            _open_stored_queries(client, registries.stored_queries, clock, create_queries)
        )
        watch = OwnerRights(sessions, permissions).watch
        jobs = await enter(open_jobs(settings.exports, clock, exporter.budget, watch, long_exports))
        metrics.watch(
            queue=lambda: client.queue_stats,
            condition=lambda: client.condition,
            web_sessions=lambda: len(sessions),
            audit_records_owed=lambda: recorder.pending,
        )
        system = SystemService(
            probe=probe,
            erp=client,
            sessions=sessions,
            reports=None if reports is None else reports.client,
            database=reads,
            printing=pdf_jobs,
            recorder=recorder,
            store_engine=engine_name(place),
            log=log,
            failures=RecentFailures(clock),
            clock=clock,
            settings=settings,
        )
        proxy = ProxyService(client, writes.ledger, recorder, registry, cache, cache_metrics)
        yield Components(
            settings=settings,
            client=client,
            probe=probe,
            audit_store=audit_store,
            recorder=recorder,
            permissions=permissions,
            sessions=sessions,
            login=login,
            administration=Administration(directory, sessions, throttle, changes, database),
            recheck=recheck,
            registry=registry,
            roles=registries.roles,
            policy=ProxyPolicy(registry),
            proxy=proxy,
            list_exports=ListExporter(client, exporter, currencies),
            sums=SumReader(client),
            attachments=AttachmentService(client, proxy, writes.ledger, exporter.budget),
            fields=await enter(aclosing(FieldDescriptions(client, registry, clock, currencies))),
            documents=await enter(
                _open_documents(settings, clock, registry, writes, audit_store, client, erp_database)
            ),
            writes=writes,
            service_action_rate=ServiceActionRate(clock),
            bodies=_create_body_checker(settings, registry),
            change_sets=_create_change_sets(settings, client, writes, cache),
            erp_database=erp_database,
            queries=create_queries(erp_database, answers),
            stored_queries=stored_queries,
            user_fields=user_fields,
            exporter=exporter,
            currencies=currencies,
            html_reports=html_reports,
            reports=reports,
            jobs=jobs,
            system=system,
            http_metrics=HttpMetrics(metrics_registry),
            metrics_registry=metrics_registry,
        )


@asynccontextmanager
async def _open_documents(
    settings: Settings,
    clock: Clock,
    registry: Registry,
    writes: OpenLedger,
    audit: AuditStore,
    client: ErpClient,
    erp_database: DatabaseClient,
) -> AsyncIterator[DocumentServices]:
    today = partial(_today, clock, settings.web.timezone)
    database = None if settings.erp_database is None else erp_database
    paid_columns, refused = PaidColumns(client), RefusedReads(client, clock)
    batches = BatchReader(client, paid_columns, refused)
    in_database = FollowingInDatabase(database, refused)
    async with aclosing(HomeFigures(client, registry, paid_columns, clock, today)) as figures:
        yield DocumentServices(
            flows=FlowService(client, registry, paid_columns, batches, in_database, clock),
            home=HomeService(figures, registry, writes.resolution.store, audit, clock),
            accounts=AccountService(registry, batches, paid_columns, clock, today),
        )


def _create_change_sets(
    settings: Settings, client: ErpClient, writes: OpenLedger, cache: CatalogueCache
) -> ChangeSetService:
    return ChangeSetService(client, writes.ledger, cache, settings.deadlines.change_set_timeout_s)


def _create_body_checker(settings: Settings, registry: Registry) -> BodyChecker:
    unwritable = registry.secret_body_fields | settings.ledger.own_fields
    return BodyChecker(unwritable, registry.object_types)


def _today(clock: Clock, timezone: ZoneInfo) -> date:
    return clock.now().astimezone(timezone).date()


@asynccontextmanager
async def _open_stored_queries(
    client: ErpClient,
    registry: StoredQueryRegistry,
    clock: Clock,
    create_queries: Callable[[QueryClient, QueryCache], QueryService],
) -> AsyncIterator[QueryService]:
    async with open_installed(client, registry, clock) as installed, aclosing(QueryCache(clock)) as answers:
        queries = StoredQueryClient(client, registry, installed, max_rows=STORED_QUERY_MAX_ROWS)
        yield create_queries(queries, answers)


async def _open_query_caches(
    stack: AsyncExitStack, configured: ErpDatabase | None, client: DatabaseClient, clock: Clock
) -> tuple[QueryCache, UserFieldCache | None]:
    if configured is None:
        return QueryCache(clock), None
    answers = QueryCache(clock, max_bytes=configured.cache_mb * 1024 * 1024)
    await stack.enter_async_context(aclosing(answers))
    user_fields = UserFieldCache(UserFieldSource(client).read, clock)
    return answers, await stack.enter_async_context(aclosing(user_fields))


async def _open_reports(
    stack: AsyncExitStack,
    settings: Settings,
    metrics_registry: CollectorRegistry,
    *,
    client: ErpClient,
    database: Database,
    recorder: AuditRecorder,
    clock: Clock,
    budget: SpoolBudget,
    printed: Mapping[str, tuple[str, IntKey]],
) -> ReportService | None:
    configured = settings.report_gateway
    if configured is None:
        return None
    metrics = UpstreamMetrics(metrics_registry, "report_gateway", "the report gateway")
    verify_tls = settings.installation.verify_ssl
    gateway = ReportGatewayClient(configured, verify_tls=verify_tls, clock=clock, observer=metrics)
    await stack.enter_async_context(gateway)
    metrics.watch_queue(lambda: gateway.queue_stats)
    schema = None if settings.erp_database is None else settings.erp_database.schema
    return ReportService(
        gateway,
        erp=client,
        store=ReportStore(database),
        recorder=recorder,
        clock=clock,
        schema=schema or configured.company_db,
        timezone=settings.web.timezone,
        budget=budget,
        printed=printed if configured.check_document else {},
        blank=BlankCheck() if configured.refuse_blank else None,
    )


def printed_resources(registry: Registry) -> dict[str, tuple[str, IntKey]]:
    """Return for each screen the resource that its formats print, and the resource's key."""
    return {
        resource.read_menu: (resource.name, resource.key)
        for resource in registry.resources
        if resource.printed and resource.read_menu is not None and isinstance(resource.key, IntKey)
    }


@asynccontextmanager
async def _open_client(
    settings: Settings, metrics: GatewayMetrics, may_send: MaySend | None
) -> AsyncIterator[ErpClient]:
    """Open the client of the ERP; `may_send` is checked before each request."""
    configured = erp_settings(settings)
    async with AsyncExitStack() as stack:
        transport = None
        if may_send is not None:
            transport = await stack.enter_async_context(open_guarded_transport(configured, may_send))
        client = ErpClient(configured, erp_credentials(settings.erp), transport=transport, observer=metrics)
        yield await stack.enter_async_context(client)


@asynccontextmanager
async def _open_permissions(
    settings: Settings, database: Database, recorder: AuditRecorder, clock: Clock, heads: HeadLog
) -> AsyncIterator[PermissionService]:
    """Open the permissions, and load changes by other processes while the block runs."""
    permissions = PermissionService(database, recorder, clock)
    await permissions.reload()
    await permissions.grant_administrators(settings.web.admin_web_users)

    async def reload() -> None:
        if await permissions.reload_if_changed():
            await heads.log_if_new()  # a command that changed them has written a record

    async with every(PERMISSIONS_INTERVAL_S, "permissions_reload", reload):
        yield permissions


@asynccontextmanager
async def _looking_after_audit(settings: Settings, chain: AuditChain, clock: Clock) -> AsyncIterator[HeadLog]:
    """Log the chain's head during and after the block. Delete old records if retention is configured."""
    heads = HeadLog(chain, clock)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(_log_last_head, heads)
        await stack.enter_async_context(every(HEAD_INTERVAL_S, "audit_head", heads.log_if_new))
        if settings.store.audit_retention_days is not None:
            apply = partial(apply_retention, chain, clock, keep_days=settings.store.audit_retention_days)
            await stack.enter_async_context(every(RETENTION_INTERVAL_S, "audit_retention", apply))
        yield heads


async def _log_last_head(heads: HeadLog) -> None:
    with suppress(StoreUnavailable):
        await heads.log_if_new()


@asynccontextmanager
async def _open_store(place: StorePlace, *, is_locked: bool) -> AsyncIterator[Database]:
    """Open the store as the only process that serves it."""
    with nullcontext() if is_locked else hold_process_lock(place):
        write_timeout_s = WRITE_TIMEOUTS_S[engine_name(place)]
        async with open_database(place, write_timeout_s=write_timeout_s, keeps_reserve=True) as database:
            yield database


def _create_session_store(settings: Settings, clock: Clock) -> WebSessionStore:
    return WebSessionStore(
        timeout_s=settings.sessions.timeout_minutes * 60.0,
        max_age_s=settings.sessions.max_age_s,
        clock=clock,
        timezone=settings.web.timezone,
    )


def _create_recheck(
    settings: Settings, directory: EmployeeDirectory, sessions: WebSessionStore, changes: SessionChanges
) -> EmployeeRecheck:
    return EmployeeRecheck(
        directory=directory,
        sessions=sessions,
        changes=changes,
        interval_s=settings.sessions.recheck_interval_s,
    )


async def _create_cache(
    settings: Settings,
    clock: Clock,
    registry: Registry,
    metrics_registry: CollectorRegistry,
    writes: OpenLedger,
) -> tuple[CatalogueCache, CacheMetrics]:
    """Create the cache of reference data and its metrics."""
    reference = settings.reference
    names = (resource.name for resource in registry.resources if resource.reference)
    cache = CatalogueCache(names, clock, fresh_s=reference.fresh_s, stale_s=reference.stale_s)
    for name in await writes.ledger.find_unsure(UNSURE_S):
        cache.write_ended(name, sent=False, unknown=True)
    return cache, CacheMetrics(metrics_registry, is_enabled=reference.is_on)


def erp_settings(settings: Settings) -> ErpSettings:
    """Return the client's settings: address, limits and timeouts."""
    erp, deadlines = settings.erp, settings.deadlines
    return ErpSettings(
        url=erp.url,
        max_concurrency=erp.max_concurrency,
        timeout_s=deadlines.timeout_s,
        read_timeout_s=deadlines.read_timeout_s,
        login_timeout_s=deadlines.login_timeout_s,
        probe_timeout_s=deadlines.probe_timeout_s,
        queue_limit=erp.queue_limit,
        queue_limit_per_user=erp.queue_per_user,
        queue_timeout_s=deadlines.queue_timeout_s,
        max_reply_bytes=erp.max_reply_bytes,
        ca_file=erp.ca_file,
        verify_tls=settings.installation.verify_ssl,
    )


def erp_credentials(erp: ErpUpstream) -> Credentials:
    """Return the credentials of the gateway's ERP user."""
    return Credentials(erp.company_db, erp.user, erp.password.reveal())
