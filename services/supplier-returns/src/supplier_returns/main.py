"""Composition root: settings, logs, components, application, server."""

import json
import os
import ssl
import sys
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Final

import structlog

from servicekit.clock import SystemClock
from servicekit.config import find_warnings, log_warnings, secrets_of
from servicekit.logs import LogSettings, configure_logging
from servicekit.metrics import LogMetrics
from servicekit.openapi import build_document
from servicekit.server import ServerSettings, serve, serving_beside
from servicekit.server.metrics_port import serve_metrics
from servicekit.tasks import every
from supplier_returns.app import api_info, create_app, list_endpoints
from supplier_returns.certificates.files import CertificateError, CertificateFiles
from supplier_returns.components import open_components
from supplier_returns.settings.root import Settings, load_settings
from supplier_returns.web.https_redirect import create_redirect

RENEWAL_S: Final = 10.0
"""Seconds between two checks for a renewed certificate."""


async def main(settings: Settings) -> int:
    """Serve until a signal arrives.

    Returns:
        the exit code: 0 after an orderly end, 1 if the start failed.
    """
    # First of all, so that every further error is logged, without secrets.
    output = configure_logging(settings.logging.as_log_settings(), secrets=secrets_of(settings))
    log_warnings(find_warnings(settings, os.environ))
    web, files = settings.web, settings.https.files
    try:
        tls = None if files is None else _create_tls(files)
        server = ServerSettings(
            host=web.host, port=web.port, shutdown_grace_s=settings.shutdown_grace_s, tls=tls
        )
        async with (
            open_components(settings) as components,
            serve_metrics(components.metrics_registry, host=web.host, port=web.metrics_port),
            _redirecting(settings),
            _renewing(tls, files),
        ):
            LogMetrics(components.metrics_registry, output)
            await serve(create_app(components), server, drain=components.drain)
    except (OSError, CertificateError) as error:
        structlog.get_logger(__name__).critical("start_failed", reason=str(error))
        return 1
    return 0


async def describe(server: str) -> str:
    """Return the API description as JSON, from the endpoints of a service with minimal settings.

    It needs no configuration and sends no request.

    Args:
        server: prefix of the paths for a client.
    """
    configure_logging(LogSettings(level="CRITICAL"), stream=sys.stderr)
    settings = load_settings(
        {
            "CONFIG_FILE": os.devnull,
            "ENVIRONMENT": "test",
            "SL_URL": "https://erp.invalid/b1s/v2",
            "SL_COMPANY_DB": "COMPANY",
            "DB_TYPE": "HANA",
        }
    )
    async with open_components(settings) as components:
        document = build_document(list_endpoints(components), api_info(), server=server)
    return json.dumps(document, ensure_ascii=False, indent=1)


def _create_tls(files: CertificateFiles) -> ssl.SSLContext:
    from supplier_returns.certificates.serving import create_server_context  # noqa: PLC0415 - cryptography

    return create_server_context(files)


def _renewing(
    tls: ssl.SSLContext | None, files: CertificateFiles | None
) -> AbstractAsyncContextManager[None]:
    """Use a renewed certificate while the context is open."""
    if tls is None or files is None:
        return nullcontext()
    from supplier_returns.certificates.renewal import CertificateRenewal  # noqa: PLC0415 - cryptography

    return every(RENEWAL_S, "certificate_renewal", CertificateRenewal(tls, files, SystemClock()).check)


def _redirecting(settings: Settings) -> AbstractAsyncContextManager[object]:
    """Redirect plain HTTP to HTTPS while the context is open, if a port is configured."""
    port = settings.https.redirect_port
    if port is None:
        return nullcontext()
    return serving_beside(
        create_redirect(settings.web.port), ServerSettings(host=settings.web.host, port=port)
    )
