"""Problems of single fields, as an answer reports them."""

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
"""Problems of fields that one answer tells, each with its path; one last entry counts the others."""


class ReportedProblems(tuple[FieldProblem, ...]):
    """The first problems of a request, at most `MAX_REPORTED`, and one more entry about those left out."""

    __slots__ = ()

    @classmethod
    def of(cls, problems: Iterable[FieldProblem], *, more: int = 0, unread: int = 0) -> Self:
        """Take the first problems and count the others.

        Args:
            problems: as many as were found; a `ReportedProblems` stays what it is.
            more: problems that were counted without being made.
            unread: items that nobody looked at, because enough was wrong before them.
        """
        if isinstance(problems, cls):
            return problems
        found = iter(problems)
        reported = tuple(islice(found, MAX_REPORTED))
        more += sum(1 for _ in found)
        left_out = {"problemas sin mostrar": more, "elementos sin revisar": unread}
        counts = "; ".join(f"{what}: {count}" for what, count in left_out.items() if count)
        return cls((*reported, FieldProblem("", f"Además, {counts}."))) if counts else cls(reported)
