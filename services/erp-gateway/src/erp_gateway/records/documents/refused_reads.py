"""Remembers reads that the ERP refused, so that they are not repeated for a while."""

from typing import Final

from attrs import define, field

from erpclient import ErpClient
from servicekit.clock import Clock

REMEMBERED_S: Final = 600.0
"""Seconds until a refused read is tried again: the right may have been granted."""


@define(eq=False, repr=False)
class RefusedReads:
    """Names of refused reads, until ten minutes or a login have passed.

    Args:
        erp: the ERP.
        clock: monotonic time.
    """

    _erp: ErpClient
    _clock: Clock
    _until: dict[str, tuple[int, float]] = field(factory=dict, init=False)

    def add(self, name: str) -> None:
        """Remember a refused read."""
        self._until[name] = self._erp.logins, self._clock.monotonic() + REMEMBERED_S

    def __contains__(self, name: str) -> bool:
        """Return whether the ERP refused this read lately."""
        login, until = self._until.get(name, (-1, 0.0))
        return login == self._erp.logins and self._clock.monotonic() < until
