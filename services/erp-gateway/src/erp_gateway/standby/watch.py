"""Waiting for the lock, watching it while it is ours, and giving it back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import structlog

from erp_gateway.standby.tenure import Standing, Tenure, TenureRules
from erp_gateway.storage.serving_lock import LockServerAway, LockServerDown, ServingLock, Taken
from servicekit.clock import Clock

POLL_S = 0.1
"""How often a process that waits asks for the lock."""

_log = structlog.get_logger(__name__)


class LockWatch:
    """Knows whether this process serves; use `open_watch`.

    Args:
        lock: the lock.
        clock: its monotonic side is used, and has to go on while the machine sleeps.
        rules: the seconds that decide.
        sleep: waits so many seconds.
    """

    def __init__(
        self,
        lock: ServingLock,
        clock: Clock,
        *,
        rules: TenureRules | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._lock = lock
        self._clock = clock
        self._rules = rules or TenureRules()
        self._sleep = sleep
        self._tenure = Tenure(rules=self._rules)
        self._is_away = False
        self._asking = asyncio.Lock()
        self.lost = asyncio.Event()
        """Set once the lock is lost: nothing is sent any more, and the process is to end."""

    @property
    def standing(self) -> Standing:
        """What this process is."""
        return self._tenure.standing

    async def wait_for_lock(self) -> None:
        """Return once the lock is ours and nobody else can be sending any more."""
        _log.info("standby")
        while True:
            asked_at_s = self._clock.monotonic()
            taken = await self._try()
            if taken is not None and not taken.was_released:
                await self._sleep(self._rules.pause_s)
                asked_at_s = self._clock.monotonic()
                if not await self._is_still_ours():
                    taken = None
            if taken is not None:
                self._tenure = self._tenure.taken(asked_at_s)
                _log.info("lock_taken", was_released=taken.was_released)
                return
            await self._sleep(POLL_S)

    async def watch(self) -> None:
        """Ask again and again until the lock is lost."""
        while not self.lost.is_set():
            await self._sleep(self._rules.heartbeat_s)
            await self._ask()

    async def permit(self) -> bool:
        """Tell whether a call to the ERP may begin now; ask first where that is not known for sure."""
        if self._tenure.may_send(self._clock.monotonic()):
            return True
        if self.standing is Standing.SERVING:
            await self._ask()
        return self._tenure.may_send(self._clock.monotonic())

    async def release(self) -> None:
        """Give the lock back, if it is ours."""
        if self.standing is Standing.SERVING:
            await self._lock.release()
            _log.info("lock_released")

    async def _try(self) -> Taken | None:
        try:
            taken = await self._lock.take()
        except LockServerAway as error:
            if not self._is_away:
                _log.warning("lock_server_away", reason=str(error))
            self._is_away = True
            return None
        self._is_away = False
        return taken

    async def _is_still_ours(self) -> bool:
        """Ask after the pause: it counts only if the lock was ours all the time."""
        try:
            return await self._lock.keeps()
        except LockServerAway:
            return False

    async def _ask(self) -> None:
        came_at_s = self._clock.monotonic()
        async with self._asking:
            if self.standing is not Standing.SERVING or self._tenure.safe_from_s > came_at_s:
                return  # somebody else has asked meanwhile
            asked_at_s = self._clock.monotonic()
            try:
                is_ours = await self._lock.confirm()
            except LockServerAway as error:
                _log.warning("lock_server_away", reason=str(error))
                self._tenure = self._tenure.away(
                    asked_at_s, self._clock.monotonic(), is_down=isinstance(error, LockServerDown)
                )
            else:
                tenure = self._tenure
                self._tenure = tenure.confirmed(asked_at_s) if is_ours else tenure.denied()
            if self._tenure.standing is Standing.LOST:
                _log.critical("lock_lost")
                self.lost.set()


@asynccontextmanager
async def watching(watch: LockWatch) -> AsyncIterator[None]:
    """Watch a lock that is ours while the block runs, and give it back on leaving, as the last thing."""
    task = asyncio.create_task(watch.watch(), name="lock-watch")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await watch.release()
