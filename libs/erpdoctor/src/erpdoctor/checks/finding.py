"""Causes and findings of checks, as values."""

import re
from collections.abc import Mapping
from typing import Final

from attrs import Attribute, evolve, field, frozen

from servicekit.last_run import Outcome

_CODE: Final = re.compile(r"[a-z][a-z0-9_]*")
_WORD: Final = re.compile(r"[A-Za-z0-9_.:@/-]{0,80}")

Figure = bool | int | float | str | tuple[str, ...]
"""Allowed values in the JSON: numbers, and words of the program's own lists (resources, fields, versions)."""


def _check_code(_cause: object, _attribute: "Attribute[str]", code: str) -> None:
    if not _CODE.fullmatch(code):
        raise ValueError(f"{code!r} is no code of a cause; allowed: snake_case")


@frozen
class Cause:
    """Reason why a check is not ok. Its texts are fixed, so that they contain no data of an installation.

    Attributes:
        code: stable code for programs.
        outcome: its severity.
        text: the fault, in Spanish.
        remedy: the remedy, one sentence in Spanish; empty if no action is needed.
        english: what is wrong, in English, for the documentation and for terminals in English. Links name the
            page: `docs/audit.md`.
        english_remedy: the remedy in English.
        page: the documentation's page, if it differs from the check's.
    """

    code: str = field(validator=_check_code)
    outcome: Outcome
    text: str
    remedy: str = ""
    english: str = ""
    page: str | None = None
    english_remedy: str = ""

    def found(self, seen: str = "", /, **figures: Figure) -> "Finding":
        """Return the finding of this cause.

        Args:
            seen: observed facts, only for the terminal: may name hosts and users, but no secrets.
            figures: further values for the JSON.
        """
        return Finding(self, seen, figures)


def fail(
    code: str,
    text: str,
    *,
    remedy: str,
    english: str = "",
    english_remedy: str = "",
    page: str | None = None,
) -> Cause:
    """Declare a cause that makes a check fail."""
    return Cause(code, Outcome.FAIL, text, remedy, english, page, english_remedy)


def warn(
    code: str,
    text: str,
    *,
    remedy: str,
    english: str = "",
    english_remedy: str = "",
    page: str | None = None,
) -> Cause:
    """Declare a cause that is only a warning."""
    return Cause(code, Outcome.WARN, text, remedy, english, page, english_remedy)


def skipped(
    code: str,
    text: str,
    *,
    remedy: str = "",
    english: str = "",
    english_remedy: str = "",
    page: str | None = None,
) -> Cause:
    """Declare a reason to skip a check."""
    return Cause(code, Outcome.SKIPPED, text, remedy, english, page, english_remedy)


def _check_figures(_finding: object, _attribute: object, figures: Mapping[str, Figure]) -> None:
    for name, value in figures.items():
        words = value if isinstance(value, tuple) else (value,)
        if not all(_WORD.fullmatch(word) for word in words if isinstance(word, str)):
            raise ValueError(f"the figure {name} is no word")


@frozen
class Finding:
    """Result of running a check.

    Attributes:
        cause: reason of a result that is not ok; None for ok.
        seen: observed facts, only for the terminal.
        figures: its values for the JSON.
        suspects: names of earlier checks that are the likely reason if they failed too.
    """

    cause: Cause | None = None
    seen: str = ""
    figures: Mapping[str, Figure] = field(factory=dict, validator=_check_figures)
    suspects: tuple[str, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """Outcome of the check."""
        return Outcome.OK if self.cause is None else self.cause.outcome

    def suspecting(self, *names: str) -> "Finding":
        """Return the same finding with suspects; the run drops those that did not fail."""
        return evolve(self, suspects=names)


def ok(seen: str = "", /, **figures: Figure) -> Finding:
    """Return the finding of an ok check.

    Args:
        seen: observed facts, only for the terminal: may name hosts and users, but no secrets.
        figures: its values for the JSON.
    """
    return Finding(None, seen, figures)
