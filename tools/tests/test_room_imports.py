"""Imports between the rooms of a service: each one is listed here, so that a new one is a decision."""

from collections.abc import Mapping

import grimp
import pytest

COMPOSITION = frozenset(
    {"__main__", "app", "command_line", "commands", "components", "conformance", "doctor", "main"}
)
"""Rooms that open, connect or inspect the others; the layers in pyproject.toml limit what they import."""

GATEWAY: Mapping[str, frozenset[str]] = {
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

RETURNS: Mapping[str, frozenset[str]] = {
    "auth": frozenset({"shape_fields", "web"}),
    "catalogues": frozenset({"metadata", "planning", "settings", "shape_fields", "web"}),
    "certificates": frozenset(),
    "example_values": frozenset({"metadata"}),
    "execution": frozenset({"planning", "quantities", "settings", "web"}),
    "health": frozenset({"web"}),
    "metadata": frozenset({"saved_queries", "shape_fields", "web"}),
    "pasting": frozenset({"quantities"}),
    "planning": frozenset({"pasting", "quantities", "settings", "shape_fields", "web"}),
    "quantities": frozenset(),
    "saved_queries": frozenset({"planning", "web"}),
    "settings": frozenset({"certificates"}),
    "shape_fields": frozenset({"quantities"}),
    "tax_documents": frozenset({"execution", "planning", "web"}),
    "web": frozenset({"settings"}),
}

IMPORTS = {"erp_gateway": GATEWAY, "supplier_returns": RETURNS}
"""For each room, the rooms that it imports. Prefer a shared value type or a parameter to a new entry."""


@pytest.mark.parametrize("package", IMPORTS)
def test_rooms_import_exactly_the_listed_rooms(package: str) -> None:
    graph = grimp.build_graph(package)
    rooms = {module.rpartition(".")[2]: module for module in graph.find_children(package)}
    found = {
        room: frozenset(
            other
            for other in rooms
            if other != room
            and graph.direct_import_exists(importer=rooms[room], imported=rooms[other], as_packages=True)
        )
        for room in rooms.keys() - COMPOSITION
    }
    assert found == dict(IMPORTS[package])
