"""The composition root: settings, logs, components, application, server."""

import asyncio
import io
import json
import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from tempfile import TemporaryDirectory
from typing import Final

import structlog
from prometheus_client import CollectorRegistry

from erp_gateway.app import api_info, create_app, list_endpoints
from erp_gateway.components import Components, open_components
from erp_gateway.extensions import ExtensionError, load_extensions
from erp_gateway.settings.root import Settings, load_settings
from erp_gateway.store.errors import StoreNotUsable, StoreUnavailable
from erp_gateway.store.standby.watch import log_in_early, open_watch, until_signal, watching
from servicekit.collector import wake_collector
from servicekit.config import find_warnings, log_warnings, secrets_of
from servicekit.logs import LogOutput, LogSettings, configure_logging
from servicekit.metrics import LogMetrics, create_registry
from servicekit.openapi import build_document
from servicekit.server import ServerSettings, serve
from servicekit.server.metrics_port import serve_metrics

HANDOVER_S: Final = 0.5
"""Time for waiting requests at a stop, if a standby process takes over.

It lets most of them finish, and the time without an open port stays below a second.
"""


async def main(settings: Settings) -> int:
    """Serve until a signal; with `STANDBY`, first wait until no other process serves.

    Returns:
        the exit code: 0 after an orderly end, 1 if it could not start, or lost the lock.
    """
    output = configure_logging(settings.logging.as_log_settings(), secrets=secrets_of(settings))
    log_warnings(find_warnings(settings, os.environ))
    try:
        if settings.store.standby:
            return await _stand_by(settings, output)
        registry = create_registry()
        async with (
            open_components(settings, log=output, metrics_registry=registry) as components,
            _metrics(settings, registry),
        ):
            await _serve(settings, components, output)
    except ExtensionError as error:
        structlog.get_logger(__name__).critical("start_failed", reason=str(error), exc_info=error)
        return 1
    except (StoreNotUsable, OSError) as error:
        structlog.get_logger(__name__).critical("start_failed", reason=str(error))
        return 1
    except StoreUnavailable as error:
        structlog.get_logger(__name__).critical(
            "start_failed", reason=f"the store refused: {error.__cause__ or error}"
        )
        return 1
    return 0


async def _stand_by(settings: Settings, output: LogOutput) -> int:
    """Serve once the lock is ours. Everything is loaded and checked before, without writing to the store."""
    registry = create_registry()
    load_extensions(settings.web.extensions, engine=settings.database_engine)
    wake_collector()  # a standby may wait for days
    async with open_watch(settings) as watch, _metrics(settings, registry, lambda: watch.state.value):
        if not await until_signal(watch.wait_for_lock()):
            return 0
        async with (
            watching(watch),
            open_components(
                settings, log=output, metrics_registry=registry, may_send=watch.may_send
            ) as components,
        ):
            await log_in_early(components.client)
            await _serve(settings, components, output, stop=watch.lost, drain_after_s=HANDOVER_S)
        return 1 if watch.lost.is_set() else 0


def _metrics(
    settings: Settings, registry: CollectorRegistry, state: Callable[[], str] | None = None
) -> AbstractAsyncContextManager[int | None]:
    web = settings.web
    return serve_metrics(registry, host=web.host, port=web.metrics_port, state=state or (lambda: "serving"))


async def _serve(
    settings: Settings,
    components: Components,
    output: LogOutput,
    *,
    stop: asyncio.Event | None = None,
    drain_after_s: float = 0.0,
) -> None:
    LogMetrics(components.metrics_registry, output)
    web = settings.web
    await serve(
        create_app(components),
        ServerSettings(host=web.host, port=web.port, shutdown_grace_s=settings.shutdown_grace_s),
        drain=components.drain,
        stop=stop,
        drain_after_s=drain_after_s,
    )


async def describe(server: str) -> str:
    """Return the OpenAPI document as JSON, for a service with the fewest settings.

    It needs no configuration and sends no request.

    Args:
        server: URL prefix of all paths.
    """
    configure_logging(LogSettings(level="CRITICAL"), stream=io.StringIO())  # heads are logged at any level
    with TemporaryDirectory() as folder:
        settings = load_settings(
            {
                "CONFIG_FILE": os.devnull,
                "ENVIRONMENT": "test",
                "ERP_SL_URL": "https://erp.invalid/b1s/v2",
                "ERP_SL_COMPANY_DB": "COMPANY",
                "ERP_SL_USER": "user",
                "ERP_SL_PASSWORD": "password",
                "SQLITE_PATH": f"{folder}/app.sqlite",
            }
        )
        async with open_components(settings) as components:
            document = build_document(list_endpoints(components), api_info(), server=server)
    return json.dumps(document, ensure_ascii=False, indent=1)
