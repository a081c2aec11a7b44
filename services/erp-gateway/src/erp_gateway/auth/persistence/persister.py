"""Keeping the store's rows as the sessions in memory are; no use of a session waits for it.

A beginning and an end are written before they are answered, in the transaction of their audit record. Last
uses are written behind, and what the store did not take is written then, too.
"""

import asyncio
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakValueDictionary

import structlog
from attrs import define, field

from erp_gateway.audit.store import Along
from erp_gateway.auth.persistence import rows
from erp_gateway.auth.persistence.failures import FailurePersister
from erp_gateway.auth.sessions import OpenedSession, WebSessionStore
from erp_gateway.storage.database import Database
from erp_gateway.storage.errors import StoreUnavailable
from erp_gateway.storage.statements import Statements
from erp_gateway.web.session import WebSession
from servicekit.clock import Clock
from servicekit.tasks import finish

USES_INTERVAL_S: Final = 30.0
"""How often last uses are written."""

_SAME_USE: Final = timedelta(seconds=1)
"""Times of one use differ by less, since the wall clock is put right while the other measures."""

_log = structlog.get_logger(__name__)


@define(eq=False, repr=False)
class SessionPersister:
    """Writes what a process that follows needs to go on with this one's sessions.

    Args:
        database: the store.
        sessions: the sessions in memory, which are those that count.
        failures: the failed logins, which are restored together with the sessions.
        clock: its wall clock is written.
    """

    _database: Database
    _sessions: WebSessionStore
    _failures: FailurePersister
    _clock: Clock
    # by digest the last use stored, None: unsure
    _stored: dict[bytes, datetime | None] = field(init=False, factory=dict)
    # by digest whose session ended, and may still be stored
    _unsure_ends: dict[bytes, str] = field(init=False, factory=dict)
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(init=False, factory=WeakValueDictionary)

    async def restore(self) -> None:
        """Go on with what an earlier process left; call it once, before anybody is served.

        Raises:
            StoreUnavailable: the store refused.
        """
        now = self._clock.now()
        kept = await rows.load(self._database, now)
        judgement = rows.judge(
            kept.sessions,
            written_at=kept.written_at,
            now=now,
            timeout_s=self._sessions.timeout_s,
            max_age_s=self._sessions.max_age_s,
        )
        self._stored = {each.session.token_digest: each.used_at for each in kept.sessions}
        self._sessions.restore(
            (each.kept.session, each.kept.password_mark, each.idle_s, each.age_s)
            for each in judgement.believed
        )
        self._failures.restore(kept.failures)
        await self.write_behind()
        log = _log.warning if judgement.clock_went_back else _log.info
        log(
            "sessions_restored",
            sessions=len(judgement.believed),
            ended=judgement.lapsed,
            clock_went_back=judgement.clock_went_back,
        )

    def turn(self, web_user: str) -> asyncio.Lock:
        """Return what lets one session of a user begin after the other."""
        return self._turns.setdefault(web_user, asyncio.Lock())

    def saving(self, opened: OpenedSession, *, while_live: bool) -> Along:
        """Return the change that stores a session that begins, in the place of its user's earlier one.

        Args:
            opened: the session.
            while_live: whether to store nothing when the session is over by then.
        """
        kept = rows.KeptSession(
            session=opened.session,
            password_mark=opened.password_mark,
            used_at=opened.session.signed_in_at,
        )
        digest = opened.session.token_digest

        def save(statements: Statements) -> bool:
            if not while_live or self._sessions.holds(digest):
                rows.save_session(statements, kept)
            return True

        return save

    def saved(self, opened: OpenedSession, *, surely: bool) -> None:
        """Note that `saving` is committed, or that it may be."""
        self._stored[opened.session.token_digest] = opened.session.signed_in_at if surely else None

    def deleting(self, session: WebSession) -> Along:
        """Return the change that removes a session that ended."""
        self._stored[session.token_digest] = None
        self._unsure_ends[session.token_digest] = session.web_user

        def delete(statements: Statements) -> bool:
            rows.delete_session(statements, session.token_digest)
            return True

        return delete

    def deleted(self, session: WebSession) -> None:
        """Note that `deleting` is committed."""
        self._is_gone(session.token_digest)

    def owes_end(self, web_user: str) -> bool:
        """Return whether a session of the user has ended that a later process might believe."""
        return web_user in self._unsure_ends.values()

    async def delete_unsure(self, web_user: str) -> bool:
        """Remove sessions of a user that ended and may still be stored; return whether there were any.

        Raises:
            StoreUnavailable: the store refused; it is tried again.
        """
        digests = [digest for digest, user in self._unsure_ends.items() if user == web_user]
        if not digests:
            return False

        def delete(statements: Statements) -> None:
            for digest in digests:
                rows.delete_session(statements, digest)

        await self._database.write(delete)
        for digest in digests:
            self._is_gone(digest)
        return True

    async def write_behind(self) -> None:
        """Write last uses, and whatever the store holds otherwise than memory.

        Raises:
            StoreUnavailable: the store refused; the next call tries again.
        """
        now = self._clock.now()
        uses = self._sessions.uses()
        changed = {
            digest: used_at
            for digest, used_at in uses.items()
            if (stored := self._stored.get(digest)) is not None and abs(used_at - stored) >= _SAME_USE
        }
        gone = [digest for digest in self._stored if digest not in uses]

        def write(statements: Statements) -> None:
            for digest, used_at in changed.items():
                rows.set_used(statements, digest, used_at)
            for digest in gone:
                rows.delete_session(statements, digest)
            rows.set_written(statements, now)

        await self._database.write(write)
        for digest, used_at in changed.items():
            if digest in self._stored:
                self._stored[digest] = used_at
        for digest in gone:
            self._is_gone(digest)
        for digest in uses:
            if self._stored.get(digest) is None:
                await self._save_late(digest)

    async def close(self) -> None:
        """Write everything once more; what the store refuses is lost."""
        try:
            await finish(self.write_behind())
        except StoreUnavailable as error:
            _log.warning("sessions_not_written", reason=str(error.__cause__ or error))

    def _is_gone(self, digest: bytes) -> None:
        self._stored.pop(digest, None)
        self._unsure_ends.pop(digest, None)

    async def _save_late(self, digest: bytes) -> None:
        """Store a live session that the store did not take when it began."""
        live = self._sessions.look_up(digest)
        if live is None:
            return
        kept = rows.KeptSession(session=live.session, password_mark=live.password_mark, used_at=live.used_at)

        def save(statements: Statements) -> None:
            if self._sessions.holds(digest):
                rows.save_session(statements, kept)

        async with self.turn(live.session.web_user):
            await self._database.write(save)
            self._stored[digest] = live.used_at


async def forget_sessions(database: Database) -> None:
    """Remove what an earlier process kept: it would go on from there, one day, with sessions that have ended.

    Raises:
        StoreUnavailable: the store refused.
    """
    await database.write(rows.delete_all_sessions)
