"""Locks by key, held within this process."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from servicekit.erp.errors import OutcomeUnknown


class KeyedLocks:
    """Locks by key; one that nobody holds or waits for takes no memory.

    With one for each planning, its version is read, compared and raised without anybody in between. They hold
    within this process. The service runs as one process only, since its sessions live in memory.

    They remember the keys under which a write got no answer, a few bytes each.
    """

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._unanswered: set[Hashable] = set()

    def __len__(self) -> int:
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, key: Hashable) -> AsyncIterator[None]:
        """Wait for the key's lock and hold it."""
        lock = self._locks.get(key)
        if lock is None:
            lock = self._locks[key] = asyncio.Lock()
        async with lock:
            try:
                yield
            except (OutcomeUnknown, asyncio.CancelledError):
                self._unanswered.add(key)
                raise

    def has_unanswered(self, key: Hashable) -> bool:
        """Tell whether a write under the key got no answer in this process: it may come late."""
        return key in self._unanswered
