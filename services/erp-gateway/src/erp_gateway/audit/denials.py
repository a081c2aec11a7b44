"""Refusals that repeat: a record a minute for each person and subject, and how many there were. No I/O."""

import asyncio
from typing import Final

import attrs
from attrs import define

from erp_gateway.audit_event import AuditDetail, AuditEvent
from servicekit.clock import Clock

MINUTE_S: Final = 60.0
"""How long refusals are counted in the record of the first one."""

MOST_SUBJECTS: Final = 50
"""Most subjects of one person that have records of their own in a minute; all further ones share one."""


@define(eq=False)
class _Denial:
    """The first refusal, and how many there were; `written` gets the number of its record."""

    event: AuditEvent
    written: "asyncio.Future[int | None]"
    ends_s: float
    attempts: int = 1


class Denials:
    """Counts the refusals of the last minute.

    Args:
        clock: time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._running: dict[str | None, dict[str | None, _Denial]] = {}
        self._over: list[_Denial] = []

    def is_first(self, event: AuditEvent, written: "asyncio.Future[int | None]") -> bool:
        """Tell whether a refusal is to be recorded; any other is counted in the record of the first one.

        Args:
            event: the refusal.
            written: gets the number of its record if it is the first; None when that is lost.
        """
        self._end_minutes()
        of_user = self._running.setdefault(event.actor.web_user, {})
        subject = event.resource
        if subject not in of_user and len(of_user) >= MOST_SUBJECTS:
            subject = None
        known = of_user.get(subject)
        if known is None:
            of_user[subject] = _Denial(event, written, self._clock.monotonic() + MINUTE_S)
            return True
        known.attempts += 1
        return False

    def take_counted(self, *, at_the_end: bool = False) -> list[tuple[int, AuditEvent]]:
        """Return records whose minute is over, by their numbers, with their counts, and forget them.

        One that the store has not taken yet waits for the next time.

        Args:
            at_the_end: take those whose minute is not over, too.
        """
        self._end_minutes(all_of_them=at_the_end)
        written = [denial for denial in self._over if denial.written.done()]
        self._over = [denial for denial in self._over if not denial.written.done()]
        return [
            (number, attrs.evolve(denial.event, detail=AuditDetail(attempts=denial.attempts)))
            for denial in written
            if (number := denial.written.result()) is not None
        ]

    def _end_minutes(self, *, all_of_them: bool = False) -> None:
        now = self._clock.monotonic()
        for user, of_user in list(self._running.items()):
            for subject, denial in list(of_user.items()):
                if all_of_them or denial.ends_s <= now:
                    del of_user[subject]
                    if denial.attempts > 1:
                        self._over.append(denial)
            if not of_user:
                del self._running[user]
