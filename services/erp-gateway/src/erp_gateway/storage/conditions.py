"""What people ask for, as the WHERE clause of a statement."""

from collections.abc import Iterable
from typing import Any


def where(asked: Iterable[tuple[str, Any]]) -> tuple[str, list[Any]]:
    """Return the clause for the conditions that must all hold, and its values.

    Args:
        asked: fixed texts such as `web_user = ?`, each with its value; None asks nothing.
    """
    held = [(test, value) for test, value in asked if value is not None]
    clause = " AND ".join(test for test, _ in held) or "TRUE"
    return f"WHERE {clause}", [value for _, value in held]
