"""Changes of an API description that break clients are described; others are not mentioned."""

import json
from copy import deepcopy
from typing import Any

import pytest
from tools.api_changes import breaking_changes
from tools.docs.api import FOLDER
from tools.packages import ROOT


def thing(name: str) -> dict[str, Any]:
    """Return a schema that holds a list of itself."""
    return {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "note": {"type": ["string", "null"]},
            "state": {"type": "string", "enum": ["open", "closed"]},
            "parts": {"type": "array", "items": {"$ref": f"#/components/schemas/{name}"}},
        },
        "required": ["id", "note"],
    }


JSON = "application/json"
PAGE = {"name": "page", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 9}}
DOCUMENT: dict[str, Any] = {
    "paths": {
        "/things/{id}": {
            "get": {
                "parameters": [
                    {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}},
                    {
                        "name": "page",
                        "in": "query",
                        "schema": {"type": "integer", "minimum": 1, "maximum": 9},
                    },
                ],
                "security": [],
                "responses": {
                    "200": {
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
                    },
                    "404": {"content": {}},
                },
            },
            "put": {
                "requestBody": {
                    "required": False,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/New"}}},
                },
                "security": [],
                "responses": {"204": {}},
            },
        }
    },
    "components": {"schemas": {"Thing": thing("Thing"), "New": thing("New")}},
}


def changed(place: str, value: object) -> dict[str, Any]:
    """Return the document with another value at a place; `...` takes it away."""
    document = deepcopy(DOCUMENT)
    *way, last = place.split("|")
    at: Any = document
    for step in way:
        at = at[int(step) if isinstance(at, list) else step]
    if value is ...:
        del at[int(last) if isinstance(at, list) else last]
    else:
        at[int(last) if isinstance(at, list) else last] = value
    return document


GET = "paths|/things/{id}|get"
PUT = "paths|/things/{id}|put"
ANSWERED, ASKED = "components|schemas|Thing", "components|schemas|New"


def test_an_identical_document_breaks_no_client() -> None:
    assert breaking_changes(DOCUMENT, DOCUMENT) == []


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        (GET, ..., "GET /things/{id}: is gone"),
        (PUT, ..., "PUT /things/{id}: is gone"),
        (f"{GET}|responses|200", ..., "GET /things/{id}: no longer answers 200"),
        (f"{GET}|responses|200|content", {}, "GET /things/{id}: answer 200 is no longer application/json"),
        (f"{GET}|security", [{"session": []}], "GET /things/{id}: needs a session now"),
        (f"{GET}|parameters|1", ..., "GET /things/{id}: query parameter page is gone"),
        (f"{GET}|parameters|1|required", True, "GET /things/{id}: query parameter page is required now"),
        (
            f"{GET}|parameters|1|schema|maximum",
            5,
            "GET /things/{id}: query parameter page: maximum is 5 now, was 9",
        ),
        (
            f"{GET}|parameters|1|schema|minimum",
            2,
            "GET /things/{id}: query parameter page: minimum is 2 now, was 1",
        ),
        (
            f"{GET}|parameters|1|schema|type",
            "string",
            "GET /things/{id}: query parameter page must be string now, might be integer",
        ),
        (
            f"{PUT}|parameters",
            [{"name": "new", "in": "query", "required": True, "schema": {}}],
            "PUT /things/{id}: query parameter new is new and required",
        ),
        (f"{PUT}|requestBody|required", True, "PUT /things/{id}: the body is required now"),
        (f"{PUT}|requestBody", ..., "PUT /things/{id}: takes no body any more"),
        (
            f"{PUT}|requestBody|content",
            {"text/csv": {}},
            "PUT /things/{id}: the body is no longer taken as application/json",
        ),
        (f"{ANSWERED}|properties|note", ..., "GET /things/{id}: answer 200: field note is gone"),
        (f"{ANSWERED}|required", ["id"], "GET /things/{id}: answer 200: field note may be missing now"),
        (
            f"{ANSWERED}|properties|id|type",
            ["integer", "null"],
            "GET /things/{id}: answer 200.id is integer, null now, was integer",
        ),
        (
            f"{ASKED}|required",
            ["id", "note", "name"],
            "PUT /things/{id}: body: field name is new and required",
        ),
        (
            f"{ASKED}|required",
            ["id", "note", "state"],
            "PUT /things/{id}: body: field state is required now",
        ),
        (f"{ASKED}|properties|state", ..., "PUT /things/{id}: body: field state is not taken any more"),
        (f"{ASKED}|properties|state|enum", ["open"], "PUT /things/{id}: body.state no longer takes closed"),
        (
            f"{ASKED}|properties|note|type",
            "string",
            "PUT /things/{id}: body.note must be string now, might be null, string",
        ),
        (
            f"{ASKED}|properties|id|enum",
            [1, 2],
            "PUT /things/{id}: body.id takes only 1, 2 now",
        ),
    ],
)
def test_breaking_changes_are_reported(place: str, value: object, problem: str) -> None:
    assert breaking_changes(DOCUMENT, changed(place, value)) == [problem]


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("paths|/new", {"get": {"responses": {}}}),
        (f"{GET}|responses|206", {}),
        (f"{GET}|responses|404", ...),
        (f"{GET}|summary", "Another"),
        (f"{GET}|parameters|1|schema|maximum", 50),
        (f"{GET}|parameters|1|schema|minimum", ...),
        (f"{PUT}|parameters", [{"name": "new", "in": "query", "schema": {}}]),
        (f"{ANSWERED}|properties|more", {"type": "string"}),
        (f"{ANSWERED}|properties|note|type", "string"),
        (f"{ANSWERED}|properties|state|enum", ["open"]),
        (f"{ASKED}|properties|more", {"type": "string"}),
        (f"{ASKED}|properties|state|enum", ["open", "closed", "lost"]),
        (f"{ASKED}|required", ["id"]),
    ],
)
def test_compatible_changes_are_not_reported(place: str, value: object) -> None:
    assert breaking_changes(DOCUMENT, changed(place, value)) == []


def test_items_of_lists_are_compared() -> None:
    before = changed(f"{ANSWERED}|properties|parts|items", {"type": "object", "properties": {"x": {}}})
    after = changed(f"{ANSWERED}|properties|parts|items", {"type": "object", "properties": {}})
    assert breaking_changes(before, after) == ["GET /things/{id}: answer 200.parts[]: field x is gone"]


@pytest.mark.parametrize(("service", "prefix"), [("erp-gateway", "/"), ("supplier-returns", "/devoluciones")])
def test_a_generated_client_uses_the_prefix_of_the_service(service: str, prefix: str) -> None:
    document = json.loads((ROOT / FOLDER / f"{service}.json").read_text(encoding="utf-8"))
    assert document["servers"] == [{"url": prefix}]
    site = (ROOT / "deploy/nginx.conf").read_text(encoding="utf-8")
    assert prefix == "/" or f"location ^~ {prefix}/" in site
