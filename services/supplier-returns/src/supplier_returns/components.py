"""Object graph: the only module that constructs components, and closes them in reverse order."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from typing import Final

from attrs import frozen
from prometheus_client import CollectorRegistry

from erpclient import (
    BalancerWatch,
    Caller,
    Credentials,
    ErpClient,
    ErpSettings,
    HealthMonitor,
    Observer,
    create_transport,
)
from erpclient.odata import Dialect
from erpclient.tax_documents import TaxDocuments, TaxDocumentSettings
from servicekit.clock import Clock, SystemClock
from servicekit.erp.metrics import ErpMetrics
from servicekit.metrics import HttpMetrics, create_registry
from servicekit.pdfs.processes import Joining
from servicekit.tasks import every
from supplier_returns.auth.service import LoginService
from supplier_returns.auth.sign_in_limits import create_sign_in_gate
from supplier_returns.catalogues.cache import CatalogueCache
from supplier_returns.catalogues.service import Catalogues
from supplier_returns.execution.context import RunContext
from supplier_returns.execution.fence import Fence, FenceMode
from supplier_returns.execution.repository import ReturnRepository
from supplier_returns.execution.rules.return_body import ReturnFields
from supplier_returns.execution.service import ExecutionService
from supplier_returns.execution.settings import ExecutionRules
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.metadata.definitions import load_definitions
from supplier_returns.metadata.rebuild import Rebuild
from supplier_returns.metadata.service import MetadataService
from supplier_returns.planning.computing import Computing, open_computing
from supplier_returns.planning.locks import KeyedLocks
from supplier_returns.planning.records.repository import PlanningRepository
from supplier_returns.planning.service import PlanningService
from supplier_returns.planning.settings import PlanningRules
from supplier_returns.planning.sources import PlanningSources
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.saved_queries.warehouse import StoredQueries
from supplier_returns.settings.erp import ServiceLayer
from supplier_returns.settings.root import Settings
from supplier_returns.tax_documents.service import DownloadSources, TaxDocumentService
from supplier_returns.web.cookies import SessionCookie
from supplier_returns.web.session import WebSession
from supplier_returns.web.session_store import WebSessionStore

VERSION: Final = version("supplier-returns")

EXPIRY_INTERVAL_S: Final = 5.0
"""Seconds between two checks for expired sessions."""


@frozen
class ServiceLayerAccess:
    """Parts of the Service Layer access that all sessions share.

    Attributes:
        health: whether the ERP replies.
        balancer: whether the ERP's load balancer replies.
        open_client: creates the client of one session.
    """

    health: HealthMonitor
    balancer: BalancerWatch
    open_client: Callable[[Credentials], ErpClient]


@frozen(kw_only=True)
class Components:
    """All components of the application, open and ready."""

    settings: Settings
    clock: Clock
    erp: ServiceLayerAccess
    sessions: WebSessionStore
    login: LoginService
    cookie: SessionCookie
    metadata: MetadataService
    catalogues: CatalogueCache
    stored_queries: StoredQueries
    computing: Computing
    planning_locks: KeyedLocks
    planning_rules: PlanningRules
    execution: ExecutionService
    fence: Fence
    tax_documents: TaxDocumentService
    http_metrics: HttpMetrics
    metrics_registry: CollectorRegistry

    def drain(self) -> None:
        """Let executions end after their current document, and refuse waiting calls to the ERP."""
        self.execution.stop()
        self.sessions.drain()

    def planning_service(self, session: WebSession, caller: Caller) -> PlanningService:
        """Return the use cases of planning for a signed-in user."""
        return PlanningService(
            self._planning_sources(session, caller),
            self.computing.of(session.user.code),
            self.planning_locks,
            self.planning_rules,
            self.execution.is_running,
        )

    def execution_sources(self, session: WebSession, caller: Caller, *, ip: str) -> ExecutionSources:
        """Return a signed-in user's access to the ERP for an execution."""
        return ExecutionSources(
            session=session,
            request_id=caller.request_id or "",
            ip=ip,
            planning=self._planning_sources(session, caller),
            returns=ReturnRepository(session.erp, caller),
            is_fence_up=partial(self.fence.is_up, session.erp, caller),
        )

    def download_sources(self, session: WebSession, caller: Caller) -> DownloadSources:
        """Return a signed-in user's access to the ERP for a download of tax documents."""
        return DownloadSources(session.user.code, session.erp, caller, self._plannings(session, caller))

    def _planning_sources(self, session: WebSession, caller: Caller) -> PlanningSources:
        return PlanningSources(
            user=session.user.code,
            warehouse=self.stored_queries.warehouse(session.erp, caller),
            catalogue=Catalogues(self.catalogues, session.erp, caller),
            repository=self._plannings(session, caller),
        )

    def _plannings(self, session: WebSession, caller: Caller) -> PlanningRepository:
        return PlanningRepository(session.erp, caller, self.settings.web.timezone)


@asynccontextmanager
async def open_components(settings: Settings, *, clock: Clock | None = None) -> AsyncIterator[Components]:
    """Open all components. Leaving closes them and logs every session out.

    No request is sent to the ERP before a user signs in.

    Args:
        settings: the configuration.
        clock: time, by default the machine's.

    Raises:
        OSError: a file of certificate authorities can't be read.
    """
    clock = clock or SystemClock()
    metrics_registry = create_registry()
    metrics = ErpMetrics(metrics_registry)
    async with AsyncExitStack() as stack:
        access = await stack.enter_async_context(open_erp_access(settings.service_layer, metrics, clock))
        sessions = WebSessionStore(
            timeout_s=settings.sessions.timeout_minutes * 60.0,
            capacity=settings.sessions.max_sessions,
            per_user=settings.sessions.max_sessions_per_user,
            grace_s=settings.shutdown_grace_s,
            clock=clock,
        )
        stack.push_async_callback(sessions.aclose)

        async def end_expired() -> None:
            sessions.end_expired()

        await stack.enter_async_context(every(EXPIRY_INTERVAL_S, "session_expiry", end_expired))

        needed = load_definitions()
        installer = QueryInstaller(settings.service_layer.db_type, clock)
        catalogues = CatalogueCache(needed, settings.returns.asked_fields or (), clock)

        async def prepare(erp: ErpClient, caller: Caller) -> None:
            await installer.check_again(erp, caller)
            await catalogues.prepare(erp, caller)

        login = LoginService(
            company_db=settings.service_layer.company_db,
            open_client=access.open_client,
            gate=create_sign_in_gate(clock, max_failures=settings.sessions.sign_in_max_failures),
            denied_users=settings.sessions.sign_in_denied_users,
            sessions=sessions,
            prepare=prepare,
            clock=clock,
        )
        fence = Fence(FenceMode(settings.returns.execution_fence))
        rebuild = Rebuild(needed, installer, fence.prove, timeout_s=settings.service_layer.metadata_timeout_s)
        tax_documents = await stack.enter_async_context(TaxDocuments(tax_settings(settings)))
        computing = await stack.enter_async_context(open_computing())
        planning_locks = KeyedLocks()
        run_context = RunContext(rules=execution_rules(settings), computing=computing, clock=clock)
        execution = ExecutionService(run_context, planning_locks, sessions)
        metrics.watch_erp(
            lambda: sessions.queue_stats, lambda: access.health.condition, lambda: len(sessions)
        )
        yield Components(
            settings=settings,
            clock=clock,
            erp=access,
            sessions=sessions,
            login=login,
            cookie=SessionCookie(secure=settings.sessions.cookie_secure),
            metadata=MetadataService(needed, rebuild, installer, sessions),
            catalogues=catalogues,
            stored_queries=StoredQueries(installer, computing),
            computing=computing,
            planning_locks=planning_locks,
            planning_rules=PlanningRules(
                max_lines=settings.returns.max_lines_per_document,
                today=lambda: clock.now().astimezone(settings.web.timezone).date(),
                timezone=settings.web.timezone,
            ),
            execution=execution,
            fence=fence,
            tax_documents=TaxDocumentService(
                tax_documents,
                Joining(),
                at_once=settings.tax_documents.concurrency,
                is_running=execution.is_running,
            ),
            http_metrics=HttpMetrics(metrics_registry),
            metrics_registry=metrics_registry,
        )


def execution_rules(settings: Settings) -> ExecutionRules:
    """Return the settings of executions."""
    returns, zone = settings.returns, settings.web.timezone
    is_v2 = erp_settings(settings.service_layer).dialect is Dialect.V2
    return ExecutionRules(
        uncertain_wait=timedelta(seconds=returns.uncertain_wait_s),
        fields=ReturnFields(
            transfer_kind=returns.field_ind_traslado or "",
            dispatch_kind=returns.field_tipo_despacho or "",
            # v2 renames properties that have the name of their type (its `$metadata`).
            batch_number="BatchNumberProperty" if is_v2 else "BatchNumber",
            constants=returns.return_fields or {},
            custom=returns.asked_fields or (),
        ),
        clock_time=lambda moment: moment.astimezone(zone).strftime("%H:%M:%S"),
        needs_fence=returns.has_backup,
    )


def tax_settings(settings: Settings) -> TaxDocumentSettings:
    """Return the settings for fetching tax documents."""
    tax = settings.tax_documents
    return TaxDocumentSettings(
        timeout_s=tax.timeout_s,
        connect_timeout_s=min(30.0, tax.timeout_s / 2),
        max_reply_bytes=tax.max_bytes,
        allowed_hosts=frozenset(tax.hosts or ()),
        ca_file=tax.ca_file,
        allow_own_addresses=settings.tax_may_be_local,
    )


@asynccontextmanager
async def open_erp_access(
    service_layer: ServiceLayer, observer: Observer, clock: Clock
) -> AsyncIterator[ServiceLayerAccess]:
    """Open the shared transport and monitor the ERP's health. Leaving closes both.

    Raises:
        OSError: the file of certificate authorities can't be read.
    """
    settings = erp_settings(service_layer)
    async with AsyncExitStack() as stack:
        transport = create_transport(settings)
        stack.push_async_callback(transport.aclose)
        await transport.open()
        health = HealthMonitor(settings, transport, observer=observer)
        stack.push_async_callback(health.aclose)

        def open_client(credentials: Credentials) -> ErpClient:
            return ErpClient(
                settings,
                credentials,
                # A new login would need the password, which the service does not keep.
                renewable=False,
                transport=transport,
                health=health,
                observer=observer,
            )

        balancer = BalancerWatch(health.ping, clock.monotonic)
        stack.push_async_callback(balancer.aclose)
        yield ServiceLayerAccess(health, balancer, open_client)


def create_rebuild(settings: Settings, clock: Clock) -> Rebuild:
    """Create the rebuild for a command that runs without the service."""
    service_layer = settings.service_layer
    installer = QueryInstaller(service_layer.db_type, clock)
    fence = Fence(FenceMode(settings.returns.execution_fence))
    return Rebuild(load_definitions(), installer, fence.prove, timeout_s=service_layer.metadata_timeout_s)


def erp_settings(service_layer: ServiceLayer) -> ErpSettings:
    """Return the `erpclient` settings of one user's session, which has one call at a time."""
    return ErpSettings(
        url=service_layer.url,
        # The Service Layer runs the requests of one session one after another.
        max_concurrency=1,
        timeout_s=service_layer.timeout_s,
        probe_timeout_s=service_layer.probe_timeout_s,
        queue_timeout_s=service_layer.timeout_s,
        queue_limit=64,
        queue_limit_per_user=64,
        max_reply_bytes=service_layer.max_reply_bytes,
        ca_file=service_layer.ca_file,
        verify_tls=service_layer.reject_unauthorized,
    )
