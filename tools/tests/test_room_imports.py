"""Imports between the rooms of the gateway: each one is listed here, so that a new one is a decision."""

from collections.abc import Mapping

import grimp

COMPOSITION = frozenset({"__main__", "app", "command_line", "commands", "components", "doctor", "main"})
"""Rooms that open, connect or inspect the others; the layers in pyproject.toml limit what they import."""

IMPORTS: Mapping[str, frozenset[str]] = {
    "audit": frozenset({"store", "values", "web"}),
    "example_values": frozenset(),
    "extensions": frozenset({"queries", "records", "reports", "values"}),
    "files": frozenset({"settings", "values", "web"}),
    "health": frozenset(),
    "metrics": frozenset({"files", "values", "writes"}),
    "operations": frozenset({"audit", "metrics", "reports", "settings", "web"}),
    "people": frozenset({"audit", "settings", "store", "values", "web"}),
    "queries": frozenset({"files", "settings", "values", "web"}),
    "records": frozenset({"audit", "files", "settings", "store", "values", "web", "writes"}),
    "reports": frozenset({"audit", "files", "queries", "settings", "store", "values", "web"}),
    "settings": frozenset({"values"}),
    "store": frozenset({"settings"}),
    "values": frozenset(),
    "web": frozenset({"values"}),
    "writes": frozenset({"audit", "settings", "store", "values", "web"}),
}
"""For each room, the rooms that it imports. Prefer a shared value type or a parameter to a new entry."""


def test_rooms_import_what_is_listed_and_nothing_else() -> None:
    graph = grimp.build_graph("erp_gateway")
    rooms = {module.rpartition(".")[2]: module for module in graph.find_children("erp_gateway")}
    found = {
        room: frozenset(
            other
            for other in rooms
            if other != room
            and graph.direct_import_exists(importer=rooms[room], imported=rooms[other], as_packages=True)
        )
        for room in rooms.keys() - COMPOSITION
    }
    assert found == dict(IMPORTS)
