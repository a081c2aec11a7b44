"""The use cases: show what the ERP has of our definitions, and rebuild them."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

import structlog
from attrs import define, field

from erpclient import Caller
from servicekit.errors import ServiceError
from servicekit.tasks import FollowedTask
from supplier_returns.metadata.definitions import Definitions
from supplier_returns.metadata.errors import RebuildInProgress
from supplier_returns.metadata.inspection import inspect
from supplier_returns.metadata.installed import Installed
from supplier_returns.metadata.rebuild import Progress, Rebuild, RebuildResult
from supplier_returns.saved_queries.installer import QueryInstaller
from supplier_returns.web.error_map import erp_read
from supplier_returns.web.rights import needing_right
from supplier_returns.web.session import WebSession
from supplier_returns.web.session_errors import SessionExpired
from supplier_returns.web.session_store import WebSessionStore

_log = structlog.get_logger(__name__)

_SUPERUSER: Final = "Superusuario"
"""What the ERP's window of users calls it; nobody else may define tables, fields and objects."""


RebuildRun = FollowedTask[Progress, RebuildResult]
"""A rebuild that runs or has run."""


def superuser_needed() -> AbstractContextManager[None]:
    """Name what the user lacks where the ERP does not let them see or change definitions."""
    task = "ver y crear las tablas, los campos y el objeto de esta aplicación"
    return needing_right(_SUPERUSER, task=task)


@define(eq=False, repr=False)
class MetadataService:
    """Says what the ERP has, and brings it in order. One for the whole process.

    Args:
        needed: what there should be.
        rebuild: does the steps.
        queries: keeps the stored queries.
        sessions: told when the ERP no longer knows a person's session while a rebuild runs in it.
    """

    needed: Definitions
    _rebuild: Rebuild
    _queries: QueryInstaller
    _sessions: WebSessionStore
    _running: RebuildRun | None = field(init=False, default=None)

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
        if self._running is not None and not self._running.is_done:
            raise RebuildInProgress

        self._running = FollowedTask(partial(self._run, session, caller, simulate=simulate))
        return self._running

    async def _run(
        self, session: WebSession, caller: Caller, tell: Callable[[Progress], None], *, simulate: bool
    ) -> RebuildResult:
        try:
            with session.in_use() as erp, erp_read(), superuser_needed():
                return await self._rebuild.run(erp, caller, tell, simulate=simulate)
        except Exception as error:
            if isinstance(error, SessionExpired):
                self._sessions.end(session)
            code = error.code if isinstance(error, ServiceError) else None
            _log.warning("metadata_rebuild_failed", code=code, reason=str(error))
            raise
