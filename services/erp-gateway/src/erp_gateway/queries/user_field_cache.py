"""Cache of user fields' descriptions."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from erp_gateway.queries.user_fields import UserField
from servicekit.cache import Cache
from servicekit.clock import Clock

KEPT_FOR_S: Final = 600.0
MOST_ROWS: Final = 100_000
"""Valid values and rows of linked tables that all remembered definitions hold together: some 20 MiB."""

ReadField = Callable[[str, str], Coroutine[Any, Any, UserField]]


class UserFieldCache:
    """Remembers what was found; all who ask for the same field at the same moment share one read.

    Args:
        read: reads a definition.
        clock: time.
    """

    def __init__(self, read: ReadField, clock: Clock) -> None:
        self._read = read
        self._cache: Cache[tuple[str, str], UserField] = Cache(clock, size_of=_rows, max_size=MOST_ROWS)

    async def find(self, table: str, alias: str) -> UserField:
        """Return the definition of a field.

        Args:
            table: letters, digits and `_`; a user table without its `@`.
            alias: the same; with or without `U_`.

        Raises:
            InvalidPath: one of them is no name.
            UserFieldNotFound: there is no such field.
            ServiceError: what the database did.
        """
        read = partial(self._read, table, alias)
        return (await self._cache.ask((table, alias), read, keep_s=KEPT_FOR_S)).answer

    async def aclose(self) -> None:
        """Give up what is being read."""
        await self._cache.aclose()


def _rows(_: tuple[str, str], found: UserField) -> int:
    """Return how many values and linked rows a definition has."""
    return len(found.valid_values) + (0 if found.linked_table is None else len(found.linked_table.rows))
