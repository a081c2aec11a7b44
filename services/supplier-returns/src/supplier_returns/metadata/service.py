"""Use cases of the metadata: show the ERP's definitions, and rebuild them."""

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
"""Name of the right in the ERP's window of users. Only superusers may define tables, fields and objects."""


RebuildRun = FollowedTask[Progress, RebuildResult]
"""Running or finished rebuild."""


def superuser_needed() -> AbstractContextManager[None]:
    """Return a context that names the missing right if the ERP refuses access to definitions."""
    task = "ver y crear las tablas, los campos y el objeto de esta aplicación"
    return needing_right(_SUPERUSER, task=task)


@define(eq=False, repr=False)
class MetadataService:
    """Shows and rebuilds the ERP's definitions. The process has one instance.

    Args:
        needed: required definitions.
        rebuild: performs the steps.
        queries: installs the stored queries.
        sessions: store that removes a session if the ERP ends it during a rebuild.
    """

    needed: Definitions
    _rebuild: Rebuild
    _queries: QueryInstaller
    _sessions: WebSessionStore
    _running: RebuildRun | None = field(init=False, default=None)

    async def status(self, session: WebSession, caller: Caller) -> Installed:
        """Read the ERP's definitions.

        Raises:
            ErpForbidden: the user has no right to the definitions.
            ErpError: the request failed.
        """
        with superuser_needed():
            return await inspect(self.needed, session.erp, caller, self._queries)

    def start(self, session: WebSession, caller: Caller, *, simulate: bool) -> RebuildRun:
        """Start a rebuild in this user's ERP session, which stays open until the end.

        Raises:
            RebuildInProgress: another rebuild is running.
        """
        if self._running is not None and not self._running.is_done:
            raise RebuildInProgress

        # One rebuild at a time for the whole process: metadata changes must run one after another.
        self._running = FollowedTask(partial(self._run, session, caller, simulate=simulate))
        return self._running

    async def _run(
        self, session: WebSession, caller: Caller, report: Callable[[Progress], None], *, simulate: bool
    ) -> RebuildResult:
        try:
            with session.in_use() as erp, erp_read(), superuser_needed():
                return await self._rebuild.run(erp, caller, report, simulate=simulate)
        except Exception as error:
            if isinstance(error, SessionExpired):
                self._sessions.end(session)
            code = error.code if isinstance(error, ServiceError) else None
            _log.warning("metadata_rebuild_failed", code=code, reason=str(error))
            raise
