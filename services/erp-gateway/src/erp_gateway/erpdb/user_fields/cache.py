"""Definitions of user-defined fields, remembered for ten minutes."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Final, Protocol

from attrs import frozen

from erp_gateway.erpdb.user_fields.definitions import UserField
from servicekit.clock import Clock
from servicekit.errors import NotConfigured

KEPT_FOR_S: Final = 600.0
MOST_ENTRIES: Final = 1000
MOST_ROWS: Final = 100_000
"""Valid values and rows of linked tables that all remembered definitions hold together: some 20 MiB."""

ReadField = Callable[[str, str], Coroutine[Any, Any, UserField]]


class UserFields(Protocol):
    """Where definitions come from."""

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
        ...


class UnconfiguredUserFields:
    """Stands in while no engine is configured."""

    async def find(self, table: str, alias: str) -> UserField:  # noqa: ARG002 - the interface's signature
        """Raise `NotConfigured`."""
        raise NotConfigured


@frozen
class _Entry:
    """A definition that is being read or was read, and when that began."""

    since: float
    field: asyncio.Task[UserField]


class UserFieldCache:
    """Remembers what was found; all who ask for the same field at the same moment share one read.

    Failures are not remembered, and one who leaves disturbs nobody else.

    Args:
        read: reads a definition.
        clock: time.
    """

    def __init__(self, read: ReadField, clock: Clock) -> None:
        self._read = read
        self._clock = clock
        self._entries: dict[tuple[str, str], _Entry] = {}

    async def find(self, table: str, alias: str) -> UserField:
        """Return the definition of a field, as `UserFields` says."""
        key = (table, alias)
        now = self._clock.monotonic()
        entry = self._entries.get(key)
        if entry is None or now - entry.since >= KEPT_FOR_S:
            self._entries.pop(key, None)
            entry = self._entries[key] = _Entry(now, asyncio.ensure_future(self._read(*key)))
            entry.field.add_done_callback(partial(self._ended, key))
            self._limit()
        try:
            return await asyncio.shield(entry.field)
        finally:
            del entry  # its error holds this frame, which would hold it, and all would stay

    async def aclose(self) -> None:
        """Give up what is being read."""
        running = [entry.field for entry in self._entries.values() if not entry.field.done()]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    def _ended(self, key: tuple[str, str], read: "asyncio.Task[UserField]") -> None:
        entry = self._entries.get(key)
        if entry is not None and entry.field is read and (read.cancelled() or read.exception() is not None):
            del self._entries[key]
        self._limit()

    def _limit(self) -> None:
        """Forget the oldest entries beyond the limits, but none that somebody waits for."""
        done = [key for key, entry in self._entries.items() if entry.field.done()]
        excess = len(self._entries) - MOST_ENTRIES
        rows = sum(_rows(self._entries[key].field) for key in done)
        for key in done[:-1]:
            if excess <= 0 and rows <= MOST_ROWS:
                return
            excess -= 1
            rows -= _rows(self._entries.pop(key).field)


def _rows(read: "asyncio.Task[UserField]") -> int:
    """Return how many values and linked rows a read has brought; none if it failed."""
    if read.cancelled() or read.exception() is not None:
        return 0
    found = read.result()
    return len(found.valid_values) + (0 if found.linked_table is None else len(found.linked_table.rows))
