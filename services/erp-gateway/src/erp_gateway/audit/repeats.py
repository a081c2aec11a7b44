"""Count repeated events of a person in one record instead of many.

A client without any permission can cause these events as fast as it can send requests. A record for each
would fill the store and the log.
"""

import asyncio
from typing import Final, TypeAlias

import attrs
from attrs import Factory, define

from erp_gateway.values.audit_event import AuditAction, AuditDetail, AuditEvent, AuditResult, SentFields
from servicekit.clock import Clock

MINUTE_S: Final = 60.0
"""Length of the fixed window, which begins with a person's first event."""

OWN_RECORDS: Final = 30
"""Denied requests of one person that get a record each within a minute; the rest share one record."""

_Subject: TypeAlias = tuple[str | None, SentFields, AuditResult, str | None]

_SHARED: Final[_Subject] = (None, SentFields(), AuditResult.DENIED, None)


@define(eq=False)
class _Counted:
    """A record that counts repeats; `written` gets its number."""

    event: AuditEvent
    written: "asyncio.Future[int | None]"
    attempts: int = 1


@define(eq=False)
class _Minute:
    """The events of one person in the minute that ends at `ends_at_s`."""

    ends_at_s: float
    denied: int = 0
    counted: dict[_Subject, _Counted] = Factory(dict)


class Repeats:
    """Counts denied requests and identical service actions in fixed minutes of a person.

    Args:
        clock: time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._minutes: dict[str | None, _Minute] = {}  # the one that ends first comes first
        self._closed: list[_Counted] = []

    def admit(self, event: AuditEvent, written: "asyncio.Future[int | None]") -> AuditEvent | None:
        """Return the event to record, or None if an open record counts it.

        Args:
            event: any event.
            written: gets the number of the record; None if that record is lost.
        """
        if event.action is AuditAction.PERMISSION_DENIED:
            minute = self._minute_of(event.actor.web_user)
            minute.denied += 1
            if minute.denied <= OWN_RECORDS:
                return event
            shared = attrs.evolve(event, resource=None, key=None, detail=AuditDetail(attempts=1))
            return _first_or_count(minute, _SHARED, _Counted(shared, written))
        if is_service_action(event):
            subject = (event.resource, event.fields, event.result, event.reason)
            minute = self._minute_of(event.actor.web_user)
            return _first_or_count(minute, subject, _Counted(event, written))
        return event

    def take_counted(self, *, is_final: bool = False) -> list[tuple[int, AuditEvent]]:
        """Return the records of finished minutes by number, with their counts, and forget them.

        A record that the store has not taken yet is returned by a later call.

        Args:
            is_final: return those of running minutes as well.
        """
        self._end_minutes(all_of_them=is_final)
        written = [each for each in self._closed if each.written.done()]
        self._closed = [each for each in self._closed if not each.written.done()]
        return [
            (
                number,
                attrs.evolve(each.event, detail=attrs.evolve(each.event.detail, attempts=each.attempts)),
            )
            for each in written
            if (number := each.written.result()) is not None
        ]

    def _minute_of(self, web_user: str | None) -> _Minute:
        self._end_minutes()
        minute = self._minutes.get(web_user)
        if minute is None:
            minute = self._minutes[web_user] = _Minute(self._clock.monotonic() + MINUTE_S)
        return minute

    def _end_minutes(self, *, all_of_them: bool = False) -> None:
        now = self._clock.monotonic()
        while self._minutes:
            web_user, minute = next(iter(self._minutes.items()))
            if minute.ends_at_s > now and not all_of_them:
                return
            del self._minutes[web_user]
            self._closed += [each for each in minute.counted.values() if each.attempts > 1]


def is_service_action(event: AuditEvent) -> bool:
    """True for an action without a record. An action on a record is never counted in another one."""
    return event.action is AuditAction.SL_ACTION and event.key is None


def _first_or_count(minute: _Minute, subject: _Subject, new: _Counted) -> AuditEvent | None:
    existing = minute.counted.setdefault(subject, new)
    if existing is new:
        return new.event
    existing.attempts += 1
    return None
