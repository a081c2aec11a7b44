"""All live web sessions of this process, in memory: a sliding timeout, digests instead of cookies."""

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
"""How long logging out of the ERP may take at the end, a little more than `erpclient` gives it."""

_log = structlog.get_logger(__name__)


def new_token() -> str:
    """Return 256 random bits as 43 URL-safe characters."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


@frozen(kw_only=True)
class OpenedSession:
    """A new session with its cookie's value, which is shown here and never again."""

    session: WebSession
    token: str = field(repr=False)


@define(eq=False)
class _Live:
    session: WebSession
    used_at_s: float


@define(eq=False, repr=False, kw_only=True)
class WebSessionStore:
    """All live web sessions of this process, at most `capacity`, and at most `per_user` of one user.

    Ending a session closes its ERP session too, in the background, once nobody holds it.

    Args:
        timeout_s: seconds without a request after which a session ends.
        capacity: most sessions at once, those that are just being opened included.
        per_user: most sessions of one user at once; a further one ends the user's oldest.
        grace_s: seconds from the beginning of the end that work in the ERP may take to finish.
        clock: time.
    """

    timeout_s: float
    _capacity: int
    _per_user: int
    _grace_s: float
    _clock: Clock
    # The latest used last, and the oldest of each user first.
    _live: OrderedDict[bytes, _Live] = field(init=False, factory=OrderedDict)
    _of_user: dict[str, dict[bytes, WebSession]] = field(init=False, factory=dict)
    _opening: int = field(init=False, default=0)
    _closing: dict[asyncio.Task[None], WebSession] = field(init=False, factory=dict)
    _grace_ends_s: float | None = field(init=False, default=None)

    def __len__(self) -> int:
        """Return how many sessions are live."""
        return len(self._live)

    def expires_at(self) -> datetime:
        """Return when a session that is used now ends without a further use, in UTC."""
        return self._clock.now() + timedelta(seconds=self.timeout_s)

    @property
    def queue_stats(self) -> QueueStats:
        """How full the queues of all ERP sessions are together."""
        stats = [session.erp.queue_stats for session in self._all()]
        return QueueStats(sum(each.waiting for each in stats), sum(each.in_flight for each in stats))

    @contextmanager
    def place(self, user: str) -> Iterator[None]:
        """Reserve a place for one more session while it is being opened.

        When there is none, a session of the same user may make room; but only `open` ends it, since until
        then anybody may have typed that name.

        Args:
            user: the user as typed; letter case makes no difference.

        Raises:
            TooManySessions: there is no place, and no session of this user.
        """
        self.end_expired()
        if len(self._live) + self._opening >= self._capacity and _key(user) not in self._of_user:
            raise TooManySessions
        self._opening += 1
        try:
            yield
        finally:
            self._opening -= 1

    def open(self, user: ErpUser, erp: ErpClient) -> OpenedSession:
        """Start a session for somebody whom the ERP has let in; the store closes `erp` when it ends.

        Where the user has as many sessions as one may have, or all places are taken, the user's oldest ends.

        Raises:
            TooManySessions: they are all taken by others.
        """
        self._make_room(_key(user.code))
        token = new_token()
        session = WebSession(
            user=user,
            erp=erp,
            signed_in_at=self._clock.now(),
            token_digest=_digest(token),
        )
        self._live[session.token_digest] = _Live(session, self._clock.monotonic())
        self._of_user.setdefault(_key(user.code), {})[session.token_digest] = session
        if self._grace_ends_s is not None:
            session.drain()
        return OpenedSession(session=session, token=token)

    def authenticate(self, tokens: Iterable[str]) -> WebSession:
        """Return the session of the first cookie value that has one, and slide its timeout.

        Raises:
            SessionRequired: none of the texts can be a cookie of this service.
            SessionExpired: none is, or is still, valid.
        """
        self.end_expired()
        digests = [_digest(token) for token in tokens if _TOKEN_FORM.fullmatch(token)]
        if not digests:
            raise SessionRequired
        for digest in digests:
            live = self._live.get(digest)
            if live is not None:
                self.touch(live.session)
                return live.session
        raise SessionExpired

    def check_live(self, session: WebSession) -> None:
        """Check that a session goes on, without sliding its timeout.

        Raises:
            SessionExpired: it has ended.
        """
        self.end_expired()
        if session.token_digest not in self._live:
            raise SessionExpired

    def touch(self, session: WebSession) -> None:
        """Slide the timeout, unless the session has ended."""
        live = self._live.get(session.token_digest)
        if live is not None:
            live.used_at_s = self._clock.monotonic()
            self._live.move_to_end(session.token_digest)

    def end(self, session: WebSession) -> None:
        """End the web session at once, the ERP session once nobody holds it; a second time does nothing."""
        if self._live.pop(session.token_digest, None) is None:
            return
        own = self._of_user[_key(session.user.code)]
        del own[session.token_digest]
        if not own:
            del self._of_user[_key(session.user.code)]
        task = asyncio.create_task(_close(session), name="close-erp-session")
        self._closing[task] = session
        task.add_done_callback(lambda done: self._closing.pop(done, None))

    def end_expired(self) -> None:
        """End the sessions that nobody used for too long."""
        now = self._clock.monotonic()
        while self._live:
            live = next(iter(self._live.values()))
            if now - live.used_at_s < self.timeout_s:
                break
            self.end(live.session)

    def drain(self) -> None:
        """Refuse whatever waits for the ERP, now and from now on; what runs there has its grace."""
        if self._grace_ends_s is None:
            self._grace_ends_s = self._clock.monotonic() + self._grace_s
        for session in self._all():
            session.drain()

    async def aclose(self) -> None:
        """End every session and log out of the ERP, all at the same time.

        Work that still holds a session when the grace is over is left behind, and its session to the ERP's
        own timeout: creating one field may take minutes there.
        """
        self.drain()
        for live in list(self._live.values()):
            self.end(live.session)
        await self._wait_for_closing(self._grace_left_s())
        self._leave_behind([task for task, session in self._closing.items() if session.is_in_use])
        await self._wait_for_closing(LOGOUT_S)
        self._leave_behind(list(self._closing))
        await self._wait_for_closing(None)

    def _grace_left_s(self) -> float:
        now = self._clock.monotonic()
        return max((self._grace_ends_s or now) - now, 0.0)

    async def _wait_for_closing(self, timeout_s: float | None) -> None:
        if self._closing:
            await asyncio.wait(self._closing, timeout=timeout_s)

    def _leave_behind(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        if tasks:
            _log.warning("erp_sessions_left_open", users=[self._closing[task].user.code for task in tasks])
        for task in tasks:
            task.cancel()

    def _make_room(self, key: str) -> None:
        own = self._of_user.get(key, {})
        if own and (len(own) >= self._per_user or len(self._live) >= self._capacity):
            oldest = next(iter(own.values()))
            _log.info("oldest_session_ended", user=oldest.user.code, sessions=len(own))
            self.end(oldest)
        if len(self._live) >= self._capacity:
            raise TooManySessions

    def _all(self) -> list[WebSession]:
        return [*(live.session for live in self._live.values()), *self._closing.values()]


async def _close(session: WebSession) -> None:
    await session.wait_until_free()
    await session.erp.aclose()


def _key(user: str) -> str:
    """Return what all spellings of a user's code have in common: the ERP makes no difference between them."""
    return user.strip().casefold()


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("ascii")).digest()
