"""A generated piece of documentation: a whole file, or the part of it between two markers."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from attrs import frozen


class MarkersError(ValueError):
    """A file lacks the markers of a part, or has them twice. The text names both."""


@frozen
class Part:
    """One generated part of the documentation.

    Attributes:
        file: path of the file below the root.
        text: builds the piece.
        markers: name in the markers around it; None if the whole file is generated.
    """

    file: str
    text: Callable[[], str]
    markers: str | None = None

    def put_into(self, content: str) -> str:
        """Return the file's content with this piece as the code has it now.

        Raises:
            MarkersError: the content does not have the markers exactly once.
        """
        if self.markers is None:
            return self.text()
        begin, end = f"<!-- begin {self.markers} (make docs) -->", f"<!-- end {self.markers} -->"
        around = re.split(f"{re.escape(begin)}.*?{re.escape(end)}", content, flags=re.DOTALL)
        if len(around) != 2:
            raise MarkersError(f"{self.file} has {begin} … {end} {len(around) - 1} times, expected once")
        return f"{begin}\n\n{self.text().strip()}\n\n{end}".join(around)


def outdated(parts: Iterable[Part], root: Path) -> dict[str, str]:
    """Return the files that differ from what the code determines, each with its new content."""
    present: dict[str, str | None] = {}
    wanted: dict[str, str] = {}
    for part in parts:
        if part.file not in present:
            path = root / part.file
            present[part.file] = path.read_text(encoding="utf-8") if path.exists() else None
        wanted[part.file] = part.put_into(wanted.get(part.file, present[part.file] or ""))
    return {file: content for file, content in wanted.items() if content != present[file]}


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    # An empty cell has one blank, as in handwritten tables.
    lines += ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in rows]
    return "\n".join(lines)
