"""A process that waits to serve: its lock, its signals, its first login."""

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
from typing_extensions import override

from erp_gateway.settings.whole import Settings
from erp_gateway.standby.tenure import TenureRules
from erp_gateway.standby.watch import LockWatch
from erp_gateway.storage.errors import StoreNotUsable
from erp_gateway.storage.places import PostgresPlace
from erpclient import ErpClient, ErpError
from servicekit.clock import SystemClock
from servicekit.server.process import signals

LOGIN_S: Final = 1.0
"""How long the port waits for the first login; later it comes with the first request."""

_log = structlog.get_logger(__name__)


class SleeplessClock(SystemClock):
    """The machine's own clock; its monotonic seconds go on while it is suspended, where it counts that.

    Attributes:
        counted: which of the system's clocks is read.
    """

    counted: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

    @override
    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return time.clock_gettime(self.counted)


@asynccontextmanager
async def open_watch(settings: Settings) -> AsyncIterator[LockWatch]:
    """Open the lock's connection; nothing is asked for yet.

    Raises:
        StoreNotUsable: the store is no database of PostgreSQL.
    """
    from erp_gateway.storage.postgresql.watched_lock import open_postgres_lock  # noqa: PLC0415 - needed here alone

    if settings.store.url is None:
        raise StoreNotUsable("STANDBY needs STORE_URL")
    async with open_postgres_lock(PostgresPlace(settings.store.url)) as lock:
        yield LockWatch(lock, SleeplessClock(), rules=TenureRules(grace_s=settings.store.lock_grace_s))


async def until_signal(work: Coroutine[Any, Any, None]) -> bool:
    """Do the work, unless SIGTERM or SIGINT comes first; tell whether it was done."""
    first, second = asyncio.Event(), asyncio.Event()
    with signals(first, second):
        working, signalled = asyncio.ensure_future(work), asyncio.ensure_future(first.wait())
        try:
            await asyncio.wait({working, signalled}, return_when=asyncio.FIRST_COMPLETED)
            if working.done() and not signalled.done():
                await working
                return True
            return False
        finally:
            for task in (working, signalled):
                task.cancel()
            await asyncio.gather(working, signalled, return_exceptions=True)


async def log_in_early(client: ErpClient) -> None:
    """Log in to the ERP before anybody asks for something; an ERP that is away does not matter yet."""
    try:
        async with asyncio.timeout(LOGIN_S):
            await client.log_in()
    except (ErpError, TimeoutError) as error:
        _log.warning("early_login_failed", error=type(error).__name__)
