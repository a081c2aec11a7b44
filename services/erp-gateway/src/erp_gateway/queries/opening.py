"""Opening the database of the ERP: the configured engine and its client."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from pathlib import Path

from erp_gateway.queries.client import DatabaseClient
from erp_gateway.queries.engines.engine import Engine
from erp_gateway.queries.engines.hana import HanaEngine, load_driver
from erp_gateway.queries.engines.sqlite import SqliteEngine
from erp_gateway.queries.registry import QueryRegistry
from erp_gateway.settings.erp_database import ErpDatabase
from servicekit.erp.observed_queue import QueueObserver


@asynccontextmanager
async def open_erp_database(
    settings: ErpDatabase | None, registry: QueryRegistry, observer: QueueObserver | None = None
) -> AsyncIterator[DatabaseClient]:
    """Open the client. On leaving, cancel running reads and wait for them.

    It connects when the first query runs.

    Args:
        settings: the engine; None for a client whose every use raises `NotConfigured`.
        registry: the queries.
        observer: is notified of every read.

    Raises:
        RegistryError: a query has no SQL for the configured engine.
    """
    if settings is None:
        yield DatabaseClient(None, registry)
        return
    client = DatabaseClient(
        open_engine(settings),
        registry,
        places=settings.max_concurrency,
        timeout_s=settings.timeout_s,
        max_rows=settings.max_rows,
        observer=observer,
    )
    async with aclosing(client):
        yield client


def open_engine(settings: ErpDatabase) -> Engine:
    """Return the configured engine; the settings have already been checked.

    Raises:
        ValueError: a required setting is missing.
    """
    if settings.engine == "sqlite" and settings.database is not None:
        return SqliteEngine(Path(settings.database))
    return HanaEngine(settings, load_driver())
