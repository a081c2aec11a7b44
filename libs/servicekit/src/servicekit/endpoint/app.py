"""From endpoints to an ASGI application."""

from collections.abc import Sequence

import attrs
from starlette.types import ASGIApp

from servicekit.config.parsers import Network
from servicekit.endpoint.declare import Endpoint, Guard
from servicekit.metrics import HttpMetrics


@attrs.frozen(kw_only=True)
class AppSettings:
    """What the service's settings say about every request."""

    trusted_proxies: tuple[Network, ...] = ()
    max_body_bytes: int = 1024 * 1024
    body_timeout_s: float = 30.0


def create_app(
    endpoints: Sequence[Endpoint],
    *,
    guard: Guard,
    settings: AppSettings,
    metrics: HttpMetrics | None = None,
    fallback: ASGIApp | None = None,
) -> ASGIApp:
    """Build the application: routing by the still encoded path, the guard, limits, errors, the log line.

    Args:
        endpoints: Every endpoint; two on the same method and path are refused.
        guard: Called once for each endpoint, at once.
        settings: Limits and trusted proxies.
        metrics: Where requests are counted.
        fallback: Answers the paths that no endpoint has (static files), instead of 404.

    Raises:
        ValueError: Two endpoints claim the same method and path, or a template is malformed.
    """
    raise NotImplementedError
