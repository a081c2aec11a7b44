"""The last failed requests, without their content."""

from collections import deque
from datetime import datetime
from typing import Final, final

import attrs

from servicekit.clock import Clock

MAX_FAILURES: Final = 50
_MAX_METHOD_CHARS: Final = 16
_SERVER_ERROR: Final = 500


@attrs.frozen(kw_only=True)
class Failure:
    """One request that failed.

    Attributes:
        at: end of the request.
        method: its method.
        route: template of its endpoint; None without one.
        status: status of the response.
        code: the error's code; None for a failure without.
        request_id: its id, as in the log.
    """

    at: datetime
    method: str
    route: str | None
    status: int
    code: str | None
    request_id: str


@final
class RecentFailures:
    """Keeps the last failures in memory.

    Args:
        clock: time.
        most: maximum number.
    """

    def __init__(self, clock: Clock, *, most: int = MAX_FAILURES) -> None:
        self._clock = clock
        self._failures: deque[Failure] = deque(maxlen=most)

    def record(
        self, *, method: str, route: str | None, status: int, code: str | None, request_id: str
    ) -> None:
        """Record a finished request if it failed: a status from 500 on, or an interrupted response."""
        broken_off = code is not None and status < 400  # noqa: PLR2004 - the response began as a success
        if status >= _SERVER_ERROR or broken_off:
            self._failures.append(
                Failure(
                    at=self._clock.now(),
                    method=method[:_MAX_METHOD_CHARS],
                    route=route,
                    status=status,
                    code=code,
                    request_id=request_id,
                )
            )

    def latest(self) -> tuple[Failure, ...]:
        """Return the failures, newest first."""
        return tuple(reversed(self._failures))
