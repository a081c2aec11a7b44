"""Finding endpoints by their still encoded path."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.endpoint.routing import Routes, Target, encoded_path
from servicekit.errors import MethodNotAllowed


@pytest.fixture
def add(make_endpoint: Any) -> Any:
    def add_to(routes: Routes, *declared: str, **more: Any) -> Routes:
        for each in declared:
            method, path = each.split(" ")
            endpoint = make_endpoint(method, path, **more)
            routes.add(Target(endpoint, endpoint.handler))
        return routes

    return add_to


def template(routes: Routes, path: str) -> str | None:
    route = routes.find(path.split("/"))
    return None if route is None else route.template


@pytest.fixture
def routes(add: Any) -> Routes:
    filled: Routes = add(
        Routes(),
        "GET /",
        "GET /api/health",
        "GET /api/orders",
        "POST /api/orders",
        "GET /api/orders/{key}",
        "PATCH /api/orders/{key}",
        "GET /api/orders/recent",
        "POST /api/orders/{key}/{action}",
        "GET /api/orders/recent/{page}/rows",
    )
    return filled


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/", "/"),
        ("/api/health", "/api/health"),
        ("/api/orders/7", "/api/orders/{key}"),
        ("/api/orders/A%2F1", "/api/orders/{key}"),
        ("/api/orders/12%2FCancel", "/api/orders/{key}"),
        ("/api/orders/12/Cancel", "/api/orders/{key}/{action}"),
        ("/api/orders/..", "/api/orders/{key}"),
        ("/api/orders/recent", "/api/orders/recent"),
        ("/api/orders/recent/Cancel", "/api/orders/{key}/{action}"),
        ("/api/orders/recent/2/rows", "/api/orders/recent/{page}/rows"),
        ("/api/orders/recent/2/lines", None),
        ("/api/orders/", None),
        ("/api//orders", None),
        ("/api/orders/7/", None),
        ("/API/orders", None),
        ("/api/%6Frders", None),
        ("//api/orders", None),
        ("", None),
        ("*", None),
        ("http://service/api/orders", None),
    ],
)
def test_each_path_matches_its_template(routes: Routes, path: str, found: str | None) -> None:
    assert template(routes, path) == found


@given(st.text(min_size=1).filter(lambda text: "/" not in text))
def test_an_encoded_segment_is_never_split(segment: str) -> None:
    assert template(Routes(), f"/api/orders/{segment}") is None


def test_the_methods_of_one_template_are_listed_together(routes: Routes) -> None:
    route = routes.find(["", "api", "orders", "7"])
    assert route is not None
    assert route.target("PATCH").endpoint.method == "PATCH"
    assert route.target("HEAD").endpoint.method == "GET"
    with pytest.raises(MethodNotAllowed) as raised:
        route.target("DELETE")
    assert raised.value.headers == {"Allow": "GET, HEAD, PATCH"}


def test_a_template_without_get_answers_no_head(add: Any) -> None:
    route = add(Routes(), "POST /login", "DELETE /login").find(["", "login"])
    with pytest.raises(MethodNotAllowed) as raised:
        route.target("HEAD")
    assert raised.value.headers == {"Allow": "POST, DELETE"}


def test_a_wildcard_endpoint_handles_the_remaining_methods(add: Any) -> None:
    route = add(Routes(), "GET /things/{key}", "* /things/{key}").find(["", "things", "1"])
    assert [route.target(method).endpoint.method for method in ("GET", "HEAD")] == ["GET", "GET"]
    for method in ("POST", "PUT", "PATCH", "DELETE", "OPTIONS", "BREW"):
        assert route.target(method).endpoint.method == "*"


@pytest.mark.parametrize(
    ("declared", "complaint"),
    [
        (["GET /a", "GET /a"], "GET /a is declared twice"),
        (["GET /a/{x}", "POST /a/{y}"], "the same path with other names"),
        (["FETCH /a"], "the method must be one of"),
        (["GET a"], "must begin with /"),
        (["GET /{x}/{x}"], "describe each of its parameters once"),
        (["GET /a{x}"], "a segment is a {name}"),
        (["GET /a b".replace(" b", "%20b")], "a segment is a {name}"),
        (["GET /ñ"], "a segment is a {name}"),
    ],
)
def test_a_template_that_can_not_be_meant_is_refused(add: Any, declared: list[str], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        add(Routes(), *declared)


def test_a_parameter_without_description_is_refused(add: Any) -> None:
    with pytest.raises(ValueError, match="describe each of its parameters once"):
        add(Routes(), "GET /a/{x}", path_params={})


def test_the_raw_path_is_used_if_the_server_provides_it() -> None:
    assert encoded_path({"path": "/a/b", "raw_path": b"/a%2Fb"}) == "/a%2Fb"
    assert encoded_path({"path": "/a/ñ b"}) == "/a/%C3%B1%20b"
