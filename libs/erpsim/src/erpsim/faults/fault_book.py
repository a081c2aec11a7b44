"""Scripted faults and their matching to calls."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase

import attrs

from erpsim.faults.actions import Action, Refuse


@attrs.frozen(kw_only=True)
class Fault:
    """An action for matching calls.

    Args:
        action: of the fault.
        method: HTTP method in capitals, None for any.
        path: pattern with `*` and `?` over the path below the service root as sent, without query
            (`Login`, `Items*`, `Orders(*)/Cancel`, `$batch`); paths outside it without their leading slash
            (`ping/*`).
        nth: number of the first affected call among the matching ones, from 1.
        times: number of affected calls in a row; None for all.
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
        """Return whether a call matches."""
        return self.method in {None, method} and fnmatchcase(path, self.path)


def company_unavailable(times: int = 1) -> Fault:
    """Make logins fail with the temporary `Switch company error: -1102` (500, 305)."""
    return Fault(
        action=Refuse(status=500, code=305, text="Switch company error: -1102"),
        method="POST",
        path="Login",
        times=times,
    )


@attrs.define
class _Counted:
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
    """Faults of one server in the order of their addition; spent ones are removed."""

    def __init__(self) -> None:
        self._counted: list[_Counted] = []
        self._added = 0

    def __len__(self) -> int:
        return len(self._counted)

    def __iter__(self) -> Iterator[tuple[int, Fault]]:
        return iter([(each.number, each.fault) for each in self._counted])

    def add(self, fault: Fault) -> int:
        """Add a fault; return its number."""
        self._added += 1
        self._counted.append(_Counted(self._added, fault))
        return self._added

    def remove(self, number: int) -> bool:
        """Remove a fault; False when there is none of this number."""
        before = len(self._counted)
        self._counted = [each for each in self._counted if each.number != number]
        return len(self._counted) < before

    def clear(self) -> None:
        """Remove all faults."""
        self._counted.clear()

    def take(self, method: str, path: str) -> list[Action]:
        """Count a call against every fault and return the triggered actions in the order of the faults."""
        actions = [action for each in self._counted if (action := each.take(method, path)) is not None]
        if actions:
            self._counted = [each for each in self._counted if not each.spent]
        return actions
