"""Draw the rooms of the services and the simulator with their arrows, from the import graph, as Mermaid.

Run as: python -m tools.room_map [--write]

An arrow means "imports". Those that follow from others are left out: where A imports B and B imports C, an
arrow from A to C tells nothing new. `--write` puts the pictures between their marks in docs/architecture.md,
where a test looks.
"""

import argparse
import re
from collections.abc import Iterable, Mapping

import grimp

from tools.packages import ROOT

DRAWN = ("erp_gateway", "supplier_returns", "erpsim")
PAGE = ROOT / "docs/architecture.md"


def arrows(package: str) -> list[tuple[str, str]]:
    """Return which rooms of a package import which, without the arrows that follow from others."""
    graph = grimp.build_graph(package)
    rooms = sorted(graph.find_children(package))
    taken = {
        room: {
            other
            for other in rooms
            if other != room and graph.direct_import_exists(importer=room, imported=other, as_packages=True)
        }
        for room in rooms
    }
    return sorted(
        (room.partition(".")[2], other.partition(".")[2])
        for room in rooms
        for other in taken[room]
        if not any(other in reach(next_, taken) for next_ in taken[room] - {other})
    )


def reach(room: str, taken: Mapping[str, Iterable[str]]) -> set[str]:
    """Return every room that one imports, directly or not."""
    found: set[str] = set()
    waiting = [room]
    while waiting:
        new = set(taken[waiting.pop()]) - found
        found |= new
        waiting.extend(new)
    return found


def picture(package: str) -> str:
    """Return a package's rooms as a Mermaid flow chart."""
    lines = [f"    {_node(room)} --> {_node(other)}" for room, other in arrows(package)]
    return "\n".join(["```mermaid", "flowchart TD", *lines, "```"])


def _node(room: str) -> str:
    """Name a room; names with underscores at their ends mean something else to Mermaid."""
    name = room.replace("__", "dunder_", 1).strip("_")
    return f'{name}["{room}"]'


def drawn_into(text: str) -> str:
    """Return the page with today's pictures between their marks."""
    for package in DRAWN:
        begin, end = f"<!-- rooms of {package} -->\n", f"<!-- end of {package} -->"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        parts = pattern.split(text)
        count = len(parts) - 1
        text = f"{begin}{picture(package)}\n{end}".join(parts)
        if count != 1:
            raise ValueError(f"the page has {count} places for {package}")
    return text


def main() -> None:
    """Print the pictures, or write them into the page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        PAGE.write_text(drawn_into(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print("\n\n".join(map(picture, DRAWN)))


if __name__ == "__main__":
    main()
