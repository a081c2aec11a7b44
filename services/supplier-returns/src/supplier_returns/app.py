"""From components to the ASGI application: every endpoint behind the guard, and the API's description."""

from typing import Final

from starlette.types import ASGIApp

import servicekit.endpoint
from servicekit.endpoint import AppSettings, Endpoint
from servicekit.openapi import ApiInfo, SecurityScheme, with_documentation
from supplier_returns.auth.endpoints import AuthEndpoints
from supplier_returns.catalogues.endpoints import CatalogueEndpoints
from supplier_returns.components import VERSION, Components
from supplier_returns.health.endpoints import HealthEndpoints
from supplier_returns.metadata.endpoints import MetadataEndpoints
from supplier_returns.web.access import Access, Guard
from supplier_returns.web.cookies import COOKIE
from supplier_returns.web.cors import Cors
from supplier_returns.web.session import SessionExpired, SessionRequired

_SESSION: Final = SecurityScheme(
    name="session",
    scheme={"type": "apiKey", "in": "cookie", "name": COOKIE, "description": "From `POST /api/auth/login`"},
    errors=(SessionRequired, SessionExpired),
)


def create_app(components: Components) -> ASGIApp:
    """Build the application. Configure logging first."""
    settings = components.settings
    web = settings.web
    published = list_endpoints(components)
    if settings.installation.docs_published:
        published = with_documentation(published, api_info(), access=Access.SESSION)
    app = servicekit.endpoint.create_app(
        published,
        guard=Guard(components.sessions, web.web_origin),
        settings=AppSettings(trusted_proxies=web.trusted_proxies, max_body_bytes=web.max_body_bytes),
        metrics=components.http_metrics,
    )
    return app if web.web_origin is None else Cors(app, web.web_origin)


def list_endpoints(components: Components) -> list[Endpoint]:
    """Return every endpoint but the two that publish the API's description."""
    return [
        *HealthEndpoints(VERSION).endpoints(),
        *AuthEndpoints(
            login=components.login,
            sessions=components.sessions,
            cookie=components.cookie,
            clock=components.clock,
            company_db=components.settings.service_layer.company_db,
            version=VERSION,
        ).endpoints(),
        *MetadataEndpoints(components.metadata).endpoints(),
        *CatalogueEndpoints(
            components.catalogues, max_lines=components.settings.returns.max_lines_per_document
        ).endpoints(),
    ]


def api_info() -> ApiInfo:
    """Return what the API's description says beside the endpoints."""
    return ApiInfo(
        title="Supplier returns",
        version=VERSION,
        description="Plans and executes returns to suppliers in SAP Business One, as the signed-in ERP user.",
        security=lambda endpoint: None if endpoint.access is Access.PUBLIC else _SESSION,
        access_note=lambda endpoint: endpoint.access.value if isinstance(endpoint.access, Access) else "",
    )
