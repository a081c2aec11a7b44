"""Sessions: opened by a login, ended by idleness, a logout or a fault. One call at a time."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Final

import attrs

from erpsim.company.clock import Clock
from erpsim.service_layer.refusals import invalid_session

_WORK_S: Final = 0.005


@attrs.define(eq=False)
class Session:
    """One open session.

    Args:
        number: 1 for the first session of the server; identifies the session without its secret.
        session_id: the value of the cookie, kept out of `repr`.
        user: ERP user as the company spells it.
        language: `Language` of the login, None when not sent.
        last_used_at: time of the login, then of the latest call.
        ended: whether it has ended.
    """

    number: int
    session_id: str = attrs.field(repr=False)
    user: str
    language: int | None
    last_used_at: datetime
    ended: bool = False
    _turn: asyncio.Lock = attrs.field(factory=asyncio.Lock, init=False, repr=False)
    _present: int = attrs.field(default=0, init=False, repr=False)

    @asynccontextmanager
    async def turn(self, penalty_s: float) -> AsyncIterator[None]:
        """Wait for this session's earlier calls, then hold it for one call.

        Calls of one session run one after another, and each that finds its session busy costs extra seconds
        (a practitioner's measurement on Service Layer 1000321: about 7 s).

        Args:
            penalty_s: delay of a call whose session is busy. If it is not 0, every call takes a few
                milliseconds; otherwise concurrent calls would never overlap.

        Raises:
            SlError: 401 if the session has ended in the meantime.
        """
        queued = self._present > 0
        self._present += 1
        try:
            async with self._turn:
                if penalty_s > 0:
                    await asyncio.sleep(_WORK_S + (penalty_s if queued else 0.0))
                if self.ended:
                    raise invalid_session()
                yield
        finally:
            self._present -= 1


class SessionTable:
    """All open sessions of one server.

    Args:
        clock: source of the time for the idle timeout.
        idle_timeout_s: returns the idle timeout; called each time, because a switch may change it.
    """

    def __init__(self, clock: Clock, idle_timeout_s: Callable[[], float]) -> None:
        self._clock = clock
        self._idle_timeout_s = idle_timeout_s
        self._sessions: dict[str, Session] = {}
        self._opened = 0

    def __len__(self) -> int:
        return len(self._sessions)

    def open(self, user: str, language: int | None) -> Session:
        """Open a session for an authenticated user."""
        self._opened += 1
        session = Session(self._opened, str(uuid.uuid4()), user, language, self._clock.now())
        self._sessions[session.session_id] = session
        return session

    def use(self, session_id: str | None) -> Session:
        """Return the session a cookie names and count this as a use: the timeout slides (SAP manual 1.29).

        Raises:
            SlError: 401 for a missing, unknown or expired one.
        """
        session = self._sessions.get(session_id or "")
        if session is None:
            raise invalid_session()
        now = self._clock.now()
        if now - session.last_used_at > timedelta(seconds=self._idle_timeout_s()):
            self.end(session)
            raise invalid_session()
        session.last_used_at = now
        return session

    def end(self, session: Session) -> None:
        """End a session. Calls waiting for their turn in it get the 401 too."""
        session.ended = True
        self._sessions.pop(session.session_id, None)

    def end_all(self) -> None:
        """End every session, as a restart of the server does."""
        for session in list(self._sessions.values()):
            self.end(session)
