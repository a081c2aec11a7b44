"""Problems of single fields, as a response reports them."""

from collections.abc import Iterable
from itertools import islice
from typing import Final, Self

import attrs


@attrs.frozen
class FieldProblem:
    """Problem of one field: `path` as in `paths[0]` (wire names), `message` in Spanish for people."""

    path: str
    message: str


MAX_REPORTED: Final = 20
"""Maximum number of problems in one response, each with its path; a final entry counts the others."""


class ReportedProblems(tuple[FieldProblem, ...]):
    """The first problems of a request, at most `MAX_REPORTED`, and one more entry about those left out."""

    __slots__ = ()

    @classmethod
    def of(cls, problems: Iterable[FieldProblem], *, more: int = 0, unread: int = 0) -> Self:
        """Keep the first problems and count the others.

        Args:
            problems: all problems; a `ReportedProblems` is returned unchanged.
            more: number of further problems.
            unread: number of items not checked after the maximum was reached.
        """
        if isinstance(problems, cls):
            return problems
        found = iter(problems)
        reported = tuple(islice(found, MAX_REPORTED))
        more += sum(1 for _ in found)
        omitted = {"problemas sin mostrar": more, "elementos sin revisar": unread}
        counts = "; ".join(f"{label}: {count}" for label, count in omitted.items() if count)
        return cls((*reported, FieldProblem("", f"Además, {counts}."))) if counts else cls(reported)
