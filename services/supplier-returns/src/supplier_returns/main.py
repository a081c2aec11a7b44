"""The composition root: settings, logs, components, application, server."""

from contextlib import AbstractAsyncContextManager, nullcontext

import structlog

from servicekit.config import secrets_of
from servicekit.logs import configure_logging
from servicekit.metrics import LogMetrics
from servicekit.server import ServerSettings, serve, serving_beside
from servicekit.server.metrics_port import serve_metrics
from supplier_returns.app import create_app
from supplier_returns.components import open_components
from supplier_returns.settings import Settings
from supplier_returns.web.certificates import CertificateError, create_server_context
from supplier_returns.web.https_redirect import create_redirect


async def main(settings: Settings) -> int:
    """Serve until a signal ends it.

    Returns:
        the exit code: 0 after an orderly end, 1 when it could not start.
    """
    output = configure_logging(settings.logging.as_log_settings(), secrets=secrets_of(settings))
    web, files = settings.web, settings.https.files
    try:
        server = ServerSettings(
            host=web.host,
            port=web.port,
            shutdown_grace_s=settings.shutdown_grace_s,
            tls=None if files is None else create_server_context(files),
        )
        async with (
            open_components(settings) as components,
            serve_metrics(components.metrics_registry, host=web.host, port=web.metrics_port),
            _redirecting(settings),
        ):
            LogMetrics(components.metrics_registry, output)
            await serve(create_app(components), server, drain=components.drain)
    except (OSError, CertificateError) as error:
        structlog.get_logger(__name__).critical("start_failed", reason=str(error))
        return 1
    return 0


def _redirecting(settings: Settings) -> AbstractAsyncContextManager[object]:
    """Answer plain HTTP with the way to HTTPS while the context is open, where that is configured."""
    port = settings.https.redirect_port
    if port is None:
        return nullcontext()
    return serving_beside(
        create_redirect(settings.web.port), ServerSettings(host=settings.web.host, port=port)
    )
