"""Diagrams of docs/architecture.md: the rooms of the services and the simulator, and what they import.

An arrow means "imports". If A imports B and B imports C, the diagram leaves out the arrow from A to C.
"""

from collections.abc import Iterable, Mapping
from functools import partial

import grimp

from tools.docs.part import Part

DRAWN = ("erp_gateway", "supplier_returns", "erpsim")


def arrows(package: str) -> list[tuple[str, str]]:
    """Return the imports between packages, without those that follow from others."""
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
    """Return every package that one imports, directly or not."""
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
    """Return the node of a package. Mermaid gives underscores at the ends of names another meaning."""
    name = room.replace("__", "dunder_", 1).strip("_")
    return f'{name}["{room}"]'


PARTS = tuple(
    Part("docs/architecture.md", partial(picture, package), markers=f"rooms of {package}")
    for package in DRAWN
)
