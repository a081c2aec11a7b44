"""Checks of group `network`: the connection to a service, its identity, clock and speed."""

from collections.abc import Awaitable, Callable, Mapping
from email.utils import parsedate_to_datetime
from enum import Enum
from pathlib import Path
from statistics import median
from typing import Final

from attrs import define, field, frozen

from erpdoctor.checks import STEP_LIMIT_S, Check, Checks, Finding, Group, declares_check, ok
from erpdoctor.network import causes
from erpdoctor.network.connection import ConnectionChecks
from servicekit.clock import Clock

CLOCK_DIFFERENCE_S: Final = 60.0
SLOW_S: Final = 0.5
_PROBES: Final = 3


class Peer(Enum):
    """Kind of the server that replied to a probe."""

    EXPECTED = "expected"
    OTHER = "other"
    GATEWAY = "gateway"
    NOBODY = "nobody"
    """The connection ended, or no reply came in time."""


@frozen
class ServerAnswer:
    """Reply to the cheapest request.

    Attributes:
        peer: kind of the server.
        headers: of the answer, by name without regard to letter case.
        duration_s: its duration.
    """

    peer: Peer
    headers: Mapping[str, str]
    duration_s: float


_WRONG_PEERS: Final = {
    Peer.OTHER: causes.OTHER_SERVICE,
    Peer.GATEWAY: causes.GATEWAY_PAGE,
    Peer.NOBODY: causes.NO_ANSWER,
}


def network_checks(
    url: str,
    *,
    authorities: Path | None,
    verify: bool,
    production: bool,
    probe: Callable[[], Awaitable[ServerAnswer]],
    clock: Clock,
    group: Group,
) -> tuple[Check, ...]:
    """Return the checks of a service's address.

    Args:
        url: its address.
        authorities: file of authorities trusted besides the system's.
        verify: whether its certificate is checked.
        production: whether plain http is a warning.
        probe: sends the cheapest request.
        clock: time.
        group: to which they belong.
    """
    connection = ConnectionChecks(
        url, authorities=authorities, verify=verify, production=production, clock=clock, group=group
    )
    return (*connection.checks(), *_AnswerChecks(probe, clock, group).checks())


@define(eq=False, repr=False)
class _AnswerChecks(Checks):
    """Checks the reply to the cheapest request."""

    _probe: Callable[[], Awaitable[ServerAnswer]]
    _clock: Clock
    group: Group
    _answer: ServerAnswer | None = field(init=False, default=None)

    @declares_check(
        "answer",
        "Quién responde",
        *_WRONG_PEERS.values(),
        needs=("tls",),
        limit_s=STEP_LIMIT_S + 1,
        english="A Service Layer responds: it answers a request without a session with 401 in its own "
        "format.",
    )
    async def _who_answers(self) -> Finding:
        self._answer = await self._probe()
        cause = _WRONG_PEERS.get(self._answer.peer)
        return ok() if cause is None else cause.found()

    @declares_check(
        "clock",
        "Diferencia de los relojes",
        causes.CLOCKS_DIFFER,
        causes.NO_CLOCK,
        needs=("answer",),
        english="The clocks of both hosts differ by at most a minute.",
    )
    async def _clocks(self) -> Finding:
        date_header = None if self._answer is None else self._answer.headers.get("Date")
        if date_header is None:
            return causes.NO_CLOCK.found()
        try:
            difference_s = abs((parsedate_to_datetime(date_header) - self._clock.now()).total_seconds())
        except (ValueError, TypeError):
            return causes.NO_CLOCK.found()
        if difference_s > CLOCK_DIFFERENCE_S:
            return causes.CLOCKS_DIFFER.found(difference_s=round(difference_s))
        return ok(difference_s=round(difference_s))

    @declares_check(
        "latency",
        "Tiempo de respuesta",
        *_WRONG_PEERS.values(),
        causes.SLOW,
        needs=("answer",),
        limit_s=_PROBES * STEP_LIMIT_S,
        english="The cheapest request takes at most half a second. `other_service`, `gateway_page` or "
        "`no_answer` if it succeeds once and then fails.",
    )
    async def _latency(self) -> Finding:
        durations = []
        for _ in range(_PROBES):
            probe = await self._probe()
            if probe.peer in _WRONG_PEERS:  # An earlier probe reached the right server.
                return _WRONG_PEERS[probe.peer].found()
            durations.append(probe.duration_s)
        usual_s = median(durations)
        return causes.SLOW.found(usual_s=usual_s) if usual_s > SLOW_S else ok(usual_s=usual_s)
