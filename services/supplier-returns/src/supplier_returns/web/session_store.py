"""Web sessions of this process, in memory, by the digest of their cookies and with a sliding timeout."""

import asyncio
import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final

import structlog
from attrs import define, field, frozen

from erpclient import ErpClient, QueueStats
from servicekit.clock import Clock
from supplier_returns.web.session import WebSession
from supplier_returns.web.session_errors import SessionExpired, SessionRequired, TooManySessions
from supplier_returns.web.user import ErpUser

_TOKEN_BYTES: Final = 32
_TOKEN_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")

LOGOUT_S: Final = 6.0
"""Maximum seconds for logging out of the ERP at the end, slightly more than `erpclient` allows."""

_log = structlog.get_logger(__name__)


def new_token() -> str:
    """Return 256 random bits as 43 URL-safe characters."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


@frozen(kw_only=True)
class OpenedSession:
    """New session with the value of its cookie, which is not stored."""

    session: WebSession
    token: str = field(repr=False)


@define(eq=False)
class _SessionEntry:
    session: WebSession
    used_at_s: float


@define(eq=False, repr=False, kw_only=True)
class WebSessionStore:
    """All web sessions of this process, up to `capacity`, and up to `per_user` of one user.

    When a session ends, its ERP session is closed in the background as soon as nothing uses it.

    Args:
        timeout_s: seconds without a request after which a session ends.
        capacity: maximum sessions, including those being opened.
        per_user: maximum sessions of one user. A further one ends the user's oldest.
        grace_s: seconds that running work in the ERP has at shutdown.
        clock: time.
    """

    timeout_s: float
    _capacity: int
    _per_user: int
    _grace_s: float
    _clock: Clock
    # Sessions are ordered by last use, and those of one user by their start.
    _entries: OrderedDict[bytes, _SessionEntry] = field(init=False, factory=OrderedDict)
    _of_user: dict[str, dict[bytes, WebSession]] = field(init=False, factory=dict)
    _opening: int = field(init=False, default=0)
    _closing: dict[asyncio.Task[None], WebSession] = field(init=False, factory=dict)
    _grace_ends_s: float | None = field(init=False, default=None)

    def __len__(self) -> int:
        """Return the number of sessions."""
        return len(self._entries)

    def expires_at(self) -> datetime:
        """Return the time in UTC at which a session that is used now ends."""
        return self._clock.now() + timedelta(seconds=self.timeout_s)

    @property
    def queue_stats(self) -> QueueStats:
        """Total size of the queues of all ERP sessions."""
        stats = [session.erp.queue_stats for session in self._all()]
        return QueueStats(sum(each.waiting for each in stats), sum(each.in_flight for each in stats))

    @contextmanager
    def reserve(self, user: str) -> Iterator[None]:
        """Reserve capacity for a session while it is being opened.

        If the store is full, a session of the same user may be replaced. Only `open` ends it, because until
        then anyone may have typed that name.

        Args:
            user: user as typed, in any letter case.

        Raises:
            TooManySessions: the store is full, and the user has no session.
        """
        self.end_expired()
        if len(self._entries) + self._opening >= self._capacity and _key(user) not in self._of_user:
            raise TooManySessions
        self._opening += 1
        try:
            yield
        finally:
            self._opening -= 1

    def open(self, user: ErpUser, erp: ErpClient) -> OpenedSession:
        """Start a session for a user whom the ERP accepted. The store closes `erp` at its end.

        If the user has the maximum number of sessions, or the store is full, the user's oldest session ends.

        Raises:
            TooManySessions: the store is full of other users' sessions.
        """
        self._make_room(_key(user.code))
        token = new_token()
        session = WebSession(
            user=user,
            erp=erp,
            signed_in_at=self._clock.now(),
            token_digest=_digest(token),
        )
        self._entries[session.token_digest] = _SessionEntry(session, self._clock.monotonic())
        self._of_user.setdefault(_key(user.code), {})[session.token_digest] = session
        # A session that is opened during shutdown must not send calls either.
        if self._grace_ends_s is not None:
            session.drain()
        return OpenedSession(session=session, token=token)

    def authenticate(self, tokens: Iterable[str]) -> WebSession:
        """Return the session of the first valid cookie value, and extend its timeout.

        Raises:
            SessionRequired: no value has the format of this service's cookie.
            SessionExpired: no value belongs to a session.
        """
        self.end_expired()
        digests = [_digest(token) for token in tokens if _TOKEN_FORM.fullmatch(token)]
        if not digests:
            raise SessionRequired
        for digest in digests:
            entry = self._entries.get(digest)
            if entry is not None:
                self.touch(entry.session)
                return entry.session
        raise SessionExpired

    def check_live(self, session: WebSession) -> None:
        """Check that a session has not ended, without extending its timeout.

        Raises:
            SessionExpired: the session has ended.
        """
        self.end_expired()
        if session.token_digest not in self._entries:
            raise SessionExpired

    def touch(self, session: WebSession) -> None:
        """Extend the timeout, unless the session has ended."""
        entry = self._entries.get(session.token_digest)
        if entry is not None:
            entry.used_at_s = self._clock.monotonic()
            self._entries.move_to_end(session.token_digest)

    def end(self, session: WebSession) -> None:
        """End the web session at once, and the ERP session when nothing uses it. Ending twice is harmless."""
        if self._entries.pop(session.token_digest, None) is None:
            return
        user_sessions = self._of_user[_key(session.user.code)]
        del user_sessions[session.token_digest]
        if not user_sessions:
            del self._of_user[_key(session.user.code)]
        task = asyncio.create_task(_close(session), name="close-erp-session")
        self._closing[task] = session
        task.add_done_callback(lambda finished: self._closing.pop(finished, None))

    def end_expired(self) -> None:
        """End the sessions whose timeout is over."""
        now = self._clock.monotonic()
        # The first entry is the one unused for longest, so the loop stops at the first valid one.
        while self._entries:
            entry = next(iter(self._entries.values()))
            if now - entry.used_at_s < self.timeout_s:
                break
            self.end(entry.session)

    def drain(self) -> None:
        """Refuse waiting and new calls to the ERP. Running calls have the grace period."""
        if self._grace_ends_s is None:
            self._grace_ends_s = self._clock.monotonic() + self._grace_s
        for session in self._all():
            session.drain()

    async def aclose(self) -> None:
        """End every session and log out of the ERP, all at the same time.

        After the grace period, work that still uses a session is abandoned, and the ERP ends the session by
        its own timeout. Creating one field may take minutes there.
        """
        self.drain()
        for entry in list(self._entries.values()):
            self.end(entry.session)
        await self._wait_for_closing(self._grace_left_s())
        self._abandon([task for task, session in self._closing.items() if session.is_in_use])
        await self._wait_for_closing(LOGOUT_S)
        self._abandon(list(self._closing))
        await self._wait_for_closing(None)

    def _grace_left_s(self) -> float:
        now = self._clock.monotonic()
        return max((self._grace_ends_s or now) - now, 0.0)

    async def _wait_for_closing(self, timeout_s: float | None) -> None:
        if self._closing:
            await asyncio.wait(self._closing, timeout=timeout_s)

    def _abandon(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        if tasks:
            _log.warning("erp_sessions_left_open", users=[self._closing[task].user.code for task in tasks])
        for task in tasks:
            task.cancel()

    def _make_room(self, key: str) -> None:
        user_sessions = self._of_user.get(key, {})
        if user_sessions and (len(user_sessions) >= self._per_user or len(self._entries) >= self._capacity):
            oldest = next(iter(user_sessions.values()))
            _log.info("oldest_session_ended", user=oldest.user.code, sessions=len(user_sessions))
            self.end(oldest)
        if len(self._entries) >= self._capacity:
            raise TooManySessions

    def _all(self) -> list[WebSession]:
        return [*(entry.session for entry in self._entries.values()), *self._closing.values()]


async def _close(session: WebSession) -> None:
    await session.wait_until_free()
    await session.erp.aclose()


def _key(user: str) -> str:
    """Return the user code in a normalized form, because the ERP ignores letter case."""
    return user.strip().casefold()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("ascii")).digest()
