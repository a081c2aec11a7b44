"""The composition root: settings, logs, components, application, server."""

import structlog

from servicekit.config import secrets_of
from servicekit.logs import configure_logging
from servicekit.metrics import serve_metrics
from servicekit.server import ServerSettings, serve
from supplier_returns.app import create_app
from supplier_returns.components import open_components
from supplier_returns.settings import Settings


async def main(settings: Settings) -> int:
    """Serve until a signal ends it.

    Returns:
        the exit code: 0 after an orderly end, 1 when it could not start.
    """
    configure_logging(settings.logging.as_log_settings(), secrets=secrets_of(settings))
    web = settings.web
    try:
        async with (
            open_components(settings) as components,
            serve_metrics(components.metrics_registry, host=web.host, port=web.metrics_port),
        ):
            await serve(
                create_app(components),
                ServerSettings(host=web.host, port=web.port, shutdown_grace_s=settings.shutdown_grace_s),
                drain=components.sessions.drain,
            )
    except OSError as error:
        structlog.get_logger(__name__).critical("start_failed", reason=str(error))
        return 1
    return 0
