"""Route patterns: `*`, `/x/*`, `/x/y`.

A menu route is a slash and one or more segments of `A-Za-z0-9._~-`, joined by slashes; a segment is never
`.` or `..`. A pattern is such a route, a route followed by `/*`, or `*` alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from erp_gateway.values.declarations import is_menu_route

MAX_PATTERNS: Final = 500
"""The most patterns one user may have."""

MAX_PATTERN_CHARS: Final = 200
"""The most characters one pattern may have."""

EVERYTHING: Final = "*"
"""The pattern of an administrator."""

_SUBTREE: Final = "/*"


class InvalidPatternsError(ValueError):
    """A list of patterns has errors.

    Attributes:
        problems: messages in Spanish, by index in the list; None is the index of the list as a whole.
    """

    def __init__(self, problems: Mapping[int | None, str]) -> None:
        super().__init__("; ".join(problems.values()))
        self.problems = problems


def pattern_problem(text: str) -> str | None:
    """Return the problem of a pattern, in Spanish, or None if it is valid."""
    if len(text) > MAX_PATTERN_CHARS:
        return f"El patrón tiene más de {MAX_PATTERN_CHARS} caracteres."
    if text == EVERYTHING or is_menu_route(text.removesuffix(_SUBTREE)):
        return None
    return (
        "El patrón debe ser «*», una ruta como «/ventas/pedidos» o una rama como «/ventas/*»; "
        "cada tramo admite letras sin acento, números y los signos . _ ~ -"
    )


def parse_patterns(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the patterns in the given order, without duplicates.

    Raises:
        InvalidPatternsError: with every problem.
    """
    if len(texts) > MAX_PATTERNS:
        raise InvalidPatternsError({None: f"Se admiten como máximo {MAX_PATTERNS} patrones."})
    checked = {index: pattern_problem(text) for index, text in enumerate(texts)}
    problems: dict[int | None, str] = {index: each for index, each in checked.items() if each is not None}
    if problems:
        raise InvalidPatternsError(problems)
    return tuple(dict.fromkeys(texts))


class RouteSet:
    """The patterns of one user, prepared for fast lookups."""

    __slots__ = ("_exact", "_subtrees", "is_total")

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take the texts of valid patterns."""
        texts = frozenset(patterns)
        self.is_total = EVERYTHING in texts
        self._subtrees = frozenset(text.removesuffix(_SUBTREE) for text in texts if text.endswith(_SUBTREE))
        self._exact = texts | self._subtrees

    def allows(self, route: str) -> bool:
        """Return True if a pattern permits the menu route.

        Only `*` permits a text that is not a menu route (empty, with `..`, `//`, `%`, or a trailing slash).
        """
        if self.is_total:
            return True
        if not is_menu_route(route):
            return False
        if route in self._exact:
            return True
        parent = route.rpartition("/")[0]
        while parent:
            if parent in self._subtrees:
                return True
            parent = parent.rpartition("/")[0]
        return False
