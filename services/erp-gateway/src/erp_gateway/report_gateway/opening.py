"""Opening the module for the application: its client, its registry, the service on both."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from zoneinfo import ZoneInfo

from attrs import frozen

from erp_gateway.audit.recorder import AuditRecorder
from erp_gateway.exports.budget import SpoolBudget
from erp_gateway.report_gateway.client import GatewayAddress, ReportGatewayClient
from erp_gateway.report_gateway.layouts import ErpLayouts
from erp_gateway.report_gateway.service import ReportService
from erp_gateway.report_gateway.several import DocumentPrinting
from erp_gateway.report_gateway.store import ReportStore
from erp_gateway.report_gateway.wire import GatewayLogin
from erp_gateway.settings.modules import ReportGateway
from erp_gateway.storage.database import Database
from erpclient import ErpClient, Observer, create_tls_context
from servicekit.clock import Clock
from servicekit.pdfs.blank import BlankCheck
from servicekit.pdfs.joining import Joining


@frozen(kw_only=True)
class OpenReports:
    """The open module."""

    service: ReportService
    documents: DocumentPrinting
    client: ReportGatewayClient


@asynccontextmanager
async def open_report_gateway(
    settings: ReportGateway,
    *,
    schema: str | None,
    timezone: ZoneInfo,
    verify_tls: bool,
    erp: ErpClient,
    database: Database,
    recorder: AuditRecorder,
    clock: Clock,
    observer: Observer,
    budget: SpoolBudget,
) -> AsyncIterator[OpenReports]:
    """Open the module; log out of the report gateway on leaving. Nothing is sent before somebody needs it.

    Args:
        settings: where the report gateway is, and who logs in.
        schema: the company's schema in its database; the name of the company where it is not configured.
        timezone: whose day a relative default means.
        verify_tls: whether the gateway's certificate is checked.
        erp: asked for the layouts of document types.
        database: keeps the registry.
        recorder: where changes and exports are recorded.
        clock: time.
        observer: told of every call, login and wait.
        budget: bounds what several documents hold until they are joined.

    Raises:
        OSError: the file of certificate authorities can't be read.
    """
    client = create_client(settings, verify_tls=verify_tls, clock=clock, observer=observer)
    async with client:
        service = ReportService(
            client,
            ErpLayouts(erp),
            ReportStore(database),
            recorder,
            clock,
            schema=schema or settings.company_db,
            timezone=timezone,
            blank=BlankCheck() if settings.refuse_blank else None,
        )
        documents = DocumentPrinting(service, Joining(), budget)
        yield OpenReports(service=service, documents=documents, client=client)


def create_client(
    settings: ReportGateway,
    *,
    verify_tls: bool,
    clock: Clock,
    observer: Observer | None = None,
    timeout_s: float | None = None,
    renews: bool = True,
) -> ReportGatewayClient:
    """Return the client that the configuration asks for, not yet open.

    Args:
        settings: where the report gateway is, and who logs in.
        verify_tls: whether the gateway's certificate is checked.
        clock: time.
        observer: told of every call, login and wait.
        timeout_s: longest time of one call, where it is not the configured one.
        renews: whether a session that is over is renewed.

    Raises:
        OSError: the file of certificate authorities can't be read.
    """
    login = GatewayLogin(settings.company_db, settings.user, settings.password.reveal(), settings.instance)
    address = GatewayAddress(
        url=settings.url.rstrip("/"),
        timeout_s=timeout_s or settings.timeout_s,
        max_concurrency=settings.max_concurrency,
    )
    tls = create_tls_context(ca_file=settings.ca_file, verify=verify_tls)
    return ReportGatewayClient(address, login, tls=tls, clock=clock, observer=observer, renews=renews)
