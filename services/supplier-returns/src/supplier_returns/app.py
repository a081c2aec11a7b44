"""From components to the ASGI application: every endpoint behind the guard, and the API's description."""

from collections.abc import Iterable
from functools import partial
from typing import Final

import attrs
from starlette.requests import Request
from starlette.types import ASGIApp

import servicekit.endpoint
from erpclient import Caller
from servicekit.endpoint import AppSettings, Endpoint
from servicekit.errors import ServiceError, UnsupportedMediaType
from servicekit.openapi import ApiInfo, SecurityScheme, with_documentation
from servicekit.request_log import request_facts
from supplier_returns.auth.endpoints import AuthEndpoints
from supplier_returns.catalogues.endpoints import CatalogueEndpoints
from supplier_returns.components import (
    VERSION,
    Components,
    create_download_sources,
    create_execution_access,
    create_planning_service,
)
from supplier_returns.example_values import EXAMPLE_VALUES
from supplier_returns.execution.endpoints import ANSWER_WITHIN_S, ExecutionEndpoints
from supplier_returns.execution.run import ErpAccess
from supplier_returns.health.endpoints import HealthEndpoints
from supplier_returns.metadata.endpoints import MetadataEndpoints
from supplier_returns.pasting.reading import MAX_PASTE_BYTES
from supplier_returns.planning.api.endpoints import PlanningEndpoints
from supplier_returns.saved_queries.errors import STORED_QUERY_ERRORS, StoredQueryOutdated
from supplier_returns.tax_documents.endpoints import TaxDocumentEndpoints
from supplier_returns.web.access import SAFE_METHODS, Access, Guard, OriginForbidden, caller_of, session_of
from supplier_returns.web.cookies import COOKIE
from supplier_returns.web.cors import Cors
from supplier_returns.web.error_map import ERP_ERRORS, WRITE_ERRORS
from supplier_returns.web.session import SessionExpired, SessionRequired, WebSession
from supplier_returns.web.static_app import create_static_app
from supplier_returns.web.welcome import show_welcome

_Errors = tuple[type[ServiceError], ...]


def guarded(endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    """Add what the guard may answer to requests that change something."""
    return [
        endpoint
        if endpoint.method in SAFE_METHODS
        else _with(endpoint, OriginForbidden, UnsupportedMediaType)
        for endpoint in endpoints
    ]


def asking_the_erp(
    endpoints: Iterable[Endpoint], *, on_change: _Errors = (), always: _Errors = ()
) -> list[Endpoint]:
    """Add what the ERP's trouble is told as.

    Args:
        endpoints: endpoints whose handlers call the ERP.
        on_change: further errors of those that change something.
        always: further errors of all of them.
    """
    return [
        _with(endpoint, *ERP_ERRORS, *always)
        if endpoint.method in SAFE_METHODS
        else _with(endpoint, *ERP_ERRORS, *WRITE_ERRORS, *on_change, *always)
        for endpoint in endpoints
    ]


def _with(endpoint: Endpoint, *errors: type[ServiceError]) -> Endpoint:
    return attrs.evolve(endpoint, errors=tuple(dict.fromkeys((*endpoint.errors, *errors))))


_SESSION: Final = SecurityScheme(
    name="session",
    scheme={"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "From `POST /api/auth/login`"},
    errors=(SessionRequired, SessionExpired),
)


def create_app(components: Components, *, answer_within_s: float = ANSWER_WITHIN_S) -> ASGIApp:
    """Build the application. Configure logging first.

    Args:
        components: open and ready.
        answer_within_s: after how long an execution that goes on is answered.
    """
    settings = components.settings
    web = settings.web
    published = list_endpoints(components, answer_within_s=answer_within_s)
    if settings.installation.docs_published:
        published = with_documentation(published, api_info(), access=Access.DESCRIPTION)
    app = servicekit.endpoint.create_app(
        [_within(endpoint, web.max_body_bytes) for endpoint in published],
        guard=Guard(components.sessions, web.web_origin),
        settings=AppSettings(
            trusted_proxies=web.trusted_proxies,
            max_body_bytes=web.max_body_bytes,
            cookies_are_plain=not components.cookie.secure,
        ),
        metrics=components.http_metrics,
        fallback=create_static_app(
            settings.web_application.folder,
            csp=settings.web_application.csp,
            show_sources=not settings.installation.is_production,
        )
        or show_welcome,
    )
    return app if web.web_origin is None else Cors(app, web.web_origin)


def _within(endpoint: Endpoint, configured: int) -> Endpoint:
    """Let the configured limit hold for smaller ones, too; a paste's own is meant to be larger."""
    own = endpoint.max_body_bytes
    if own is None or own == MAX_PASTE_BYTES:
        return endpoint
    return attrs.evolve(endpoint, max_body_bytes=min(own, configured))


def list_endpoints(components: Components, *, answer_within_s: float = ANSWER_WITHIN_S) -> list[Endpoint]:
    """Return every endpoint but the two that publish the API's description."""
    health = HealthEndpoints(VERSION, components.erp.health, components.erp.balancer)
    metadata = MetadataEndpoints(components.metadata)
    auth = AuthEndpoints(
        login=components.login,
        sessions=components.sessions,
        cookie=components.cookie,
        company_db=components.settings.service_layer.company_db,
        timezone=components.settings.web.timezone.key,
        version=VERSION,
    )
    catalogues = CatalogueEndpoints(
        components.catalogues, max_lines=components.settings.returns.max_lines_per_document
    )
    planning = PlanningEndpoints(
        lambda request: create_planning_service(components, *_session_and_caller(request)),
        components.computing,
        components.planning_rules,
        components.execution.is_running,
    )
    execution = ExecutionEndpoints(
        components.execution, partial(_execution_access, components), answer_within_s=answer_within_s
    )
    tax_documents = TaxDocumentEndpoints(
        components.tax_documents,
        lambda request: create_download_sources(components, *_session_and_caller(request)),
    )
    return guarded(
        [
            *_under("Health", health.endpoints()),
            *_under("Session", auth.endpoints()),
            *_under("Metadata", asking_the_erp(metadata.endpoints(), on_change=(StoredQueryOutdated,))),
            *_under("Catalogues", asking_the_erp(catalogues.endpoints())),
            *_under("Planning", asking_the_erp(planning.endpoints(), on_change=STORED_QUERY_ERRORS)),
            *_under("Planning", asking_the_erp(planning.change_endpoints(), always=STORED_QUERY_ERRORS)),
            *_under("Execution", asking_the_erp(execution.endpoints(), on_change=STORED_QUERY_ERRORS)),
            *_under("Tax documents", asking_the_erp(tax_documents.endpoints())),
        ]
    )


def _under(tag: str, endpoints: list[Endpoint]) -> list[Endpoint]:
    """Put a feature's endpoints into their section of the API's description."""
    return [attrs.evolve(endpoint, tag=tag) for endpoint in endpoints]


def _session_and_caller(request: Request) -> tuple[WebSession, Caller]:
    return session_of(request), caller_of(request)


def _execution_access(components: Components, request: Request) -> ErpAccess:
    """Return the signed-in user's access for an execution, which may outlive its request."""
    session, caller = _session_and_caller(request)
    ip = request_facts(request.scope).client_ip
    return create_execution_access(components, session, attrs.evolve(caller, gone=None), ip=ip)


def api_info() -> ApiInfo:
    """Return what the API's description says beside the endpoints."""
    return ApiInfo(
        title="Supplier returns",
        version=VERSION,
        description="Plans and executes returns to suppliers in SAP Business One, as the signed-in ERP user.",
        security=lambda endpoint: None if endpoint.access is Access.PUBLIC else _SESSION,
        access_note=lambda endpoint: endpoint.access.value if isinstance(endpoint.access, Access) else "",
        vocabulary=EXAMPLE_VALUES,
    )
