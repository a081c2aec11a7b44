"""Wait for the lock, check it while it is ours, and release it."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final

import structlog
from attrs import define, field
from typing_extensions import override

from erp_gateway.settings.root import Settings
from erp_gateway.store.errors import StoreNotUsable
from erp_gateway.store.places import PostgresPlace
from erp_gateway.store.serving_lock import LockServerAway, LockServerDown, ServingLock, Taken
from erp_gateway.store.standby.lease import LeaseState, Tenure, TenureRules
from erpclient import ErpClient, ErpError
from servicekit.clock import Clock, SystemClock
from servicekit.server.process import signals

POLL_S = 0.1
"""Interval between a waiting process's attempts to acquire the lock."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class LockWatch:
    """Decides whether this process serves; use `open_watch`.

    Args:
        lock: the lock.
        clock: its monotonic side must include the time in which the machine was suspended.
        rules: time limits.
        sleep: waits the given seconds.

    Attributes:
        lost: set once the lock is lost; then no request is sent any more, and the process must end.
    """

    _lock: ServingLock
    _clock: Clock
    _rules: TenureRules = field(factory=TenureRules, kw_only=True)
    _sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep, kw_only=True)
    _tenure: Tenure = field(init=False)
    _is_away: bool = field(default=False, init=False)
    _check_lock: asyncio.Lock = field(factory=asyncio.Lock, init=False)
    lost: asyncio.Event = field(factory=asyncio.Event, init=False)

    def __attrs_post_init__(self) -> None:
        self._tenure = Tenure(rules=self._rules)

    @property
    def state(self) -> LeaseState:
        """State of this process."""
        return self._tenure.state

    async def wait_for_lock(self) -> None:
        """Return once the lock is ours and no other process can still be sending."""
        _log.info("standby")
        while True:
            requested_at_s = self._clock.monotonic()
            acquired = await self._try_take()
            if acquired is not None and not acquired.was_released:
                await self._sleep(self._rules.pause_s)
                requested_at_s = self._clock.monotonic()
                if not await self._is_still_ours():
                    acquired = None
            if acquired is not None:
                self._tenure = self._tenure.acquired(requested_at_s)
                _log.info("lock_taken", was_released=acquired.was_released)
                return
            await self._sleep(POLL_S)

    async def watch(self) -> None:
        """Check the lock at each heartbeat until it is lost."""
        while not self.lost.is_set():
            await self._sleep(self._rules.heartbeat_s)
            await self._check()

    async def may_send(self) -> bool:
        """Return True if a request to the ERP may be sent now; check the lock first if needed."""
        if self._tenure.may_send(self._clock.monotonic()):
            return True
        if self.state is LeaseState.SERVING:
            await self._check()
        return self._tenure.may_send(self._clock.monotonic())

    async def release(self) -> None:
        """Release the lock if it is ours."""
        if self.state is LeaseState.SERVING:
            await self._lock.release()
            _log.info("lock_released")

    async def _try_take(self) -> Taken | None:
        try:
            acquired = await self._lock.take()
        except LockServerAway as error:
            if not self._is_away:
                _log.warning("lock_server_away", reason=str(error))
            self._is_away = True
            return None
        self._is_away = False
        return acquired

    async def _is_still_ours(self) -> bool:
        """Check after the pause that the lock was ours all the time."""
        try:
            return await self._lock.keeps()
        except LockServerAway:
            return False

    async def _check(self) -> None:
        arrived_at_s = self._clock.monotonic()
        async with self._check_lock:
            if self.state is not LeaseState.SERVING or self._tenure.exclusive_at_s > arrived_at_s:
                return  # another task has checked in the meantime
            requested_at_s = self._clock.monotonic()
            try:
                is_ours = await self._lock.confirm()
            except LockServerAway as error:
                _log.warning("lock_server_away", reason=str(error))
                self._tenure = self._tenure.unreachable(
                    requested_at_s, self._clock.monotonic(), is_down=isinstance(error, LockServerDown)
                )
            else:
                tenure = self._tenure
                self._tenure = tenure.confirmed(requested_at_s) if is_ours else tenure.denied()
            if self._tenure.state is LeaseState.LOST:
                _log.critical("lock_lost")
                self.lost.set()


@asynccontextmanager
async def watching(watch: LockWatch) -> AsyncIterator[None]:
    """Check a lock that is ours while the block runs, and release it at the very end."""
    task = asyncio.create_task(watch.watch(), name="lock-watch")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await watch.release()


LOGIN_S: Final = 1.0
"""Longest wait of the port for the first login; after that, the first request logs in."""


class SleeplessClock(SystemClock):
    """System clock whose monotonic seconds include the time in which the machine was suspended, if available.

    Attributes:
        counted: the operating system's clock that is read.
    """

    counted: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)

    @override
    def monotonic(self) -> float:
        """See `Clock.monotonic`."""
        return time.clock_gettime(self.counted)


@asynccontextmanager
async def open_watch(settings: Settings) -> AsyncIterator[LockWatch]:
    """Open the lock's connection; the lock is not requested yet.

    Raises:
        StoreNotUsable: the store is not a PostgreSQL database.
    """
    from erp_gateway.store.postgresql.watched_lock import open_postgres_lock  # noqa: PLC0415 - only for PostgreSQL

    if settings.store.url is None:
        raise StoreNotUsable("STANDBY needs STORE_URL")
    async with open_postgres_lock(PostgresPlace(settings.store.url)) as lock:
        yield LockWatch(lock, SleeplessClock(), rules=TenureRules(grace_s=settings.store.lock_grace_s))


async def until_signal(work: Coroutine[Any, Any, None]) -> bool:
    """Do the work unless SIGTERM or SIGINT comes first; return True if it was done."""
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
    """Log in to the ERP before the first request; an unreachable ERP does not matter yet."""
    try:
        async with asyncio.timeout(LOGIN_S):
            await client.log_in()
    except (ErpError, TimeoutError) as error:
        _log.warning("early_login_failed", error=type(error).__name__)
