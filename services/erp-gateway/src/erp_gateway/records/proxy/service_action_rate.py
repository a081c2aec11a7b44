"""The limit on how many service actions a person may run: they need no permission, and each calls the ERP."""

import math
from typing import Final

from erp_gateway.records.proxy.errors import RateLimited
from servicekit.clock import Clock

MOST_PER_MINUTE: Final = 120

_MINUTE_S: Final = 60.0


class ServiceActionRate:
    """Counts the service actions of each person in fixed minutes, which begin with the first one.

    Args:
        clock: time.
        most: how many are admitted in a minute.
    """

    def __init__(self, clock: Clock, *, most: int = MOST_PER_MINUTE) -> None:
        self._clock = clock
        self._most = most
        self._minutes: dict[str, tuple[float, int]] = {}  # end and count; the one that ends first comes first

    def take(self, web_user: str) -> None:
        """Count a service action.

        Raises:
            RateLimited: the person has run as many as a minute admits.
        """
        now = self._clock.monotonic()
        while self._minutes:
            first = next(iter(self._minutes))
            if self._minutes[first][0] > now:
                break
            del self._minutes[first]
        ends, count = self._minutes.get(web_user, (now + _MINUTE_S, 0))
        if count >= self._most:
            raise RateLimited(retry_after_s=math.ceil(ends - now))
        self._minutes[web_user] = (ends, count + 1)
