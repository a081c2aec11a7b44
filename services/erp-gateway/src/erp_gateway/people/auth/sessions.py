"""Web sessions in memory: one token per user, a sliding timeout, a greatest age, only digests of tokens."""

import hashlib
import itertools
import math
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

from attrs import define, field, frozen

from erp_gateway.people.auth.password_fingerprint import is_marked, mark_key, mark_password
from erp_gateway.people.auth.policy import Employee
from erp_gateway.web.session import SessionExpired, SessionReplaced, SessionRequired, WebSession
from servicekit.clock import Clock
from servicekit.config import Secret

_TOKEN_BYTES: Final = 32
_TOKEN_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """Return 256 random bits as 43 URL-safe characters."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


@frozen(kw_only=True)
class OpenedSession:
    """A new session with its token, which is shown here and never again.

    Attributes:
        session: who signed in.
        token: 256 random bits.
        password_mark: what the stored password is known again by; see `people.auth.passwords`.
    """

    session: WebSession
    token: str = field(repr=False)
    password_mark: bytes = field(repr=False)


@frozen(kw_only=True)
class LiveSession:
    """A session as administrators see it; the times are aware and in UTC.

    Attributes:
        session: whose it is.
        password_mark: what the stored password is known again by; see `people.auth.passwords`.
        used_at: when it was used last.
        expires_at: when it ends without a further use.
    """

    session: WebSession
    password_mark: bytes = field(repr=False)
    used_at: datetime
    expires_at: datetime


@define(eq=False)
class _Live:
    session: WebSession
    opened_at_s: float
    used_at_s: float
    rechecked_at_s: float
    password_mark: bytes
    presence: int
    mark_key: bytes | None  # what the mark was made with; known once the token was shown to this process


@frozen
class _Replaced:
    at: datetime
    forgotten_at_s: float


@define(eq=False, repr=False, kw_only=True)
class WebSessionStore:
    """All live web sessions of this process, at most `capacity`; beyond that the least used one ends.

    Args:
        timeout_s: seconds without a request after which a session ends.
        clock: its monotonic side measures, its wall clock is shown to people.
        timezone: of the times shown to people.
        max_age_s: seconds after which a session ends however much it is used; None: never.
        make_token: makes 43 URL-safe random characters.
        capacity: most sessions at once, and most replaced tokens remembered.
    """

    timeout_s: float
    _clock: Clock
    _timezone: ZoneInfo
    max_age_s: float | None = None
    _make_token: Callable[[], str] = new_token
    _capacity: int = 10_000
    _live: OrderedDict[bytes, _Live] = field(init=False, factory=OrderedDict)  # the latest used last
    _digest_by_user: dict[str, bytes] = field(init=False, factory=dict)  # the latest opened last
    _presences: Iterator[int] = field(init=False, factory=itertools.count)
    # the latest replaced last
    _replaced: OrderedDict[bytes, _Replaced] = field(init=False, factory=OrderedDict)

    def __len__(self) -> int:
        """Return how many sessions are live."""
        self._drop_expired()
        return len(self._live)

    @property
    def expires_in_s(self) -> float:
        """Seconds after which a new session ends without a request."""
        return self.timeout_s if self.max_age_s is None else min(self.timeout_s, self.max_age_s)

    def open(self, employee: Employee) -> OpenedSession:
        """Start a session for the employee; an earlier one of the same web user ends."""
        opened = self.prepare(employee)
        self.admit(opened)
        return opened

    def prepare(self, employee: Employee) -> OpenedSession:
        """Return a session that begins with `admit`."""
        token = self._make_token()
        session = WebSession(
            user=employee.user,
            signed_in_at=self._clock.now(),
            token_digest=_digest(token),
        )
        mark = mark_password(mark_key(token), employee.stored_password)
        return OpenedSession(session=session, token=token, password_mark=mark)

    def admit(self, opened: OpenedSession) -> None:
        """Start a prepared session; an earlier one of the same web user ends."""
        self._drop_expired()
        session = opened.session
        earlier = self._digest_by_user.get(session.web_user)
        presence = next(self._presences) if earlier is None else self._live[earlier].presence
        if earlier is not None:
            self._end(earlier)
            self._remember_replaced(earlier)
        elif len(self._live) >= self._capacity:
            self._end(next(iter(self._live)))
        now = self._clock.monotonic()
        self._live[session.token_digest] = _Live(
            session, now, now, now, opened.password_mark, presence, mark_key(opened.token)
        )
        self._digest_by_user[session.web_user] = session.token_digest

    def restore(self, earlier: Iterable[tuple[WebSession, bytes, float, float]]) -> None:
        """Go on with sessions of an earlier process, the latest used ones where there are too many.

        The employee of each is looked at again after its first use.

        Args:
            earlier: each with its password's mark, the seconds since its last use, and those since its login.
        """
        now = self._clock.monotonic()
        latest = sorted(earlier, key=lambda each: each[2])[: self._capacity]
        for session, mark, idle_s, age_s in reversed(latest):
            self._live[session.token_digest] = _Live(
                session, now - age_s, now - idle_s, -math.inf, mark, next(self._presences), None
            )
        for session, *_ in sorted(latest, key=lambda each: -each[3]):
            self._digest_by_user[session.web_user] = session.token_digest

    def authenticate(self, token: str) -> WebSession:
        """Return the session of a bearer token and slide its timeout.

        Raises:
            SessionRequired: the text cannot be a token of this service.
            SessionExpired: the token is not, or no longer, valid.
            SessionReplaced: a newer login of the same user took its place.
        """
        if not _TOKEN_FORM.fullmatch(token):
            raise SessionRequired
        self._drop_expired()
        digest = _digest(token)
        live = self._live.get(digest)
        if live is None:
            raise self._refusal(digest)
        if live.mark_key is None:
            live.mark_key = mark_key(token)
        live.used_at_s = self._clock.monotonic()
        self._live.move_to_end(digest)
        return live.session

    def find(self, web_user: str) -> WebSession | None:
        """Return the live session of a web user, named exactly as in the ERP."""
        self._drop_expired()
        digest = self._digest_by_user.get(web_user)
        return None if digest is None else self._live[digest].session

    def find_presence(self, web_user: str) -> int | None:
        """Return a number that stays the same while the user is signed in without a gap; None outside.

        A new login that replaces a session leaves no gap.
        """
        self._drop_expired()
        digest = self._digest_by_user.get(web_user)
        return None if digest is None else self._live[digest].presence

    def holds(self, token_digest: bytes) -> bool:
        """Tell whether a session is live; any thread may ask."""
        return token_digest in self._live

    def uses(self) -> dict[bytes, datetime]:
        """Return by digest when each live session was used last, by the wall clock of now."""
        self._drop_expired()
        now, now_s = self._clock.now(), self._clock.monotonic()
        return {
            digest: now - timedelta(seconds=now_s - live.used_at_s) for digest, live in self._live.items()
        }

    def look_up(self, token_digest: bytes) -> LiveSession | None:
        """Return a live session, or None; safe to call from any thread."""
        live = self._live.get(token_digest)
        return None if live is None else self._describe(live)

    def is_same_password(self, session: WebSession, stored: Secret) -> bool:
        """Tell whether a stored password is the one with which a session began; True when it is over."""
        live = self._live.get(session.token_digest)
        if live is None or live.mark_key is None:
            return True
        return is_marked(live.password_mark, live.mark_key, stored)

    def list_live(self) -> tuple[LiveSession, ...]:
        """Return the live sessions by the names of their users."""
        self._drop_expired()
        return tuple(self._describe(self._live[digest]) for _, digest in sorted(self._digest_by_user.items()))

    def take_recheck(self, session: WebSession, interval_s: float) -> bool:
        """Tell whether the employee of a live session is to be looked at again; then the caller does so.

        Args:
            session: the session.
            interval_s: least seconds between the login or the last look and the next one.
        """
        live = self._live.get(session.token_digest)
        now = self._clock.monotonic()
        if live is None or now - live.rechecked_at_s < interval_s:
            return False
        live.rechecked_at_s = now
        return True

    def close(self, session: WebSession) -> bool:
        """End a session; return False, having done nothing, when it has ended already."""
        self._drop_expired()
        if session.token_digest not in self._live:
            return False
        self._end(session.token_digest)
        return True

    def _describe(self, live: _Live) -> LiveSession:
        now, now_s = self._clock.now(), self._clock.monotonic()
        ends_at_s = live.used_at_s + self.timeout_s
        if self.max_age_s is not None:
            ends_at_s = min(ends_at_s, live.opened_at_s + self.max_age_s)
        return LiveSession(
            session=live.session,
            password_mark=live.password_mark,
            used_at=now - timedelta(seconds=now_s - live.used_at_s),
            expires_at=now + timedelta(seconds=ends_at_s - now_s),
        )

    def _refusal(self, digest: bytes) -> SessionExpired | SessionReplaced:
        replaced = self._replaced.get(digest)
        if replaced is None:
            return SessionExpired()
        local = replaced.at.astimezone(self._timezone)
        return SessionReplaced(
            "Su sesión se cerró porque se inició otra con su mismo usuario "
            f"el {local:%d-%m-%Y} a las {local:%H:%M}."
        )

    def _end(self, digest: bytes) -> None:
        live = self._live.pop(digest)
        del self._digest_by_user[live.session.web_user]

    def _remember_replaced(self, digest: bytes) -> None:
        self._replaced[digest] = _Replaced(self._clock.now(), self._clock.monotonic() + self.timeout_s)
        if len(self._replaced) > self._capacity:
            self._replaced.popitem(last=False)

    def _drop_expired(self) -> None:
        now = self._clock.monotonic()
        while self._live:
            digest, live = next(iter(self._live.items()))
            if now - live.used_at_s < self.timeout_s:
                break
            self._end(digest)
        while self.max_age_s is not None and self._digest_by_user:
            digest = next(iter(self._digest_by_user.values()))
            if now - self._live[digest].opened_at_s < self.max_age_s:
                break
            self._end(digest)
        while self._replaced and next(iter(self._replaced.values())).forgotten_at_s <= now:
            self._replaced.popitem(last=False)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
