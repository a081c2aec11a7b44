"""Web sessions in the store, so that the next process can continue them.

A start and an end are written in the transaction of their audit record, before the response. Everything else
(last uses, sessions that expired, writes that failed) is written by `reconcile`, which compares the stored
rows with the sessions in memory. No request waits for it.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final
from weakref import WeakValueDictionary

import structlog
from attrs import define, field

from erp_gateway.audit.store import AuditedChange
from erp_gateway.people.auth.persistence import rows
from erp_gateway.people.auth.persistence.failures import FailurePersister
from erp_gateway.people.auth.persistence.restoring import plan_restore
from erp_gateway.people.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.statements import Statements
from erp_gateway.web.session import WebSession
from servicekit.clock import Clock
from servicekit.tasks import finish

USES_INTERVAL_S: Final = 30.0
"""Interval between writes of last uses."""

# Two times closer than this mean the same use: wall clock and monotonic clock drift apart slightly.
_SAME_USE: Final = timedelta(seconds=1)

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class SessionPersister:
    """Writes the sessions in memory to the store.

    At most one row per user is stored. It belongs to the session that is replacing an earlier one, otherwise
    to the live one. Every write checks this inside its transaction, because audit records, and the changes
    committed with them, may be written minutes after they were created.

    Args:
        database: the store.
        sessions: the sessions in memory, which are authoritative.
        failures: the failed logins, which are restored together with the sessions.
        clock: its wall clock is written.
    """

    _database: Database
    _sessions: WebSessionStore
    _failures: FailurePersister
    _clock: Clock
    # user -> digest of a session whose row is written before the session starts
    _replacing: dict[str, bytes] = field(init=False, factory=dict)
    # digest -> user of a session that has ended and may still be stored
    _unstored_ends: dict[bytes, str] = field(init=False, factory=dict)
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(init=False, factory=WeakValueDictionary)

    async def restore(self) -> None:
        """Continue the sessions of an earlier process; call it once, before the first request.

        Raises:
            StoreUnavailable: the store refused.
        """
        now = self._clock.now()
        stored = await rows.load(self._database, now)
        plan = plan_restore(
            stored.sessions,
            written_at=stored.written_at,
            now=now,
            timeout_s=self._sessions.timeout_s,
            max_age_s=self._sessions.max_age_s,
        )
        self._sessions.restore(
            (each.stored.session, each.stored.password_fingerprint, each.idle_s, each.age_s)
            for each in plan.restorable
        )
        self._failures.restore(stored.failures)
        await self.reconcile()
        log = _log.warning if plan.clock_went_back else _log.info
        log(
            "sessions_restored",
            sessions=len(plan.restorable),
            ended=plan.ended,
            clock_went_back=plan.clock_went_back,
        )

    def start_lock(self, web_user: str) -> asyncio.Lock:
        """Return the lock under which sessions of a user start one after the other."""
        return self._turns.setdefault(web_user, asyncio.Lock())

    def must_replace(self, web_user: str) -> bool:
        """Return whether the store may hold a session of the user, so that a new one is written first."""
        return self._sessions.find(web_user) is not None or web_user in self._unstored_ends.values()

    @contextmanager
    def replacing(self, opened: OpenedSession) -> Iterator[None]:
        """Give the user's row to a session that has not started yet."""
        web_user = opened.session.user.name
        self._replacing[web_user] = opened.session.token_digest
        try:
            yield
        finally:
            del self._replacing[web_user]

    def build_save(self, opened: OpenedSession) -> AuditedChange:
        """Return the change that stores a session; it does nothing if the session is over by then."""
        session = opened.session

        def save(statements: Statements) -> bool:
            if self._owns_row(session.user.name, session.token_digest):
                rows.save_session(statements, session, opened.password_fingerprint, session.signed_in_at)
            return True

        return save

    def build_delete(self, session: WebSession) -> AuditedChange:
        """Return the change that removes a session that ended."""
        self._unstored_ends[session.token_digest] = session.user.name

        def delete(statements: Statements) -> bool:
            rows.delete_session(statements, session.token_digest)
            return True

        return delete

    def mark_deleted(self, session: WebSession) -> None:
        """Record that `build_delete` is committed."""
        self._unstored_ends.pop(session.token_digest, None)

    async def retry_end(self, web_user: str) -> bool:
        """Write the end of a user's session if it may not be stored; return whether that was so.

        Raises:
            StoreUnavailable: the store refused again.
        """
        if web_user not in self._unstored_ends.values():
            return False
        await self.reconcile()
        return True

    async def reconcile(self) -> None:
        """Make the stored rows equal to the sessions in memory.

        Raises:
            StoreUnavailable: the store refused; the next call tries again.
        """
        now, uses, ends = self._clock.now(), self._sessions.uses(), tuple(self._unstored_ends)

        def write(statements: Statements) -> None:
            stored = rows.select_uses(statements)
            for digest, (web_user, used_at) in stored.items():
                if not self._owns_row(web_user, digest):
                    rows.delete_session(statements, digest)
                elif abs(uses.get(digest, used_at) - used_at) >= _SAME_USE:
                    rows.set_used(statements, digest, uses[digest])
            for digest in uses.keys() - stored.keys():
                self._save_missing(statements, digest)
            rows.set_written(statements, now)

        await self._database.write(write)
        for digest in ends:
            self._unstored_ends.pop(digest, None)

    async def close(self) -> None:
        """Write everything once more; what the store refuses is lost."""
        try:
            await finish(self.reconcile())
        except StoreUnavailable as error:
            _log.warning("sessions_not_written", reason=str(error.__cause__ or error))

    def _save_missing(self, statements: Statements, digest: bytes) -> None:
        live = self._sessions.look_up(digest)
        if live is not None and self._owns_row(live.session.user.name, digest):
            rows.save_session(statements, live.session, live.password_fingerprint, live.used_at)

    def _owns_row(self, web_user: str, digest: bytes) -> bool:
        """Return whether the user's row belongs to this session; called on the thread of the store."""
        # `_replacing` is read first: a replacement starts in memory before it leaves `_replacing`, so one of
        # the two always shows it.
        replacing = self._replacing.get(web_user)
        return self._sessions.is_live(digest) if replacing is None else replacing == digest


async def forget_sessions(database: Database) -> None:
    """Remove all stored sessions. Otherwise a later process would continue sessions that have ended.

    Raises:
        StoreUnavailable: the store refused.
    """
    await database.write(rows.delete_all_sessions)
