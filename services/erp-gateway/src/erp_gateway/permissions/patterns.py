"""Route patterns: `*`, `/x/*`, `/x/y`."""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen


class InvalidPattern(ValueError):
    """The text is no route pattern; the message says why, in Spanish, for the person who wrote it."""


@frozen
class RoutePattern:
    """One permitted form of route."""

    text: str

    @classmethod
    def parse(cls, text: str) -> RoutePattern:
        """Return the pattern `text` writes.

        Raises:
            InvalidPattern: it is none of the three forms.
        """
        raise NotImplementedError

    def allows(self, route: str) -> bool:
        """Tell whether the menu route is one this pattern permits."""
        raise NotImplementedError


class RouteSet:
    """The patterns of one user, made ready for many questions."""

    def __init__(self, patterns: Iterable[RoutePattern]) -> None:
        raise NotImplementedError

    @property
    def is_total(self) -> bool:
        """Whether `*` is among them."""
        raise NotImplementedError

    def allows(self, route: str) -> bool:
        """Tell whether any pattern permits the menu route."""
        raise NotImplementedError
