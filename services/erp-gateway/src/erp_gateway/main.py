"""The composition root: settings, logs, components, application, server."""

import structlog

from erp_gateway.app import create_app
from erp_gateway.components import open_components
from erp_gateway.extensions import ExtensionError
from erp_gateway.settings import Settings
from erp_gateway.storage.errors import StoreNotUsable
from servicekit.config import secrets_of
from servicekit.logs import configure_logging
from servicekit.metrics import LogMetrics
from servicekit.server import ServerSettings, serve
from servicekit.server.metrics_port import serve_metrics


async def main(settings: Settings) -> int:
    """Serve until a signal ends it.

    Returns:
        the exit code: 0 after an orderly end, 1 when it could not start.
    """
    output = configure_logging(settings.logging.as_log_settings(), secrets=secrets_of(settings))
    web = settings.web
    try:
        async with (
            open_components(settings, log=output) as components,
            serve_metrics(components.metrics_registry, host=web.host, port=web.metrics_port),
        ):
            LogMetrics(components.metrics_registry, output)
            await serve(
                create_app(components),
                ServerSettings(host=web.host, port=web.port, shutdown_grace_s=settings.shutdown_grace_s),
                drain=components.drain,
            )
    except (StoreNotUsable, ExtensionError, OSError) as error:
        structlog.get_logger(__name__).critical("start_failed", reason=str(error))
        return 1
    return 0
