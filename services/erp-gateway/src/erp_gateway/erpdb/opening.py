"""Opens the module: the configured engine and what stands on it, or the stand-in of an unconfigured one."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from attrs import field, frozen

from erp_gateway.erpdb.engines.engine import Engine
from erp_gateway.erpdb.engines.hana import HanaAddress, HanaEngine, load_driver
from erp_gateway.erpdb.engines.sqlite import SqliteEngine
from erp_gateway.erpdb.memory import QueryMemory
from erp_gateway.erpdb.registry import MAX_ROWS, Query, QueryRegistry
from erp_gateway.erpdb.runner import (
    DatabaseReader,
    QueryRunner,
    RegisteredQueryRunner,
    UnconfiguredQueryRunner,
)
from erp_gateway.erpdb.user_fields.cache import UnconfiguredUserFields, UserFieldCache, UserFields
from erp_gateway.erpdb.user_fields.definitions import UserFieldSource
from erp_gateway.observed_queue import QueueObserver
from erp_gateway.settings.modules import ErpDatabase as ErpDatabaseSettings
from servicekit.clock import Clock, SystemClock


@frozen(kw_only=True)
class ErpDatabase:
    """The open module.

    Attributes:
        runner: runs registered queries; `html_reports` builds its data with it.
        user_fields: definitions of user-defined fields.
        memory: keeps answers of queries that allow it.
        max_rows: most rows of any answer.
        today: tells the day in the installation's time zone.
    """

    runner: QueryRunner = field(factory=UnconfiguredQueryRunner)
    user_fields: UserFields = field(factory=UnconfiguredUserFields)
    memory: QueryMemory = field(factory=lambda: QueryMemory(SystemClock()))
    max_rows: int = MAX_ROWS
    today: Callable[[], date]
    _reader: DatabaseReader | None = field(default=None, alias="reader")

    def row_cap(self, query: Query) -> int:
        """Return how many rows a query answers at most."""
        return min(query.max_rows or self.max_rows, self.max_rows)

    def drain(self) -> None:
        """Let all queries that wait for their turn fail at once; what runs goes on."""
        if self._reader is not None:
            self._reader.drain()


@asynccontextmanager
async def open_erp_database(
    settings: ErpDatabaseSettings | None,
    registry: QueryRegistry,
    clock: Clock,
    observer: QueueObserver | None = None,
    *,
    timezone: ZoneInfo,
) -> AsyncIterator[ErpDatabase]:
    """Open the module; on leaving, cancel what still runs and wait for it.

    Nothing is sent to the database before the first query needs it.

    Args:
        settings: the engine; None for a module whose every use raises `NotConfigured`.
        registry: the queries.
        clock: time, for the cache of user-defined fields, and for days that move.
        observer: is told of every read.
        timezone: whose days.

    Raises:
        QueryRegistryError: a query has no SQL for the configured engine.
    """

    def today() -> date:
        return clock.now().astimezone(timezone).date()

    if settings is None:
        yield ErpDatabase(today=today)
        return
    registry.statements(settings.engine)  # faults come before anything is opened
    async with AsyncExitStack() as stack:
        reader = DatabaseReader(
            open_engine(settings),
            places=settings.max_concurrency,
            timeout_s=settings.timeout_s,
            max_rows=settings.max_rows,
            observer=observer,
        )
        stack.push_async_callback(reader.aclose)
        memory = QueryMemory(clock, max_bytes=settings.cache_mb * 1024 * 1024)
        stack.push_async_callback(memory.aclose)
        user_fields = UserFieldCache(UserFieldSource(reader).read, clock)
        stack.push_async_callback(user_fields.aclose)
        yield ErpDatabase(
            runner=RegisteredQueryRunner(registry, settings.engine, reader),
            user_fields=user_fields,
            memory=memory,
            max_rows=settings.max_rows,
            today=today,
            reader=reader,
        )


def open_engine(settings: ErpDatabaseSettings) -> Engine:
    """Return the configured engine. The settings have been checked: what it needs is there.

    Raises:
        ValueError: something it needs is missing all the same.
    """
    if settings.engine == "sqlite" and settings.database is not None:
        return SqliteEngine(Path(settings.database))
    return HanaEngine(hana_address(settings), load_driver())


def hana_address(settings: ErpDatabaseSettings) -> HanaAddress:
    """Return where the configured database of the engine `hana` is.

    Raises:
        ValueError: something it needs is missing.
    """
    if (
        settings.server is None
        or settings.user is None
        or settings.password is None
        or settings.schema is None
    ):
        raise ValueError(f"the settings of the engine {settings.engine} are not complete")
    return HanaAddress(
        server=settings.server,
        port=settings.port,
        database=settings.database,
        user=settings.user,
        password=settings.password,
        schema=settings.schema,
        encrypt=settings.encrypt,
        ca_file=settings.ca_file,
        tls_name=settings.tls_name,
        connect_timeout_s=settings.connect_timeout_s,
    )
