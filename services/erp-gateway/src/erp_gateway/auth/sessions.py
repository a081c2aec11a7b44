"""Web sessions in memory: one token per user, a sliding timeout, digests instead of tokens."""

import hashlib
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from attrs import define, field, frozen

from erp_gateway.auth.employees import Employee
from erp_gateway.web.session import SessionExpired, SessionReplaced, SessionRequired, WebSession
from servicekit.clock import Clock

_TOKEN_BYTES: Final = 32
_TOKEN_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def new_token() -> str:
    """Return 256 random bits as 43 URL-safe characters."""
    return secrets.token_urlsafe(_TOKEN_BYTES)


@frozen(kw_only=True)
class OpenedSession:
    """A new session with its token, which is shown here and never again."""

    session: WebSession
    token: str = field(repr=False)


@define(eq=False)
class _Live:
    session: WebSession
    used_at_s: float


@frozen
class _Replaced:
    at: datetime
    forgotten_at_s: float


class WebSessionStore:
    """All live web sessions of this process, at most `capacity`; beyond that the least used one ends."""

    def __init__(
        self,
        *,
        timeout_s: float,
        clock: Clock,
        timezone: ZoneInfo,
        make_token: Callable[[], str] = new_token,
        capacity: int = 10_000,
    ) -> None:
        """Take the rules.

        Args:
            timeout_s: seconds without a request after which a session ends.
            clock: its monotonic side measures, its wall clock is shown to people.
            timezone: of the times shown to people.
            make_token: makes 43 URL-safe random characters.
            capacity: most sessions at once, and most replaced tokens remembered.
        """
        self.timeout_s = timeout_s
        self._clock = clock
        self._timezone = timezone
        self._make_token = make_token
        self._capacity = capacity
        self._live: OrderedDict[bytes, _Live] = OrderedDict()  # the latest used last
        self._digest_by_user: dict[str, bytes] = {}
        self._replaced: OrderedDict[bytes, _Replaced] = OrderedDict()  # the latest replaced last

    def __len__(self) -> int:
        """Return how many sessions are live."""
        self._drop_expired()
        return len(self._live)

    def open(self, employee: Employee) -> OpenedSession:
        """Start a session for the employee; an earlier one of the same web user ends."""
        self._drop_expired()
        token = self._make_token()
        session = WebSession(
            web_user=employee.web_user,
            employee_id=employee.employee_id,
            first_name=employee.first_name,
            last_name=employee.last_name,
            email=employee.email,
            signed_in_at=self._clock.now(),
            token_digest=_digest(token),
        )
        earlier = self._digest_by_user.get(employee.web_user)
        if earlier is not None:
            self._end(earlier)
            self._remember_replaced(earlier)
        elif len(self._live) >= self._capacity:
            self._end(next(iter(self._live)))
        self._live[session.token_digest] = _Live(session, self._clock.monotonic())
        self._digest_by_user[session.web_user] = session.token_digest
        return OpenedSession(session=session, token=token)

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
        live.used_at_s = self._clock.monotonic()
        self._live.move_to_end(digest)
        return live.session

    def close(self, session: WebSession) -> None:
        """End a session; ending one that has ended does nothing."""
        if session.token_digest in self._live:
            self._end(session.token_digest)

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
        while self._replaced:
            digest, replaced = next(iter(self._replaced.items()))
            if now < replaced.forgotten_at_s:
                break
            del self._replaced[digest]


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("ascii")).digest()
