"""Log of the calls that a simulated upstream received: time, session and concurrency."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final

import attrs

from erpsim.company.clock import Clock

HEADERS_OF_INTEREST: Final = (
    "accept",
    "accept-encoding",
    "content-type",
    "if-match",
    "if-none-match",
    "prefer",
    "traceparent",
    "user-agent",
    "x-http-method-override",
    "x-request-id",
)
"""Logged headers, besides all `b1s-` ones. Cookies and authorization are never logged."""

_MAX_BODY_BYTES: Final = 65_536
_MAX_CALLS: Final = 5_000


@attrs.define(kw_only=True)
class Call:
    """One request to a simulated upstream.

    Args:
        number: 1 for the first.
        method: in capitals, after `X-HTTP-Method-Override`.
        path: below the service root as sent, percent-encoded, without query: `Items('A%2F1')`.
        query: as sent, without the question mark.
        root: `/b1s/v1`, `/b1s/v2`, empty outside.
        headers: see `HEADERS_OF_INTEREST`, by lower-case name.
        in_flight: calls under way when it arrived, itself included.
        session: number of its session, None without a valid one.
        user: ERP user of its session.
        body: its first 64 KiB; empty for logins.
        started_at, ended_at: by the server's clock; `ended_at` is None until the end.
        status: of the response; None without one.
        worked: whether the work of the call was done; not for a refused or early dropped call.
    """

    number: int
    method: str
    path: str
    query: str
    root: str
    headers: Mapping[str, str]
    in_flight: int
    started_at: datetime
    session: int | None = None
    user: str | None = None
    body: bytes = b""
    ended_at: datetime | None = None
    status: int | None = None
    worked: bool = False


class CallLog:
    """Latest calls of one server and their highest concurrency.

    Args:
        clock: source of the times.
        limit: number of stored calls; the counters continue.
    """

    def __init__(self, clock: Clock, *, limit: int = _MAX_CALLS) -> None:
        self._clock = clock
        self._calls: deque[Call] = deque(maxlen=limit)
        self._in_session: dict[int, int] = {}
        self.total = 0
        self.in_flight = 0
        self.max_in_flight = 0
        self.max_in_flight_of_a_session = 0

    def __len__(self) -> int:
        return len(self._calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self._calls)

    def __getitem__(self, index: int) -> Call:
        return self._calls[index]

    def of(self, method: str | None = None, path: str | None = None) -> list[Call]:
        """Return the calls of this method and this exact path; None matches any."""
        return [c for c in self._calls if method in {None, c.method} and path in {None, c.path}]

    def begin(self, *, method: str, root: str, path: str, query: str, headers: Mapping[str, str]) -> Call:
        """Record a call that just arrived."""
        self.total += 1
        self.in_flight += 1
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        call = Call(
            number=self.total,
            method=method,
            path=path,
            query=query,
            root=root,
            headers={
                name: value
                for name, value in headers.items()
                if name in HEADERS_OF_INTEREST or name.startswith("b1s-")
            },
            in_flight=self.in_flight,
            started_at=self._clock.now(),
        )
        self._calls.append(call)
        return call

    def keep_body(self, call: Call, body: bytes) -> None:
        """Store a call's body. Login bodies are never stored."""
        if call.path.casefold() != "login":
            call.body = body[:_MAX_BODY_BYTES]

    def enter_session(self, call: Call, session: int, user: str) -> None:
        """Note the session of a call."""
        call.session = session
        call.user = user
        now = self._in_session.get(session, 0) + 1
        self._in_session[session] = now
        self.max_in_flight_of_a_session = max(self.max_in_flight_of_a_session, now)

    def end(self, call: Call) -> None:
        """Mark a call as finished."""
        call.ended_at = self._clock.now()
        self.in_flight -= 1
        if call.session is not None:
            in_flight = self._in_session.get(call.session, 1) - 1
            if in_flight:
                self._in_session[call.session] = in_flight
            else:
                self._in_session.pop(call.session, None)

    def clear(self) -> None:
        """Forget the calls and the highest counts. Calls in flight stay counted."""
        self._calls.clear()
        self.total = 0
        self.max_in_flight = self.in_flight
        self.max_in_flight_of_a_session = max(self._in_session.values(), default=0)
