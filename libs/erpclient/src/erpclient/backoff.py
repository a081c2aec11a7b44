"""A pause that doubles with each refusal."""

from typing import Final

from attrs import define

FIRST_PAUSE_S: Final = 5.0
"""Pause after a refusal; each further one doubles it."""
LONGEST_PAUSE_S: Final = 300.0


@define
class Backoff:
    """A pause that doubles with each refusal, from 5 s to 5 min."""

    refusals: int = 0
    until: float = 0.0

    def extend(self, now: float) -> float:
        """Begin a pause and return its seconds."""
        pause_s = min(FIRST_PAUSE_S * 2.0 ** min(self.refusals, 10), LONGEST_PAUSE_S)
        self.refusals += 1
        self.until = now + pause_s
        return pause_s
