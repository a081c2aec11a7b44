"""Build the ASGI application from the components, with all endpoints behind the guard."""

from collections.abc import Iterable
from functools import partial
from typing import Final

import attrs
from starlette.requests import Request
from starlette.types import ASGIApp

import servicekit.endpoint
from servicekit.endpoint import AppSettings, Endpoint
from servicekit.errors import ServiceError, UnsupportedMediaType
from servicekit.openapi import ApiInfo, SecurityScheme, with_documentation
from servicekit.request_log import request_facts
from supplier_returns.auth.endpoints import AuthEndpoints
from supplier_returns.catalogues.endpoints import CatalogueEndpoints
from supplier_returns.components import VERSION, Components
from supplier_returns.example_values import EXAMPLE_VALUES
from supplier_returns.execution.endpoints import ANSWER_WITHIN_S, ExecutionEndpoints
from supplier_returns.execution.sources import ExecutionSources
from supplier_returns.health.endpoints import HealthEndpoints
from supplier_returns.metadata.endpoints import MetadataEndpoints
from supplier_returns.pasting.reading import MAX_PASTE_BYTES
from supplier_returns.planning.change_endpoints import ChangeEndpoints
from supplier_returns.planning.endpoints import PlanningEndpoints
from supplier_returns.planning.service import PlanningService
from supplier_returns.saved_queries.errors import STORED_QUERY_ERRORS, StoredQueryOutdated
from supplier_returns.tax_documents.endpoints import TaxDocumentEndpoints
from supplier_returns.tax_documents.service import DownloadSources
from supplier_returns.web.access import SAFE_METHODS, Access
from supplier_returns.web.cookies import COOKIE
from supplier_returns.web.cors import Cors
from supplier_returns.web.erp_errors import ERP_ERRORS, WRITE_ERRORS
from supplier_returns.web.guard import Guard, OriginForbidden, caller_of, session_of
from supplier_returns.web.session_errors import SessionExpired, SessionRequired
from supplier_returns.web.static_app import create_static_app
from supplier_returns.web.welcome import show_welcome

_Errors = tuple[type[ServiceError], ...]


def guarded(endpoints: Iterable[Endpoint]) -> list[Endpoint]:
    """Add the guard's possible errors to endpoints that change something."""
    return [
        endpoint
        if endpoint.method in SAFE_METHODS
        else _with(endpoint, OriginForbidden, UnsupportedMediaType)
        for endpoint in endpoints
    ]


def with_erp_errors(
    endpoints: Iterable[Endpoint], *, on_change: _Errors = (), always: _Errors = ()
) -> list[Endpoint]:
    """Add the possible errors of ERP calls.

    Args:
        endpoints: endpoints whose handlers call the ERP.
        on_change: further errors of endpoints that change something.
        always: further errors of all endpoints.
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
        components: open components.
        answer_within_s: seconds after which a running execution is answered with 202.
    """
    settings = components.settings
    web = settings.web
    published = list_endpoints(components, answer_within_s=answer_within_s)
    if settings.installation.docs_published:
        # The documentation lists only endpoints that were added before it.
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
    """Apply the configured limit to larger limits of an endpoint, except that of a paste."""
    own = endpoint.max_body_bytes
    if own is None or own == MAX_PASTE_BYTES:
        return endpoint
    return attrs.evolve(endpoint, max_body_bytes=min(own, configured))


def list_endpoints(components: Components, *, answer_within_s: float = ANSWER_WITHIN_S) -> list[Endpoint]:
    """Return every endpoint except those of the API documentation."""
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
    open_planning, is_running = partial(_planning_of, components), components.execution.is_running
    planning = PlanningEndpoints(open_planning, components.computing, components.planning_rules, is_running)
    changes = ChangeEndpoints(open_planning, is_running)
    execution = ExecutionEndpoints(
        components.execution, partial(_execution_of, components), answer_within_s=answer_within_s
    )
    tax_documents = TaxDocumentEndpoints(components.tax_documents, partial(_download_of, components))
    return guarded(
        [
            *_under("Health", health.endpoints()),
            *_under("Session", auth.endpoints()),
            *_under("Metadata", with_erp_errors(metadata.endpoints(), on_change=(StoredQueryOutdated,))),
            *_under("Catalogues", with_erp_errors(catalogues.endpoints())),
            *_under("Planning", with_erp_errors(planning.endpoints(), on_change=STORED_QUERY_ERRORS)),
            *_under("Planning", with_erp_errors(changes.endpoints(), always=STORED_QUERY_ERRORS)),
            *_under("Execution", with_erp_errors(execution.endpoints(), on_change=STORED_QUERY_ERRORS)),
            *_under("Tax documents", with_erp_errors(tax_documents.endpoints())),
        ]
    )


def _under(tag: str, endpoints: list[Endpoint]) -> list[Endpoint]:
    """Put the endpoints of a feature into a section of the API documentation."""
    return [attrs.evolve(endpoint, tag=tag) for endpoint in endpoints]


def _planning_of(components: Components, request: Request) -> PlanningService:
    """Return the planning service for the signed-in user of a request."""
    return components.planning_service(session_of(request), caller_of(request))


def _execution_of(components: Components, request: Request) -> ExecutionSources:
    """Return the signed-in user's access for an execution, which may outlive its request."""
    # The execution continues after its client disconnects, so its calls must not be cancelled.
    caller = attrs.evolve(caller_of(request), disconnected=None)
    ip = request_facts(request.scope).client_ip
    return components.execution_sources(session_of(request), caller, ip=ip)


def _download_of(components: Components, request: Request) -> DownloadSources:
    """Return the signed-in user's access for a download of tax documents."""
    return components.download_sources(session_of(request), caller_of(request))


def api_info() -> ApiInfo:
    """Return the general parts of the API documentation."""
    return ApiInfo(
        title="Supplier returns",
        version=VERSION,
        description="Plans and executes returns to suppliers in SAP Business One, as the signed-in ERP user.",
        security=lambda endpoint: None if endpoint.access is Access.PUBLIC else _SESSION,
        access_note=lambda endpoint: endpoint.access.value if isinstance(endpoint.access, Access) else "",
        vocabulary=EXAMPLE_VALUES,
    )
