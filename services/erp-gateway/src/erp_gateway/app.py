"""Build the ASGI application: all endpoints behind the guard, and the OpenAPI document."""

from collections.abc import Iterable
from functools import partial
from typing import Final

import attrs
from starlette.types import ASGIApp

import servicekit.endpoint
from erp_gateway.audit.endpoints import AuditEndpoints
from erp_gateway.components import Components
from erp_gateway.example_values import EXAMPLE_VALUES
from erp_gateway.files.jobs.endpoints import JobEndpoints
from erp_gateway.operations.health.endpoints import HealthEndpoints
from erp_gateway.operations.system.endpoints import SystemEndpoints
from erp_gateway.operations.system.shapes import VERSION
from erp_gateway.people.auth.administration.endpoints import AdministrationEndpoints
from erp_gateway.people.auth.endpoints import AuthEndpoints
from erp_gateway.people.permissions.endpoints import PermissionEndpoints
from erp_gateway.people.permissions.shapes import KnownRoute
from erp_gateway.queries.endpoints import ErpDatabaseEndpoints
from erp_gateway.queries.stored.endpoints import StoredQueryEndpoints
from erp_gateway.records.accounts.endpoints import AccountEndpoints
from erp_gateway.records.attachments.endpoints import FORM, AttachmentEndpoints
from erp_gateway.records.change_sets.endpoints import ChangeSetEndpoints
from erp_gateway.records.change_sets.planning import ChangeSetPlanner
from erp_gateway.records.fields.endpoints import FieldEndpoints
from erp_gateway.records.flow.endpoints import FlowEndpoints
from erp_gateway.records.home.endpoints import HomeEndpoints
from erp_gateway.records.proxy.declarations.meanings import needed_routes
from erp_gateway.records.proxy.endpoints import ProxyEndpoints
from erp_gateway.reports.crystal.endpoints import RUN as RUN_REPORTS
from erp_gateway.reports.crystal.endpoints import ReportEndpoints
from erp_gateway.reports.html.endpoints import RUN as RUN_HTML_REPORTS
from erp_gateway.reports.html.endpoints import HtmlReportEndpoints
from erp_gateway.values.errors import PermissionDenied
from erp_gateway.web.access import Access, Guard, MenuAccess
from erp_gateway.web.session import SessionExpired, SessionReplaced, SessionRequired
from erp_gateway.writes.endpoints import WriteEndpoints
from servicekit.endpoint import AppSettings, Endpoint
from servicekit.openapi import ApiInfo, SecurityScheme, with_documentation

_BEARER: Final = {"type": "http", "scheme": "bearer", "description": "Token from `POST /api/auth/login`"}
_SESSION: Final = SecurityScheme(
    name="session", scheme=_BEARER, errors=(SessionRequired, SessionExpired, SessionReplaced)
)
_PERMITTED_SESSION: Final = SecurityScheme(
    name="session", scheme=_BEARER, errors=(*_SESSION.errors, PermissionDenied)
)


def create_app(components: Components) -> ASGIApp:
    """Build the application. Configure logging first."""
    web = components.settings.web
    published = list_endpoints(components)
    if components.settings.installation.docs_published:
        published = with_documentation(published, api_info(), access=Access.PUBLIC)
    return servicekit.endpoint.create_app(
        [_within(endpoint, web.max_body_bytes) for endpoint in published],
        guard=Guard(
            components.sessions, components.permissions, components.recorder, components.recheck.schedule
        ),
        settings=AppSettings(trusted_proxies=web.trusted_proxies, max_body_bytes=web.max_body_bytes),
        metrics=components.http_metrics,
        failures=components.system.failures,
    )


def list_endpoints(components: Components) -> list[Endpoint]:
    """Return all endpoints except the two that publish the OpenAPI document."""
    settings, service, reports = components.settings, components.permissions, components.reports
    auth = AuthEndpoints(
        components.login,
        service,
        expires_in_s=components.sessions.expires_in_s,
        company_database=settings.erp.company_db,
        timezone=settings.web.timezone.key,
    )
    permissions = PermissionEndpoints(service, partial(_list_menu_routes, components), components.roles)
    proxy = ProxyEndpoints(
        components.registry,
        components.policy,
        components.proxy,
        components.list_exports,
        components.sums,
        service,
        components.bodies,
        components.service_action_rate,
        components.audit_store,
        prints=reports is not None,
    )
    files = AttachmentEndpoints(
        components.policy,
        components.attachments,
        service,
        settings.attachments,
        components.exporter.budget,
        components.exporter.pace,
    )
    planner = ChangeSetPlanner(components.policy, components.bodies)
    change_sets = ChangeSetEndpoints(planner, components.change_sets, service)
    database = ErpDatabaseEndpoints(components.queries, components.user_fields, service)
    jobs = JobEndpoints(components.jobs, service, components.exporter.pace)
    return [
        *_under("Health", HealthEndpoints(components.probe, VERSION).endpoints()),
        *_under("Session", auth.endpoints()),
        *_under("Session", AdministrationEndpoints(components.administration).endpoints()),
        *_under("Permissions", permissions.endpoints()),
        *_under("ERP", proxy.endpoints()),
        *_under("ERP", change_sets.endpoints()),
        *_under("ERP", files.endpoints()),
        *_under("ERP", FieldEndpoints(components.policy, components.fields, service).endpoints()),
        *_under("ERP", FlowEndpoints(components.policy, components.documents.flows, service).endpoints()),
        *_under("ERP", HomeEndpoints(components.documents.home, service).endpoints()),
        *_under(
            "ERP", AccountEndpoints(components.policy, components.documents.accounts, service).endpoints()
        ),
        *_under("Writes", WriteEndpoints(components.writes.resolution, service).endpoints()),
        *_under("Health", SystemEndpoints(components.system).endpoints()),
        *_under("Audit", AuditEndpoints(components.audit_store, settings.web.timezone).endpoints()),
        *_under("Report gateway", ReportEndpoints(reports, service, components.jobs).endpoints()),
        *_under("ERP database", database.endpoints()),
        *_under("Stored queries", StoredQueryEndpoints(components.stored_queries, service).endpoints()),
        *_under("HTML reports", HtmlReportEndpoints(components.html_reports, components.jobs).endpoints()),
        *_under("Jobs", jobs.endpoints()),
    ]


async def _list_menu_routes(components: Components) -> Iterable[KnownRoute]:
    """Return the functions that need a menu route, in any order."""
    routes = [
        KnownRoute(
            kind="resource",
            title=each.title or each.name,
            read=each.read_menu if "GET" in each.methods else None,
            write=each.write_menu if each.writable else None,
            resource=each.name,
            needs=needed_routes(each, components.registry),
        )
        for each in components.registry.resources
    ]
    if components.settings.database_engine is not None:
        queries = components.erp_database.queries
        routes += (KnownRoute(kind="query", title=each.title, read=each.menu) for each in queries)
    routes += (
        KnownRoute(kind="query", title=each.title, read=each.menu)
        for each in components.stored_queries.queries
    )
    routes.append(KnownRoute(kind="reports", title="Informes", read=RUN_HTML_REPORTS.route))
    if components.reports is not None:
        routes.append(KnownRoute(kind="reports", title="Informes del ERP", read=RUN_REPORTS.route))
        routes += (
            KnownRoute(kind="format", title=report.title, read=screen)
            for report in await components.reports.list_registered()
            for screen in report.screens
        )
    return routes


def _under(tag: str, endpoints: list[Endpoint]) -> list[Endpoint]:
    """Put a feature's endpoints into their section of the OpenAPI document."""
    return [attrs.evolve(endpoint, tag=tag) for endpoint in endpoints]


def _within(endpoint: Endpoint, configured: int) -> Endpoint:
    """Lower an endpoint's body limit to the configured one. Uploads keep their own."""
    own = endpoint.max_body_bytes
    takes_files = endpoint.request is not None and endpoint.request.media_type == FORM
    if own is None or takes_files:
        return endpoint
    return attrs.evolve(endpoint, max_body_bytes=min(own, configured))


def api_info() -> ApiInfo:
    """Return the general part of the OpenAPI document."""
    return ApiInfo(
        title="ERP gateway",
        version=VERSION,
        description="Web login, permissions, audit and a careful proxy in front of SAP Business One.",
        security=_security,
        access_note=_access_note,
        vocabulary=EXAMPLE_VALUES,
    )


def _security(endpoint: Endpoint) -> SecurityScheme | None:
    if endpoint.access is Access.PUBLIC:
        return None
    return _SESSION if endpoint.access is Access.SESSION else _PERMITTED_SESSION


def _access_note(endpoint: Endpoint) -> str:
    access = endpoint.access
    if isinstance(access, MenuAccess):
        return f"Session with permission for the menu route `{access.route}`."
    return access.value if isinstance(access, Access) else ""
