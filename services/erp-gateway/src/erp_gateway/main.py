"""The composition root: settings, logs, components, application, server."""

import json
import os
import sys
from tempfile import TemporaryDirectory

import structlog

from erp_gateway.app import api_info, create_app, list_endpoints
from erp_gateway.components import open_components
from erp_gateway.extensions import ExtensionError
from erp_gateway.settings import Settings, load_settings
from erp_gateway.storage.errors import StoreNotUsable
from servicekit.config import secrets_of
from servicekit.logs import LogSettings, configure_logging
from servicekit.metrics import LogMetrics
from servicekit.openapi import build_document
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


async def describe(server: str) -> str:
    """Return the API's description as JSON, made of the endpoints of a service with the fewest settings.

    It needs no configuration, and nothing is sent to anybody.

    Args:
        server: what the paths begin with for a client.
    """
    configure_logging(LogSettings(level="CRITICAL"), stream=sys.stderr)
    with TemporaryDirectory() as folder:
        settings = load_settings(
            {
                "CONFIG_FILE": os.devnull,
                "ENVIRONMENT": "test",
                "ERP_SL_URL": "https://erp.invalid/b1s/v1",
                "ERP_SL_COMPANY_DB": "COMPANY",
                "ERP_SL_USER": "user",
                "ERP_SL_PASSWORD": "password",
                "SQLITE_PATH": f"{folder}/app.sqlite",
            }
        )
        async with open_components(settings) as components:
            document = build_document(list_endpoints(components), api_info(), server=server)
    return json.dumps(document, ensure_ascii=False, indent=1)
