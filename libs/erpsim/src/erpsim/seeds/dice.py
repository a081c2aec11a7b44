"""Deterministic random draws, equal on every version of Python."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Dice:
    """Draws from a fixed seed with `random()`, the only method whose sequence Python guarantees.

    Args:
        seed: a text; different texts give independent draws.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random  # noqa: S311 - sample data, no secrets

    def below(self, limit: int) -> int:
        """Return a whole number from 0 up to, and without, the limit."""
        return int(self._random() * limit)

    def between(self, low: int, high: int) -> int:
        """Return a whole number from low to high, both included."""
        return low + int(self._random() * (high - low + 1))

    def pick(self, choices: Sequence[_T]) -> _T:
        """Return one of the choices."""
        return choices[int(self._random() * len(choices))]

    def chance(self, percent: float) -> bool:
        """Return True with this probability."""
        return self._random() * 100 < percent
