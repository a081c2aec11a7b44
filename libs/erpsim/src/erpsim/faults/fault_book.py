"""Scripted trouble: which call meets what. Values only; the server applies them."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import TypeAlias

import attrs


class When(enum.Enum):
    """The moment of a fault in the life of a call."""

    BEFORE_READING = "before-reading"
    """Nothing but the request's head was read; nothing was done."""

    BEFORE_WORK = "before-work"
    """The request was read; nothing was done."""

    AFTER_WORK = "after-work"
    """Everything was done, the answer is lost."""


@attrs.frozen(kw_only=True)
class Delay:
    """The call takes longer, and its session with it."""

    seconds: float


@attrs.frozen(kw_only=True)
class Drop:
    """The connection goes away.

    Args:
        when: see `When`.
        reset: with a TCP reset, else with an orderly end.
    """

    when: When = When.AFTER_WORK
    reset: bool = True


@attrs.frozen(kw_only=True)
class CommitLate:
    """The connection goes at once; the work is done only after some time, when nobody waits any more."""

    seconds: float


@attrs.frozen(kw_only=True)
class Refuse:
    """The Service Layer refuses with this error, in the shape of the call's generation; nothing is done."""

    status: int
    code: int
    text: str


@attrs.frozen(kw_only=True)
class Answer:
    """Something in front of the Service Layer answers with this.

    Args:
        status: HTTP status.
        body: text of the body.
        content_type: its type.
        when: `AFTER_WORK` if the call's work is done nevertheless, else it is not.
    """

    status: int
    body: str = ""
    content_type: str = "text/plain;charset=utf-8"
    when: When = When.BEFORE_WORK


@attrs.frozen(kw_only=True)
class BadGateway:
    """The balancer's HTML 502.

    Args:
        when: `AFTER_WORK` if the call's work is done nevertheless: the outcome is unknown to the client.
    """

    when: When = When.BEFORE_WORK


@attrs.frozen(kw_only=True)
class Truncate:
    """The answer ends after so many bytes of its body, then the connection closes."""

    keep_bytes: int


@attrs.frozen(kw_only=True)
class Drip:
    """The body comes in small pieces with pauses between them."""

    chunk_bytes: int
    interval_s: float


@attrs.frozen(kw_only=True)
class Hang:
    """The body stops after so many bytes and nothing comes for some time, then the connection closes."""

    after_bytes: int
    seconds: float


@attrs.frozen(kw_only=True)
class Garbage:
    """The status and headers promise JSON, the body is none."""

    size_bytes: int = 64


@attrs.frozen(kw_only=True)
class GzipBomb:
    """A small gzip body that unpacks to so many bytes."""

    unpacked_bytes: int


@attrs.frozen(kw_only=True)
class Oversize:
    """A JSON body of so many bytes."""

    size_bytes: int


@attrs.frozen(kw_only=True)
class CutAfterAnswer:
    """The answer is complete, then the kept-alive connection closes without having said so."""


@attrs.frozen(kw_only=True)
class ExpireSession:
    """The session of the call ends before it is looked at, so the call gets the 401.

    Args:
        everyone: all sessions of the server end.
    """

    everyone: bool = False


@attrs.frozen(kw_only=True)
class ChangeNode:
    """The balancer sends the call to this node and says so in a new `ROUTEID`."""

    node: int


@attrs.frozen(kw_only=True)
class OmitRoute:
    """The answer carries no `ROUTEID`, also where it should."""


Action: TypeAlias = (
    Delay
    | Drop
    | CommitLate
    | Refuse
    | Answer
    | BadGateway
    | Truncate
    | Drip
    | Hang
    | Garbage
    | GzipBomb
    | Oversize
    | CutAfterAnswer
    | ExpireSession
    | ChangeNode
    | OmitRoute
)

DeliveryAction: TypeAlias = Drop | Truncate | Drip | Hang | Garbage | GzipBomb | Oversize | CutAfterAnswer
"""Actions that change how a finished answer travels."""


@attrs.frozen(kw_only=True)
class Fault:
    """A rule: calls that match meet the action.

    Args:
        action: what happens.
        method: HTTP method in capitals, None for any.
        path: pattern with `*` and `?` over the path below the service root as sent, without query
            (`Login`, `Items*`, `Orders(*)/Cancel`, `$batch`); paths outside it without their leading slash
            (`ping/*`).
        nth: the first matching call that meets it, 1 for the next one.
        times: how many matching calls in a row meet it, None for all.
    """

    action: Action
    method: str | None = None
    path: str = "*"
    nth: int = 1
    times: int | None = 1

    def __attrs_post_init__(self) -> None:
        if self.nth < 1 or (self.times is not None and self.times < 1):
            raise ValueError("nth and times count from 1")

    def matches(self, method: str, path: str) -> bool:
        """Tell whether a call is one of those the rule counts."""
        return self.method in {None, method} and fnmatchcase(path, self.path)


def company_unavailable(times: int = 1) -> Fault:
    """Make logins meet the temporary `Switch company error: -1102` (500, 305)."""
    return Fault(
        action=Refuse(status=500, code=305, text="Switch company error: -1102"),
        method="POST",
        path="Login",
        times=times,
    )


@attrs.define
class _Rule:
    number: int
    fault: Fault
    met: int = 0

    def take(self, method: str, path: str) -> Action | None:
        if not self.fault.matches(method, path):
            return None
        self.met += 1
        past = self.met - self.fault.nth
        if past < 0 or (self.fault.times is not None and past >= self.fault.times):
            return None
        return self.fault.action

    @property
    def spent(self) -> bool:
        return self.fault.times is not None and self.met >= self.fault.nth + self.fault.times - 1


class FaultBook:
    """The rules of one server, in the order they were added; spent ones leave by themselves."""

    def __init__(self) -> None:
        self._rules: list[_Rule] = []
        self._added = 0

    def __len__(self) -> int:
        return len(self._rules)

    def __iter__(self) -> Iterator[tuple[int, Fault]]:
        return iter([(rule.number, rule.fault) for rule in self._rules])

    def add(self, fault: Fault) -> int:
        """Add a rule; return its number."""
        self._added += 1
        self._rules.append(_Rule(self._added, fault))
        return self._added

    def remove(self, number: int) -> bool:
        """Remove a rule; False when there is none of this number."""
        before = len(self._rules)
        self._rules = [rule for rule in self._rules if rule.number != number]
        return len(self._rules) < before

    def clear(self) -> None:
        """Remove all rules."""
        self._rules.clear()

    def take(self, method: str, path: str) -> list[Action]:
        """Count a call at every rule; return what it meets, in the order of the rules."""
        actions = [action for rule in self._rules if (action := rule.take(method, path)) is not None]
        if actions:
            self._rules = [rule for rule in self._rules if not rule.spent]
        return actions
