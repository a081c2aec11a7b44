"""Runs checks one after another, each with its own timeout."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from typing import Final

import structlog

from erpdoctor.checks import DEPENDS_ON, DOCTOR_BROKE, NO_ANSWER_IN_TIME, Check, Finding
from erpdoctor.report import Result
from servicekit.clock import Clock
from servicekit.last_run import Outcome

_log: Final[structlog.stdlib.BoundLogger] = structlog.get_logger(__name__)


class UnknownGroupError(Exception):
    """Unknown group of checks; the text names the existing ones."""


def chosen(checks: Sequence[Check], *, only: Collection[str]) -> tuple[Check, ...]:
    """Return the checks of some groups and their prerequisites, in order.

    Args:
        checks: all checks, each after those that it needs.
        only: names of groups; empty for all.

    Raises:
        UnknownGroupError: an unknown name.
        ValueError: two checks have the same name, or a check needs one that is not declared before it.
    """
    _check_order(checks)
    groups = tuple(dict.fromkeys(check.group for check in checks))
    for group in only:
        if group not in groups:
            raise UnknownGroupError(f"{group!r} is no group of checks; allowed: {', '.join(groups)}")
    if not only:
        return tuple(checks)
    needed: set[str] = set()
    for check in reversed(checks):
        if check.group in only or check.name in needed:
            needed |= {check.name, *check.needs}
    return tuple(check for check in checks if check.name in needed)


def _check_order(checks: Sequence[Check]) -> None:
    names: set[str] = set()
    for check in checks:
        if check.name in names or not names.issuperset(check.needs):
            raise ValueError(f"{check.name}: declared twice, or before what it needs")
        names.add(check.name)


async def run_checks(
    checks: Sequence[Check],
    *,
    clock: Clock,
    on_start: Callable[[int, Check], object] = lambda _at, _check: None,
    on_end: Callable[[int, Result], object] = lambda _at, _result: None,
) -> tuple[Result, ...]:
    """Run checks one after another. An exception of a check becomes its result.

    Args:
        checks: checks in order, as `chosen` returns them.
        clock: time.
        on_start: called before each check with its position, from 0, and the check.
        on_end: called after each check with its position and result.
    """
    results: list[Result] = []
    outcomes: dict[str, Outcome] = {}
    for at, check in enumerate(checks):
        on_start(at, check)
        started = clock.monotonic()
        missing = [need for need in check.needs if outcomes[need] in (Outcome.FAIL, Outcome.SKIPPED)]
        finding = DEPENDS_ON.found(on=tuple(missing)) if missing else await _run(check)
        failed = (name for name in finding.suspects if outcomes.get(name) is Outcome.FAIL)
        finding = finding.suspecting(*failed)
        outcomes[check.name] = finding.outcome
        results.append(Result(check, finding, clock.monotonic() - started))
        on_end(at, results[-1])
    return tuple(results)


async def _run(check: Check) -> Finding:
    try:
        async with asyncio.timeout(check.limit_s):
            return await check.run()
    except TimeoutError:
        return NO_ANSWER_IN_TIME.found(limit_s=check.limit_s or 0.0)
    except Exception as error:  # noqa: BLE001 - a bug in one check must not prevent the others
        # Without its text, which may contain data that was read.
        _log.error("doctor_check_broke", check=check.name, kind=type(error).__name__)
        return DOCTOR_BROKE.found(kind=type(error).__name__)
