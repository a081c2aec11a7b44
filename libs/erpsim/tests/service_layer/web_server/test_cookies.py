"""Cookies as seen on the wire."""

from __future__ import annotations

import pytest

from erpsim.service_layer.web_server.cookies import read_cookies, read_node, route_cookie, session_cookie


def test_the_session_cookie_has_no_path_and_a_dangling_semicolon() -> None:
    assert session_cookie("abc", secure=False) == "B1SESSION=abc;HttpOnly;"


def test_the_route_cookie_has_the_path_of_the_service() -> None:
    assert route_cookie(1, secure=False) == "ROUTEID=.node1; path=/b1s"


def test_newer_builds_add_secure_and_same_site_to_cookies() -> None:
    assert session_cookie("abc", secure=True) == "B1SESSION=abc;HttpOnly; Secure; SameSite=None"
    assert route_cookie(2, secure=True) == "ROUTEID=.node2; path=/b1s; Secure; SameSite=None"


@pytest.mark.parametrize(
    ("header", "cookies"),
    [
        (None, {}),
        ("", {}),
        ("B1SESSION=a; ROUTEID=.node1", {"B1SESSION": "a", "ROUTEID": ".node1"}),
        ("B1SESSION=a;ROUTEID=.node1;", {"B1SESSION": "a", "ROUTEID": ".node1"}),
        ("a=1; a=2; junk", {"a": "1"}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_a_cookie_header_is_read(header: str | None, cookies: dict[str, str]) -> None:
    assert read_cookies(header) == cookies


@pytest.mark.parametrize(
    ("value", "node"),
    [
        (".node1", 1),
        (".node4", 4),
        (".node5", None),
        (".node0", None),
        ("node1", None),
        (None, None),
        (".nodeX", None),
    ],
)
def test_a_route_names_an_existing_node_or_none(value: str | None, node: int | None) -> None:
    assert read_node(value, 4) == node
