"""Checks and what they find, as values: nothing here looks at anything."""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final, TypeVar

from attrs import Attribute, evolve, field, frozen

from servicekit.last_run import Outcome

STEP_LIMIT_S: Final = 5.0
"""How long one step of a check waits for an answer."""

_NAME: Final = re.compile(r"[a-z][a-z0-9-]*\.[a-z0-9-]+")
_CODE: Final = re.compile(r"[a-z][a-z0-9_]*")
_WORD: Final = re.compile(r"[A-Za-z0-9_.:@/-]{0,80}")

Figure = bool | int | float | str | tuple[str, ...]
"""What the JSON may tell: numbers, and words of the program's own lists (resources, fields, versions)."""


def _check_code(_cause: object, _attribute: "Attribute[str]", code: str) -> None:
    if not _CODE.fullmatch(code):
        raise ValueError(f"{code!r} is no code of a cause; allowed: snake_case")


@frozen
class Cause:
    """Why a check is not ok. Its texts are fixed, so that nothing of an installation gets into them.

    Attributes:
        code: the word for programs, stable.
        outcome: how grave it is.
        text: what is wrong, in Spanish.
        remedy: what to do about it, one sentence in Spanish; empty where there is nothing to do.
        page: the documentation's page that says more, where it is another than the check's.
    """

    code: str = field(validator=_check_code)
    outcome: Outcome
    text: str
    remedy: str = ""
    page: str | None = None

    def found(self, seen: str = "", /, **figures: Figure) -> "Finding":
        """Make the finding of this cause.

        Args:
            seen: what was seen, for the terminal alone: it may name hosts and users, and never a secret.
            figures: what the JSON tells besides.
        """
        return Finding(self, seen, figures)


def fail(code: str, text: str, *, remedy: str, page: str | None = None) -> Cause:
    """Declare a cause that makes a check fail."""
    return Cause(code, Outcome.FAIL, text, remedy, page)


def warn(code: str, text: str, *, remedy: str, page: str | None = None) -> Cause:
    """Declare a cause that is only a warning."""
    return Cause(code, Outcome.WARN, text, remedy, page)


def skipped(code: str, text: str, *, remedy: str = "", page: str | None = None) -> Cause:
    """Declare a reason for which a check is not looked at."""
    return Cause(code, Outcome.SKIPPED, text, remedy, page)


def _check_figures(_finding: object, _attribute: object, figures: Mapping[str, Figure]) -> None:
    for name, value in figures.items():
        words = value if isinstance(value, tuple) else (value,)
        if not all(_WORD.fullmatch(word) for word in words if isinstance(word, str)):
            raise ValueError(f"the figure {name} is no word")


@frozen
class Finding:
    """What a check found.

    Attributes:
        cause: why it is not ok; None where it is.
        seen: what was seen, for the terminal alone.
        figures: what the JSON tells of it.
        suspects: names of earlier checks that, where they failed too, are likely to be the reason.
    """

    cause: Cause | None = None
    seen: str = ""
    figures: Mapping[str, Figure] = field(factory=dict, validator=_check_figures)
    suspects: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """What became of the check."""
        return Outcome.OK if self.cause is None else self.cause.outcome

    def suspecting(self, *names: str) -> "Finding":
        """Return the same with names of earlier checks; those that did not fail drop out when it is run."""
        return evolve(self, suspects=names)


def ok(seen: str = "", /, **figures: Figure) -> Finding:
    """Make the finding of a check that is fine.

    Args:
        seen: what was seen, for the terminal alone: it may name hosts and users, and never a secret.
        figures: what the JSON tells of it.
    """
    return Finding(None, seen, figures)


DEPENDS_ON: Final = skipped("depends_on", "Depende de otra prueba que no está bien, o que no se pudo mirar.")
NO_ANSWER_IN_TIME: Final = fail(
    "no_answer_in_time",
    "No hubo respuesta a tiempo.",
    remedy="Revise si el sistema consultado está en marcha y si la red permite llegar a él.",
)
DOCTOR_BROKE: Final = fail(
    "doctor_broke",
    "La prueba misma falló; esto no dice nada sobre la instalación.",
    remedy="Comuníquelo a quien mantiene este servicio, con la versión y el nombre de la prueba.",
)
EVERYWHERE: Final = (DEPENDS_ON, NO_ANSWER_IN_TIME, DOCTOR_BROKE)
"""Causes that any check may have without naming them."""


def _check_name(_check: object, _attribute: "Attribute[str]", name: str) -> None:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a check; allowed: group.name")


@frozen(kw_only=True)
class Check:
    """One thing to look at.

    Attributes:
        name: its group and its own name, `network.certificate`.
        looked_at: what is looked at, a few Spanish words.
        look: looks at it. What it raises is a fault of the program, not of the installation.
        page: the documentation's page that says more, `docs/doctor.md#network`.
        causes: all that it may find wrong, but for those of `EVERYWHERE`.
        needs: names of checks declared before it; where one of them fails or is skipped, this one is skipped.
        limit_s: seconds that the whole check may take: `STEP_LIMIT_S` for each answer that it waits for; None
            where each of its calls has a limit of its own.
    """

    name: str = field(validator=_check_name)
    looked_at: str
    look: Callable[[], Awaitable[Finding]]
    page: str
    causes: tuple[Cause, ...] = ()
    needs: tuple[str, ...] = ()
    limit_s: float | None = STEP_LIMIT_S

    @property
    def group(self) -> str:
        """What it belongs to."""
        return self.name.partition(".")[0]


@frozen
class Group:
    """What checks belong to.

    Attributes:
        name: as `--only` takes it.
        page: the documentation's page that says more of all of them.
    """

    name: str
    page: str

    def found(
        self, name: str, looked_at: str, finding: Finding, *causes: Cause, needs: tuple[str, ...] = ()
    ) -> Check:
        """Declare one whose finding is known already; arguments as of `check`."""

        async def look() -> Finding:
            return finding

        return self.check(name, looked_at, look, *causes, needs=needs)

    def check(
        self,
        name: str,
        looked_at: str,
        look: Callable[[], Awaitable[Finding]],
        *causes: Cause,
        needs: tuple[str, ...] = (),
        limit_s: float | None = STEP_LIMIT_S,
    ) -> Check:
        """Declare one of them.

        Args:
            name: its own name.
            looked_at: as of `Check`.
            look: as of `Check`.
            causes: as of `Check`.
            needs: as of `Check`; a name without a group is of this one.
            limit_s: as of `Check`.
        """
        return Check(
            name=f"{self.name}.{name}",
            looked_at=looked_at,
            look=look,
            page=self.page,
            causes=causes,
            needs=tuple(need if "." in need else f"{self.name}.{need}" for need in needs),
            limit_s=limit_s,
        )


C = TypeVar("C", bound="Checks")


@frozen
class LookedAt:
    """A method of `Checks` that looks; the attributes are as of `Check`, and `look` takes the object."""

    look: Callable[[Any], Awaitable[Finding]]
    name: str
    looked_at: str
    causes: tuple[Cause, ...]
    needs: tuple[str, ...]
    limit_s: float | None


def looks_at(
    name: str,
    looked_at: str,
    *causes: Cause,
    needs: tuple[str, ...] = (),
    limit_s: float | None = STEP_LIMIT_S,
) -> Callable[[Callable[[C], Awaitable[Finding]]], LookedAt]:
    """Make a method of `Checks` one of its checks; arguments as of `Group.check`."""
    return lambda look: LookedAt(look, name, looked_at, causes, needs, limit_s)


class Checks:
    """Checks that share what they find out: the methods that `looks_at` marks, in the order of the class.

    Attributes:
        group: to which they belong.
        faults: what each of them finds where it raises one of these.
    """

    group: Group
    faults: Mapping[type[Exception], Cause] = {}

    def checks(self) -> tuple[Check, ...]:
        """Return the checks, in order."""
        faults = [cause for cause in self.faults.values() if cause not in EVERYWHERE]
        return tuple(
            self.group.check(
                each.name,
                each.looked_at,
                partial(_look, each, self),
                *each.causes,
                *faults,
                needs=each.needs,
                limit_s=each.limit_s,
            )
            for each in vars(type(self)).values()
            if isinstance(each, LookedAt)
        )


async def _look(marked: LookedAt, checks: Checks) -> Finding:
    try:
        return await marked.look(checks)
    except tuple(checks.faults) as error:
        return next(cause for kind, cause in checks.faults.items() if isinstance(error, kind)).found()
