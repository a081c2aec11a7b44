"""Failed logins in the store: a copy of the counts in memory, and requests to lift blocks.

They are stored whether or not sessions survive a restart, so that a command in another process can list the
blocks. The command cannot change the counts in memory. It stores a request, and this process carries it out
within a second.
"""

from collections.abc import Iterable
from datetime import timedelta

import structlog
from attrs import define, field

from erp_gateway.audit.store import AuditedChange
from erp_gateway.people.auth.persistence import rows
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.statements import Statements
from servicekit.clock import Clock
from servicekit.tasks import finish
from servicekit.throttle import BlockScope, Failures, LoginThrottle

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class FailurePersister:
    """Writes the counts of failed logins, and carries out requests to lift blocks.

    Args:
        database: the store.
        throttle: the failed logins in memory, which are authoritative.
        clock: its wall clock is written.
    """

    _database: Database
    _throttle: LoginThrottle
    _clock: Clock
    _unsaved: set[tuple[BlockScope, str]] = field(init=False, factory=set)
    _last_version: int | None = field(init=False, default=None)

    def restore(self, failures: Iterable[Failures]) -> None:
        """Continue with the counts of an earlier process."""
        self._throttle.restore(failures)

    def build_save(self, failures: Iterable[Failures]) -> AuditedChange:
        """Return the change that stores the current counts of these failed logins."""
        now, current = self._clock.now(), tuple(failures)
        self._unsaved |= {(each.scope, each.key) for each in current}

        def save(statements: Statements) -> bool:
            rows.save_failures(statements, current, now)
            return True

        return save

    def mark_saved(self, failures: Iterable[Failures]) -> None:
        """Record that `build_save` is committed."""
        self._unsaved -= {(each.scope, each.key) for each in failures}

    async def write_behind(self) -> None:
        """Write counts that the store did not take, and delete those that no longer count.

        Raises:
            StoreUnavailable: the store refused; the next call tries again.
        """
        now, failures = self._clock.now(), self._throttle.failures(self._unsaved)
        window = timedelta(seconds=self._throttle.window_s)

        def write(statements: Statements) -> None:
            rows.save_failures(statements, failures, now)
            rows.delete_failures_before(statements, now - window)

        await self._database.write(write)
        self.mark_saved(failures)

    async def lift_requested_blocks(self) -> None:
        """Lift the blocks that a command requested. Cheap if no other process has written.

        Raises:
            StoreUnavailable: the next call tries again.
        """
        version = await self._database.data_version()
        if version == self._last_version:
            return
        requested = rows.parse_lifts(await self._database.read(rows.SELECT_LIFTS))
        if requested:
            for scope, key in requested:
                self._throttle.lift(scope, key)
            now, failures = self._clock.now(), self._throttle.failures(requested)

            def write(statements: Statements) -> None:
                rows.save_failures(statements, failures, now)
                rows.delete_lifts(statements, requested)

            await self._database.write(write)
        self._last_version = version

    async def close(self) -> None:
        """Write everything once more; counts that the store refuses are lost."""
        try:
            await finish(self.write_behind())
        except StoreUnavailable as error:
            _log.warning("failed_logins_not_written", reason=str(error.__cause__ or error))

    async def forget_all(self) -> None:
        """Delete the stored counts of an earlier process.

        Raises:
            StoreUnavailable: the store refused.
        """
        await self._database.write(rows.delete_all_failures)
