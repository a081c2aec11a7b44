import pytest

from erp_gateway.values.declarations import is_menu_route


@pytest.mark.parametrize("route", ["/x", "/ventas/pedidos", "/a/b/c", "/a.b/c~d/e_f-g", "/...", "/.a", "/0"])
def test_exact_routes_are_menu_routes(route: str) -> None:
    assert is_menu_route(route)


@pytest.mark.parametrize(
    "route",
    [
        *("", "/", "x", "*", "/*", "/x/*", "/x*", "//", "/x//y", "/x/", "/..", "/x/../y", "/.", "/x/."),
        *("/ñ", "/x y", "/x\n", "/%78", "/" + "x" * 500),
    ],
)
def test_patterns_and_malformed_texts_are_not_menu_routes(route: str) -> None:
    assert not is_menu_route(route)
