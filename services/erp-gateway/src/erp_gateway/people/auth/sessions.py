"""Web sessions in memory: one token per user, a sliding timeout, a maximum age, only digests of tokens."""

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

from erp_gateway.people.auth.employee_choice import Employee
from erp_gateway.people.auth.password_fingerprint import fingerprint, fingerprint_key, matches_fingerprint
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
    """A new session with its token, which is available only here.

    Attributes:
        session: user, login time and token digest.
        token: 256 random bits.
        password_fingerprint: see `people.auth.password_fingerprint`.
    """

    session: WebSession
    token: str = field(repr=False)
    password_fingerprint: bytes = field(repr=False)


@frozen(kw_only=True)
class LiveSession:
    """A session as administrators see it; the times are aware and in UTC.

    Attributes:
        session: user, login time and token digest.
        password_fingerprint: see `people.auth.password_fingerprint`.
        used_at: time of the last use.
        expires_at: time of its end without a further use.
    """

    session: WebSession
    password_fingerprint: bytes = field(repr=False)
    used_at: datetime
    expires_at: datetime


@define(eq=False)
class _Entry:
    session: WebSession
    opened_at_s: float
    used_at_s: float
    rechecked_at_s: float
    password_fingerprint: bytes
    presence: int
    # None after a restart until the first request, because the store does not have the token.
    fingerprint_key: bytes | None


@frozen
class _Replaced:
    at: datetime
    expires_at_s: float


@define(eq=False, repr=False, kw_only=True)
class WebSessionStore:
    """All live web sessions of this process. Beyond `capacity`, the least recently used one ends.

    Args:
        timeout_s: seconds without a request after which a session ends.
        clock: its monotonic side measures; its wall clock gives the times shown to people.
        timezone: time zone of the times shown to people.
        max_age_s: seconds after which a session ends even if it is in use; None for no limit.
        make_token: returns 43 URL-safe random characters.
        capacity: limit of live sessions, and of replaced tokens kept in memory.
    """

    timeout_s: float
    _clock: Clock
    _timezone: ZoneInfo
    max_age_s: float | None = None
    _make_token: Callable[[], str] = new_token
    _capacity: int = 10_000
    _live: OrderedDict[bytes, _Entry] = field(init=False, factory=OrderedDict)  # by time of last use
    _digest_by_user: dict[str, bytes] = field(init=False, factory=dict)  # by time of login
    _presences: Iterator[int] = field(init=False, factory=itertools.count)
    # by time of replacement
    _replaced: OrderedDict[bytes, _Replaced] = field(init=False, factory=OrderedDict)

    def __len__(self) -> int:
        """Return the number of live sessions."""
        self._drop_expired()
        return len(self._live)

    @property
    def expires_in_s(self) -> float:
        """Seconds after which a new session ends if it is not used."""
        return self.timeout_s if self.max_age_s is None else min(self.timeout_s, self.max_age_s)

    def open(self, employee: Employee) -> OpenedSession:
        """Start a session for the employee; an earlier one of the same web user ends."""
        opened = self.prepare(employee)
        self.admit(opened)
        return opened

    def prepare(self, employee: Employee) -> OpenedSession:
        """Create a session that starts with `admit`."""
        token = self._make_token()
        session = WebSession(
            user=employee.user,
            signed_in_at=self._clock.now(),
            token_digest=_digest(token),
        )
        password_fingerprint = fingerprint(fingerprint_key(token), employee.stored_password)
        return OpenedSession(session=session, token=token, password_fingerprint=password_fingerprint)

    def admit(self, opened: OpenedSession) -> None:
        """Start a prepared session; an earlier one of the same web user ends."""
        self._drop_expired()
        session = opened.session
        earlier = self._digest_by_user.get(session.user.name)
        presence = next(self._presences) if earlier is None else self._live[earlier].presence
        if earlier is not None:
            self._end(earlier)
            self._remember_replaced(earlier)
        elif len(self._live) >= self._capacity:
            self._end(next(iter(self._live)))
        now = self._clock.monotonic()
        self._live[session.token_digest] = _Entry(
            session, now, now, now, opened.password_fingerprint, presence, fingerprint_key(opened.token)
        )
        self._digest_by_user[session.user.name] = session.token_digest

    def restore(self, earlier: Iterable[tuple[WebSession, bytes, float, float]]) -> None:
        """Continue sessions of an earlier process; above `capacity`, only the most recently used ones.

        The employee of each is rechecked after its first use.

        Args:
            earlier: each session with its password fingerprint, seconds since last use, and seconds since
                login.
        """
        now = self._clock.monotonic()
        latest = sorted(earlier, key=lambda each: each[2])[: self._capacity]
        for session, password_fingerprint, idle_s, age_s in reversed(latest):
            self._live[session.token_digest] = _Entry(
                session,
                now - age_s,
                now - idle_s,
                -math.inf,
                password_fingerprint,
                next(self._presences),
                None,
            )
        for session, *_ in sorted(latest, key=lambda each: -each[3]):
            self._digest_by_user[session.user.name] = session.token_digest

    def authenticate(self, token: str) -> WebSession:
        """Return the session of a bearer token and slide its timeout.

        Raises:
            SessionRequired: the text does not have the form of a token.
            SessionExpired: the token is unknown or its session has ended.
            SessionReplaced: a newer login of the same user replaced the session.
        """
        if not _TOKEN_FORM.fullmatch(token):
            raise SessionRequired
        self._drop_expired()
        digest = _digest(token)
        live = self._live.get(digest)
        if live is None:
            raise self._refusal(digest)
        if live.fingerprint_key is None:
            live.fingerprint_key = fingerprint_key(token)
        live.used_at_s = self._clock.monotonic()
        self._live.move_to_end(digest)
        return live.session

    def find(self, web_user: str) -> WebSession | None:
        """Return the live session of a web user, named exactly as in the ERP."""
        self._drop_expired()
        digest = self._digest_by_user.get(web_user)
        return None if digest is None else self._live[digest].session

    def find_presence(self, web_user: str) -> int | None:
        """Return a number that stays the same while the user is signed in without a gap, or None.

        A new login that replaces a session leaves no gap.
        """
        self._drop_expired()
        digest = self._digest_by_user.get(web_user)
        return None if digest is None else self._live[digest].presence

    def is_live(self, token_digest: bytes) -> bool:
        """Return True if a session is live; safe to call from any thread."""
        return token_digest in self._live

    def uses(self) -> dict[bytes, datetime]:
        """Map the digest of each live session to its last use, by the current wall clock."""
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
        """Return True if a session began with this stored password, or has ended."""
        live = self._live.get(session.token_digest)
        if live is None or live.fingerprint_key is None:
            return True
        return matches_fingerprint(live.password_fingerprint, live.fingerprint_key, stored)

    def list_live(self) -> tuple[LiveSession, ...]:
        """Return the live sessions, sorted by user name."""
        self._drop_expired()
        return tuple(self._describe(self._live[digest]) for _, digest in sorted(self._digest_by_user.items()))

    def start_recheck(self, session: WebSession, interval_s: float) -> bool:
        """Return True if a live session's recheck is due; the caller then does it.

        Args:
            session: the session.
            interval_s: least seconds since the login or the last recheck.
        """
        live = self._live.get(session.token_digest)
        now = self._clock.monotonic()
        if live is None or now - live.rechecked_at_s < interval_s:
            return False
        live.rechecked_at_s = now
        return True

    def close(self, session: WebSession) -> bool:
        """End a session; return False if it had already ended."""
        self._drop_expired()
        if session.token_digest not in self._live:
            return False
        self._end(session.token_digest)
        return True

    def _describe(self, live: _Entry) -> LiveSession:
        now, now_s = self._clock.now(), self._clock.monotonic()
        ends_at_s = live.used_at_s + self.timeout_s
        if self.max_age_s is not None:
            ends_at_s = min(ends_at_s, live.opened_at_s + self.max_age_s)
        return LiveSession(
            session=live.session,
            password_fingerprint=live.password_fingerprint,
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
        del self._digest_by_user[live.session.user.name]

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
        while self._replaced and next(iter(self._replaced.values())).expires_at_s <= now:
            self._replaced.popitem(last=False)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
