"""How the ERP's health is judged: values in, values out, no clock and no I/O."""

from enum import Enum
from typing import Final

from attrs import evolve, frozen

UNANSWERED_TO_SUSPECT: Final = 3
"""So many calls in a row without an answer cause a probe. One alone may be a report that takes long."""
PROBE_INTERVAL_S: Final = 5.0
"""From the beginning of one probe to that of the next, at least."""


class Condition(Enum):
    """What is known of the ERP; the value is what health pages and metrics say."""

    WELL = "well"
    """It answers, or nobody has asked yet."""
    SUSPECTED = "suspected"
    """Several calls in a row got no answer; a probe will tell."""
    UNWELL = "unwell"
    """The probe got no answer either."""


@frozen
class Health:
    """What is known of the ERP at one moment.

    A silence is a call that timed out, or that only the gateway before the ERP answered.

    Attributes:
        condition: the judgement.
        unanswered: how many calls in a row got no answer, counted while the ERP is well.
        probe_at: when a probe has to begin; ``None`` while none is due, also while one runs.
        no_probe_before: before that no further probe begins.
    """

    condition: Condition = Condition.WELL
    unanswered: int = 0
    probe_at: float | None = None
    no_probe_before: float = 0.0

    def after_answer(self) -> "Health":
        """Something came back, from a call or the probe, that is no gateway's page: the ERP is well."""
        return Health(no_probe_before=self.no_probe_before)

    def after_unanswered(self, now: float) -> "Health":
        """A call got no answer. While the ERP is suspected or unwell that says nothing new.

        Where a probe has succeeded a moment ago, a few calls that fail alone, always with the same gateway's
        page, cause no further one until it has rested.
        """
        if self.condition is not Condition.WELL:
            return self
        unanswered = self.unanswered + 1
        if unanswered < UNANSWERED_TO_SUSPECT or now < self.no_probe_before:
            return evolve(self, unanswered=unanswered)
        return evolve(self, condition=Condition.SUSPECTED, unanswered=unanswered, probe_at=now)

    def after_probe_began(self, now: float) -> "Health":
        """The probe that was due is on its way."""
        return evolve(self, probe_at=None, no_probe_before=now + PROBE_INTERVAL_S)

    def after_failed_probe(self, now: float) -> "Health":
        """The probe got no answer: the ERP is unwell, and is asked again after a while."""
        return evolve(self, condition=Condition.UNWELL, probe_at=max(now, self.no_probe_before))
