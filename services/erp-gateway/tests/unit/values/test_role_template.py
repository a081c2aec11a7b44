"""Faults of role templates."""

import pytest

from erp_gateway.values.role_template import RoleTemplate


def test_a_template_with_patterns_of_every_form_is_right() -> None:
    paths = ("*", "/ventas/*", "/ventas/pedidos")
    assert list(RoleTemplate(name="Ventas", paths=paths, description="Todo").problems()) == []


@pytest.mark.parametrize(
    ("role", "problem"),
    [
        (RoleTemplate(name=" ", paths=("/x",)), "the name must have 1 to 60 characters"),
        (RoleTemplate(name="x" * 61, paths=("/x",)), "the name must have 1 to 60 characters"),
        (RoleTemplate(name="x", paths=()), "it needs at least one route"),
        (RoleTemplate(name="x", paths=("/x", "/x")), "it has a route twice"),
        (RoleTemplate(name="x", paths=("ventas",)), "'ventas' is no route pattern such as"),
        (RoleTemplate(name="x", paths=("/ventas/**",)), "'/ventas/**' is no route pattern such as"),
        (RoleTemplate(name="x", paths=("/*",)), "'/*' is no route pattern such as"),
        (RoleTemplate(name="x", paths=("/x/../y",)), "'/x/../y' is no route pattern such as"),
        (RoleTemplate(name="x", paths=("/x",), description="x" * 201), "the description must have at most"),
    ],
)
def test_each_fault_is_one_sentence(role: RoleTemplate, problem: str) -> None:
    (found,) = role.problems()
    assert found.startswith(problem)
