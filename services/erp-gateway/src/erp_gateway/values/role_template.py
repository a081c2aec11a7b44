"""Role templates: the routes of a kind of work, under the name that the installation uses."""

from collections.abc import Iterator
from typing import Final

from attrs import frozen

from erp_gateway.values.declarations import is_menu_route

MAX_NAME_CHARS: Final = 60
MAX_DESCRIPTION_CHARS: Final = 200
_EVERYTHING: Final = "*"


@frozen(kw_only=True)
class RoleTemplate:
    """The route patterns of a kind of work. Each person keeps patterns of their own: a template is no right.

    Attributes:
        name: what people call it, such as `Ventas`.
        paths: route patterns.
        description: what it is for, in Spanish.
    """

    name: str
    paths: tuple[str, ...]
    description: str | None = None

    def problems(self) -> Iterator[str]:
        """Yield a sentence for each fault of the declaration."""
        if not self.name.strip() or len(self.name) > MAX_NAME_CHARS:
            yield f"the name must have 1 to {MAX_NAME_CHARS} characters"
        if self.description is not None and len(self.description) > MAX_DESCRIPTION_CHARS:
            yield f"the description must have at most {MAX_DESCRIPTION_CHARS} characters"
        if not self.paths:
            yield "it needs at least one route"
        for path in self.paths:
            if path != _EVERYTHING and not is_menu_route(path.removesuffix("/*")):
                yield f"{path!r} is no route pattern such as /ventas/pedidos or /ventas/*"
        if len(set(self.paths)) < len(self.paths):
            yield "it has a route twice"
