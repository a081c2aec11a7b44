"""Pauses of calls that a new session did not help: during its pause a call does not renew the session."""

from collections.abc import Callable
from typing import Final

from attrs import define, field

from erpclient.backoff import Backoff

PATHS_OF_A_RESOURCE: Final = 3
"""Number of refused paths after which the whole resource gets a pause."""

# Limit of remembered paths. The oldest refusal is dropped first.
_MOST_REMEMBERED: Final = 1_000


@define
class _Resource:
    """Refused paths of one resource, and the pause for all of them."""

    backoff: Backoff = field(factory=Backoff)
    paths: dict[str, Backoff] = field(factory=dict)


class RenewalPauses:
    """Remembers calls that got a 401 in a session that had just been opened for them.

    The Service Layer checks the session before the path, so a misspelt path gets the same 401 as an expired
    session (seen live on the login's path). Without this memory, each such call would cause a login. A pause
    for all calls would keep those with a really expired session from renewing it.

    Args:
        monotonic: seconds since some fixed moment.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._resources: dict[str, _Resource] = {}

    def may_renew(self, resource: str, path: str) -> bool:
        """Return whether a 401 to this call may renew the session: neither path nor resource has a pause."""
        entry = self._resources.get(resource)
        if entry is None:
            return True
        now, backoff = self._monotonic(), entry.paths.get(path)
        return now >= entry.backoff.until and (backoff is None or now >= backoff.until)

    def add(self, resource: str, path: str) -> float:
        """Record a refusal in a new session. Return the seconds for which this path may not renew the
        session.
        """
        now = self._monotonic()
        entry = self._resources.setdefault(resource, _Resource())
        backoff = entry.paths.setdefault(path, Backoff())
        if not backoff.refusals and len(entry.paths) >= PATHS_OF_A_RESOURCE:
            entry.backoff.extend(now)
        pause_s = backoff.extend(now)
        self._forget_oldest()
        return pause_s

    def forget(self, resource: str, path: str) -> None:
        """Drop a path that was answered, and with its last path the resource."""
        entry = self._resources.get(resource)
        if entry is not None and entry.paths.pop(path, None) is not None and not entry.paths:
            del self._resources[resource]

    def _forget_oldest(self) -> None:
        while sum(len(entry.paths) for entry in self._resources.values()) > _MOST_REMEMBERED:
            resource, entry = next(iter(self._resources.items()))
            self.forget(resource, next(iter(entry.paths)))
