"""Route patterns against a reference matcher, and every form that must be refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from erp_gateway.people.permissions.patterns import (
    MAX_PATTERN_CHARS,
    MAX_PATTERNS,
    InvalidPatternsError,
    RouteSet,
    parse_patterns,
    pattern_problem,
)

# Few letters, so that routes and patterns meet often; dots and a hyphen, because they invite mistakes.
SEGMENT = st.text("xy.-", min_size=1, max_size=3).filter(lambda text: text not in (".", ".."))
ROUTE = st.lists(SEGMENT, min_size=1, max_size=4).map(lambda segments: "/" + "/".join(segments))
PATTERN = st.one_of(st.just("*"), ROUTE, ROUTE.map(lambda route: f"{route}/*"))
NOISE = st.text("/*xy.%- ", max_size=8)


def reference_allows(pattern: str, route: str) -> bool:
    """Say the rule in the words of the contract, segment by segment."""
    if pattern == "*":
        return True
    wanted, requested = pattern.split("/"), route.split("/")
    if wanted[-1] == "*":
        return requested[: len(wanted) - 1] == wanted[:-1]
    return requested == wanted


@given(st.lists(PATTERN, max_size=4), ROUTE)
def test_a_set_allows_a_route_if_one_pattern_does(patterns: list[str], route: str) -> None:
    allowed = RouteSet(patterns).allows(route)
    assert allowed == any(reference_allows(pattern, route) for pattern in patterns)


@pytest.mark.parametrize(
    ("pattern", "route", "allowed"),
    [
        ("*", "/anything/at/all", True),
        ("/x/*", "/x", True),
        ("/x/*", "/x/a", True),
        ("/x/*", "/x/a/b", True),
        ("/x/*", "/x-y", False),
        ("/x/*", "/xa", False),
        ("/x/*", "/", False),
        ("/x/y", "/x/y", True),
        ("/x/y", "/x", False),
        ("/x/y", "/x/y/z", False),
        ("/x/y", "/X/y", False),
        ("/x/y/*", "/x", False),
    ],
)
def test_routes_that_a_pattern_allows(pattern: str, route: str, allowed: bool) -> None:
    assert RouteSet(parse_patterns([pattern])).allows(route) is allowed


@pytest.mark.parametrize(
    "route",
    ["", "x", "/x/", "/x//y", "/x/../admin", "/x/.", "/x/%2e%2e", "/x/a\n", "/x/*", "/x/a b", "/x/ñ", "//x"],
)
def test_only_the_wildcard_allows_a_text_that_is_not_a_route(route: str) -> None:
    assert not RouteSet(["/x/*", "/x", "/admin"]).allows(route)
    assert RouteSet(["*"]).allows(route)


def test_the_wildcard_means_total_access() -> None:
    assert RouteSet(["/x", "*"]).is_total
    assert not RouteSet(["/x/*"]).is_total
    assert not RouteSet([]).allows("/x")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "/*",
        "**",
        "/x*",
        "/x/*/y",
        "/x/**",
        "//",
        "//x",
        "/x//y",
        "/x/",
        "/x/ ",
        "x/y",
        "x",
        "/..",
        "/x/..",
        "/../x",
        "/x/./y",
        "/.",
        "/x/*/",
        "/x y",
        "/ñ",
        "/x%20y",
        "/x\n",
        "* ",
        "/x?y",
        "/x#y",
        "/x\\y",
        "/" + "x" * MAX_PATTERN_CHARS,
    ],
)
def test_an_invalid_pattern_is_rejected(text: str) -> None:
    assert pattern_problem(text) is not None


def test_a_rejection_lists_the_valid_forms() -> None:
    long, other = "/" + "x" * MAX_PATTERN_CHARS, "/x*"
    with pytest.raises(InvalidPatternsError) as caught:
        parse_patterns([long, other])
    result = [
        f"El patrón tiene más de {MAX_PATTERN_CHARS} caracteres.",
        (
            "El patrón debe ser «*», una ruta como «/ventas/pedidos» o una rama como «/ventas/*»; "
            "cada tramo admite letras sin acento, números y los signos . _ ~ -"
        ),
    ]
    assert list(caught.value.problems.values()) == result
    assert str(caught.value) == "; ".join(result)
    with pytest.raises(InvalidPatternsError, match=f"^Se admiten como máximo {MAX_PATTERNS} patrones\\.$"):
        parse_patterns(["/x"] * (MAX_PATTERNS + 1))


@pytest.mark.parametrize(
    "text", ["*", "/x", "/x/y", "/x/*", "/x.y/~z-_", "/...", "/x/..y", "/" + "x" * (MAX_PATTERN_CHARS - 1)]
)
def test_the_three_forms_are_accepted(text: str) -> None:
    assert pattern_problem(text) is None


@given(NOISE)
def test_every_accepted_pattern_has_one_of_the_three_forms(text: str) -> None:
    if pattern_problem(text) is None and text != "*":
        segments = text.split("/")
        assert segments[0] == ""
        inner = segments[1:-1] if segments[-1] == "*" else segments[1:]
        assert inner
        assert all(
            segment and segment not in (".", "..") and set(segment) <= set("xy.-") for segment in inner
        )


def test_a_list_keeps_its_order_without_duplicates() -> None:
    assert parse_patterns(["/b", "/a/*", "/b", "*", "/a/*"]) == ("/b", "/a/*", "*")


def test_a_list_may_be_empty_and_as_long_as_the_limit() -> None:
    assert parse_patterns([]) == ()
    assert len(parse_patterns([f"/x{number}" for number in range(MAX_PATTERNS)])) == MAX_PATTERNS


def test_a_list_reports_every_problem_by_index() -> None:
    with pytest.raises(InvalidPatternsError) as caught:
        parse_patterns(["/ok", "/*", "/ok/*", "bad"])
    assert list(caught.value.problems) == [1, 3]


def test_a_list_that_is_too_long_is_rejected_as_a_whole() -> None:
    with pytest.raises(InvalidPatternsError) as caught:
        parse_patterns(["/x"] * (MAX_PATTERNS + 1))
    assert list(caught.value.problems) == [None]
