"""Route patterns: `*`, `/x/*`, `/x/y`.

A menu route is a slash and one or more segments of `A-Za-z0-9._~-`, joined by slashes; a segment is never
`.` or `..`. A pattern is such a route, such a route followed by `/*`, or `*` alone.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Self

from attrs import frozen

from erp_gateway.declarations import is_menu_route

MAX_PATTERNS: Final = 500
"""The most patterns one user may have."""

MAX_PATTERN_CHARS: Final = 200
"""The most characters one pattern may have."""

EVERYTHING: Final = "*"
"""The pattern of an administrator."""

_SUBTREE: Final = "/*"


class InvalidPatternError(ValueError):
    """The text is no route pattern; the message says why, in Spanish, for the person who wrote it."""


@frozen
class PatternProblem:
    """What is wrong: `index` is the place in the list, None for the list as a whole."""

    index: int | None
    message: str


class InvalidPatternsError(ValueError):
    """A list of patterns has faults; `problems` names them all."""

    def __init__(self, problems: Sequence[PatternProblem]) -> None:
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = tuple(problems)


@frozen
class RoutePattern:
    """One permitted form of route."""

    text: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the pattern that `text` writes.

        Raises:
            InvalidPatternError: it is none of the three forms.
        """
        if len(text) > MAX_PATTERN_CHARS:
            raise InvalidPatternError(f"El patrón tiene más de {MAX_PATTERN_CHARS} caracteres.")
        if text != EVERYTHING and not is_menu_route(text.removesuffix(_SUBTREE)):
            raise InvalidPatternError(
                "El patrón debe ser «*», una ruta como «/ventas/pedidos» o una rama como «/ventas/*»; "
                "cada tramo admite letras sin acento, números y los signos . _ ~ -"
            )
        return cls(text)


def parse_patterns(texts: Sequence[str]) -> tuple[RoutePattern, ...]:
    """Return the patterns in the order given, each once.

    Raises:
        InvalidPatternsError: with every fault found.
    """
    if len(texts) > MAX_PATTERNS:
        raise InvalidPatternsError([PatternProblem(None, f"Se admiten como máximo {MAX_PATTERNS} patrones.")])
    patterns: dict[str, RoutePattern] = {}
    problems = []
    for index, text in enumerate(texts):
        try:
            patterns[text] = RoutePattern.parse(text)
        except InvalidPatternError as error:
            problems.append(PatternProblem(index, str(error)))
    if problems:
        raise InvalidPatternsError(problems)
    return tuple(patterns.values())


class RouteSet:
    """The patterns of one user, made ready for many questions."""

    __slots__ = ("_exact", "_subtrees", "is_total")

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take the texts of valid patterns."""
        texts = frozenset(patterns)
        self.is_total = EVERYTHING in texts
        self._subtrees = frozenset(text.removesuffix(_SUBTREE) for text in texts if text.endswith(_SUBTREE))
        self._exact = texts | self._subtrees

    def allows(self, route: str) -> bool:
        """Tell whether any pattern permits the menu route.

        A text that is no menu route (empty, with `..`, `//`, `%`, a slash at the end) only `*` permits.
        """
        if self.is_total:
            return True
        if not is_menu_route(route):
            return False
        if route in self._exact:
            return True
        above = route.rpartition("/")[0]
        while above:
            if above in self._subtrees:
                return True
            above = above.rpartition("/")[0]
        return False
