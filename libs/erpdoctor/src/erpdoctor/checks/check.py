"""Checks as values, and the groups that they belong to."""

import re
from collections.abc import Awaitable, Callable
from typing import Final

from attrs import Attribute, field, frozen

from erpdoctor.checks.finding import Cause, Finding

STEP_LIMIT_S: Final = 5.0
"""Longest wait of one step of a check."""

_NAME: Final = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")


def _check_name(_check: object, _attribute: "Attribute[str]", name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a check; allowed: group.name")


@frozen(kw_only=True)
class Check:
    """One check.

    Attributes:
        name: its group and its own name, `network.certificate`.
        title: a few Spanish words for the table.
        english: the condition of an ok result, in English, for the documentation.
        run: runs the check. An exception is a fault of the program, not of the installation.
        page: the documentation's page that says more, `docs/doctor.md#network`.
        causes: its possible causes, except those of `EVERYWHERE`.
        needs: names of checks declared earlier. If one of them fails or is skipped, this check is skipped.
        limit_s: timeout of the whole check: `STEP_LIMIT_S` for each step; None if each of its calls has its
            own timeout.
    """

    name: str = field(validator=_check_name)
    title: str
    run: Callable[[], Awaitable[Finding]]
    page: str
    causes: tuple[Cause, ...] = ()
    needs: tuple[str, ...] = ()
    limit_s: float | None = STEP_LIMIT_S
    english: str = ""

    @property
    def group(self) -> str:
        """Name of its group."""
        return self.name.partition(".")[0]


@frozen
class Group:
    """Group of checks.

    Attributes:
        name: of the group, as in `--only`.
        page: the documentation's page about the group.
    """

    name: str
    page: str

    def found(
        self,
        name: str,
        title: str,
        finding: Finding,
        *causes: Cause,
        needs: tuple[str, ...] = (),
        english: str = "",
    ) -> Check:
        """Declare a check with a ready finding; arguments as of `check`."""

        async def run() -> Finding:
            return finding

        return self.check(name, title, run, *causes, needs=needs, english=english)

    def check(
        self,
        name: str,
        title: str,
        run: Callable[[], Awaitable[Finding]],
        *causes: Cause,
        needs: tuple[str, ...] = (),
        limit_s: float | None = STEP_LIMIT_S,
        english: str = "",
    ) -> Check:
        """Declare a check of this group.

        Args:
            name: its own name.
            title: as of `Check`.
            run: as of `Check`.
            causes: as of `Check`.
            needs: as of `Check`; a name without a group is of this one.
            limit_s: as of `Check`.
            english: as of `Check`.
        """
        return Check(
            name=f"{self.name}.{name}",
            title=title,
            run=run,
            page=self.page,
            causes=causes,
            needs=tuple(need if "." in need else f"{self.name}.{need}" for need in needs),
            limit_s=limit_s,
            english=english,
        )
