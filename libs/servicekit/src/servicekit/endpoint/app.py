"""From endpoints to an ASGI application."""

from collections.abc import Sequence
from typing import final

import attrs
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.config.parsers import Network
from servicekit.endpoint.declare import NO_BODY_BYTES, OTHER_METHODS, Endpoint, Guard
from servicekit.endpoint.match import Match, set_match
from servicekit.endpoint.routing import Routes, Target, encoded_path
from servicekit.errors import NotFound
from servicekit.metrics import HttpMetrics
from servicekit.request_log.body import request_body
from servicekit.request_log.facts import request_facts
from servicekit.request_log.failures import RecentFailures
from servicekit.request_log.middleware import RequestMiddleware


@attrs.frozen(kw_only=True)
class AppSettings:
    """Settings that apply to every request.

    Attributes:
        trusted_proxies: proxies whose `X-Forwarded-*` headers are used.
        max_body_bytes: limit of request bodies, unless the endpoint has its own.
        body_timeout_s: longest time for a body to arrive.
        cookies_are_plain: whether cookies are set without `Secure`.
    """

    trusted_proxies: tuple[Network, ...] = ()
    max_body_bytes: int = 1024 * 1024
    body_timeout_s: float = 30.0
    cookies_are_plain: bool = False


def create_app(
    endpoints: Sequence[Endpoint],
    *,
    guard: Guard,
    settings: AppSettings,
    metrics: HttpMetrics | None = None,
    failures: RecentFailures | None = None,
    fallback: ASGIApp | None = None,
) -> ASGIApp:
    """Build the application: routing by the still encoded path, the guard, limits, errors, the log line.

    Configure logging first: the application keeps the logger that it finds.

    Args:
        endpoints: every endpoint; two on the same method and path are refused.
        guard: called once for each endpoint during creation.
        settings: limits and trusted proxies.
        metrics: counts the requests.
        failures: receives the failures.
        fallback: answers paths without an endpoint (static files), instead of 404.

    Raises:
        ValueError: two endpoints claim the same method and path, or a template is malformed.
    """
    routes = Routes()
    for endpoint in endpoints:
        routes.add(Target(endpoint, guard(endpoint)))
    return RequestMiddleware(
        _Dispatcher(routes, settings.body_timeout_s, fallback),
        trusted_proxies=settings.trusted_proxies,
        max_body_bytes=settings.max_body_bytes,
        cookies_are_plain=settings.cookies_are_plain,
        metrics=metrics,
        failures=failures,
    )


@final
class _Dispatcher:
    """Calls the endpoint of a request."""

    def __init__(self, routes: Routes, body_timeout_s: float, fallback: ASGIApp | None) -> None:
        self._routes = routes
        self._body_timeout_s = body_timeout_s
        self._fallback = fallback

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        segments = encoded_path(scope).split("/")
        route = self._routes.find(segments)
        if route is None:
            if self._fallback is None:
                raise NotFound
            await self._fallback(scope, receive, send)
            return
        facts = request_facts(scope)
        facts.route = route.template
        target = route.target(scope["method"])
        facts.is_polled = target.endpoint.is_polled
        body = request_body(scope)
        body.limit = _body_limit(target.endpoint, body.limit)
        body.check_announced()
        set_match(scope, Match(target.endpoint, segments, route.positions, self._body_timeout_s))
        response = await target.handler(Request(scope, receive, send))
        await response(scope, receive, send)


def _body_limit(endpoint: Endpoint, of_application: int) -> int:
    if endpoint.request is None and endpoint.method != OTHER_METHODS:
        return min(NO_BODY_BYTES, of_application)
    return of_application if endpoint.max_body_bytes is None else endpoint.max_body_bytes
