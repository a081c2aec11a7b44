"""Transitions of the ERP's health: values in, values out, without clock and I/O."""

from enum import Enum
from typing import Final

from attrs import evolve, frozen

UNANSWERED_TO_SUSPECT: Final = 3
"""Unanswered calls in a row that cause a probe. A single one may be a long-running report."""
PROBE_INTERVAL_S: Final = 5.0
"""Shortest time between the starts of two probes."""


class Condition(Enum):
    """Condition of the ERP; health pages and metrics show the value."""

    WELL = "well"
    """It answers, or there was no call yet."""
    SUSPECTED = "suspected"
    """Several calls in a row got no answer; a probe decides."""
    UNWELL = "unwell"
    """The probe got no answer either."""


@frozen
class Health:
    """Health of the ERP at one moment.

    A call is unanswered if it timed out, or if only the gateway before the ERP answered it.

    Attributes:
        condition: condition of the ERP.
        unanswered: unanswered calls in a row, counted while the ERP is well.
        probe_at: time of the next probe; ``None`` if none is due or one is running.
        no_probe_before: earliest time of the next probe.
    """

    condition: Condition = Condition.WELL
    unanswered: int = 0
    probe_at: float | None = None
    no_probe_before: float = 0.0

    def after_answer(self) -> "Health":
        """Record an answer to a call or probe that is not a gateway's page: the ERP is well."""
        return Health(no_probe_before=self.no_probe_before)

    def after_unanswered(self, now: float) -> "Health":
        """Record an unanswered call. While the ERP is suspected or unwell it changes nothing.

        After a successful probe, a few calls that keep failing with the same gateway page cause no further
        probe until the interval has passed.
        """
        if self.condition is not Condition.WELL:
            return self
        unanswered = self.unanswered + 1
        if unanswered < UNANSWERED_TO_SUSPECT or now < self.no_probe_before:
            return evolve(self, unanswered=unanswered)
        return evolve(self, condition=Condition.SUSPECTED, unanswered=unanswered, probe_at=now)

    def after_probe_began(self, now: float) -> "Health":
        """Record the start of the probe that was due."""
        return evolve(self, probe_at=None, no_probe_before=now + PROBE_INTERVAL_S)

    def after_failed_probe(self, now: float) -> "Health":
        """Record an unanswered probe: the ERP is unwell, and another probe follows."""
        return evolve(self, condition=Condition.UNWELL, probe_at=max(now, self.no_probe_before))
