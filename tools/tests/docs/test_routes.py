"""The page of routes names each operation with its access."""

from tools.docs.routes import chapter

DOCUMENT = {
    "servers": [{"url": "/shop/"}],
    "paths": {
        "/api/carts": {
            "get": {"tags": ["Carts"], "summary": "List carts", "description": "At most 20.\n\nAny session."},
            "post": {"tags": ["Carts"], "summary": "Add a cart", "description": "Any session."},
        },
        "/api/health": {"get": {"tags": ["Health"], "summary": "Alive?", "description": "Public."}},
    },
}


def test_routes_are_listed_by_tag_with_prefix_and_access() -> None:
    heading, carts, table, health, last = chapter("shop", DOCUMENT)
    assert (heading, carts, health) == ("## shop", "### Carts", "### Health")
    assert table.splitlines()[2:] == [
        "| `GET /shop/api/carts` | List carts | Any session |",
        "| `POST /shop/api/carts` | Add a cart | Any session |",
    ]
    assert last.splitlines()[2:] == ["| `GET /shop/api/health` | Alive? | Public |"]
