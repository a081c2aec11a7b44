"""Checks as methods of one class with shared state."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from attrs import frozen

from erpdoctor.checks.check import STEP_LIMIT_S, Check, Group
from erpdoctor.checks.common_causes import EVERYWHERE
from erpdoctor.checks.finding import Cause, Finding

C = TypeVar("C", bound="Checks")


@frozen
class DeclaredCheck:
    """Check declared as a method of `Checks`. The attributes are those of `Check`; `run` takes the object."""

    run: Callable[[Any], Awaitable[Finding]]
    name: str
    title: str
    causes: tuple[Cause, ...]
    needs: tuple[str, ...]
    limit_s: float | None
    english: str


def declares_check(
    name: str,
    title: str,
    *causes: Cause,
    needs: tuple[str, ...] = (),
    limit_s: float | None = STEP_LIMIT_S,
    english: str = "",
) -> Callable[[Callable[[C], Awaitable[Finding]]], DeclaredCheck]:
    """Make a method of `Checks` one of its checks; arguments as of `Group.check`."""
    return lambda run: DeclaredCheck(run, name, title, causes, needs, limit_s, english)


class Checks:
    """Checks that share state: the methods that `declares_check` marks, in their order.

    Attributes:
        group: to which they belong.
        faults: finding of a check by the exception that it raises.
    """

    group: Group
    faults: Mapping[type[Exception], Cause] = {}

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        faults = [cause for cause in self.faults.values() if cause not in EVERYWHERE]
        return tuple(
            self.group.check(
                each.name,
                each.title,
                partial(_run, each, self),
                *each.causes,
                *faults,
                needs=each.needs,
                limit_s=each.limit_s,
                english=each.english,
            )
            for each in vars(type(self)).values()
            if isinstance(each, DeclaredCheck)
        )


async def _run(declared: DeclaredCheck, checks: Checks) -> Finding:
    try:
        return await declared.run(checks)
    except tuple(checks.faults) as error:
        return next(cause for kind, cause in checks.faults.items() if isinstance(error, kind)).found()
