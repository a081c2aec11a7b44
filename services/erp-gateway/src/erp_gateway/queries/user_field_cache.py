"""Cache of user fields' descriptions."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final

from erp_gateway.queries.user_fields import UserField
from servicekit.cache import Cache
from servicekit.clock import Clock

LIFETIME_S: Final = 600.0
MOST_ROWS: Final = 100_000
"""Maximum number of valid values and rows of linked tables in the cache, some 20 MiB."""

ReadField = Callable[[str, str], Coroutine[Any, Any, UserField]]


class UserFieldCache:
    """Caches definitions; concurrent requests for the same field share one read.

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
            InvalidPath: one of them is not a valid name.
            UserFieldNotFound: there is no such field.
            ServiceError: a failure of the database.
        """
        read = partial(self._read, table, alias)
        return (await self._cache.ask((table, alias), read, keep_s=LIFETIME_S)).answer

    async def aclose(self) -> None:
        """Cancel running reads."""
        await self._cache.aclose()


def _rows(_: tuple[str, str], field: UserField) -> int:
    return len(field.valid_values) + (0 if field.linked_table is None else len(field.linked_table.rows))
