"""One rebuild at a time, which goes on when its browser leaves."""

import asyncio
from collections.abc import AsyncIterator, Callable

import msgspec
import structlog

from erpclient import Caller, ErpError
from servicekit.errors import ServiceError
from supplier_returns.metadata.comparison import Installed
from supplier_returns.metadata.definitions import Definitions
from supplier_returns.metadata.errors import RebuildInProgress, superuser_needed
from supplier_returns.metadata.inspection import inspect
from supplier_returns.metadata.rebuild import Progress, Rebuild, RebuildResult, service_error_of
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.web.session import SessionExpired, SessionSource, WebSession

_log = structlog.get_logger(__name__)


class RebuildRun:
    """A rebuild that runs or has run; any number of listeners may follow it or leave."""

    def __init__(self, work: Callable[[Callable[[Progress], None]], asyncio.Task[RebuildResult]]) -> None:
        self._seen: list[Progress] = []
        self._news = asyncio.Event()
        self._task = work(self._tell)
        self._task.add_done_callback(lambda _: self._wake())

    async def result(self) -> RebuildResult:
        """Wait for the end; leaving does not stop it.

        Raises:
            ServiceError: what kept it from ending well.
        """
        return await asyncio.shield(self._task)

    async def progress(self, *, quiet_s: float) -> AsyncIterator[Progress | None]:
        """Yield each step's outcome from the first one on, and None after so many seconds without any."""
        position = 0
        while True:
            while position < len(self._seen):
                yield self._seen[position]
                position += 1
            if self._task.done():
                return
            news = self._news
            try:
                async with asyncio.timeout(quiet_s):
                    await news.wait()
            except TimeoutError:
                yield None

    def _tell(self, progress: Progress) -> None:
        self._seen.append(progress)
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


class MetadataService:
    """Says what the ERP has, and brings it in order. One for the whole process.

    Args:
        needed: what there should be.
        rebuild: does the steps.
        queries: keeps the stored queries.
        sessions: told when the ERP no longer knows a person's session while a rebuild runs in it.
    """

    def __init__(
        self, needed: Definitions, rebuild: Rebuild, queries: QueryInstaller, sessions: SessionSource
    ) -> None:
        self.needed = needed
        self._rebuild = rebuild
        self._queries = queries
        self._sessions = sessions
        self._running: asyncio.Task[RebuildResult] | None = None

    async def status(self, session: WebSession, caller: Caller) -> Installed:
        """Ask the ERP what it has.

        Raises:
            ErpForbidden: this user may not ask for it.
            ErpError: it could not be asked.
        """
        with superuser_needed():
            return await inspect(self.needed, session.erp, caller, self._queries)

    def start(self, session: WebSession, caller: Caller, *, simulate: bool) -> RebuildRun:
        """Begin a rebuild in this person's ERP session, which it keeps open until it ends.

        Raises:
            RebuildInProgress: another one runs.
        """
        if self._running is not None and not self._running.done():
            raise RebuildInProgress

        def work(tell: Callable[[Progress], None]) -> asyncio.Task[RebuildResult]:
            self._running = asyncio.create_task(self._run(session, caller, tell, simulate=simulate))
            self._running.add_done_callback(_take_note)
            return self._running

        return RebuildRun(work)

    async def _run(
        self, session: WebSession, caller: Caller, tell: Callable[[Progress], None], *, simulate: bool
    ) -> RebuildResult:
        with session.held() as erp:
            try:
                with superuser_needed():
                    return await self._rebuild.run(erp, caller, tell, simulate=simulate)
            except (ErpError, ServiceError, msgspec.DecodeError) as error:
                answer = service_error_of(error)
                if isinstance(answer, SessionExpired):
                    self._sessions.end(session)
                raise answer from error


def _take_note(task: asyncio.Task[RebuildResult]) -> None:
    """Log a failure here: nobody may be left to hear of it."""
    if task.cancelled():
        return
    error = task.exception()
    if error is not None:
        _log.warning("metadata_rebuild_failed", code=getattr(error, "code", None), reason=str(error))
