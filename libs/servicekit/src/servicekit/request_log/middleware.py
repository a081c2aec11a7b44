"""The one middleware around every request."""

from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.config.parsers import Network
from servicekit.metrics import HttpMetrics


class RequestMiddleware:
    """Request id, facts, security headers, error bodies, metrics and the canonical log line, in one pass."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        trusted_proxies: tuple[Network, ...] = (),
        metrics: HttpMetrics | None = None,
    ) -> None:
        raise NotImplementedError

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise NotImplementedError
