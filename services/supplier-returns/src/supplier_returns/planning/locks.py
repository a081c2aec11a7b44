"""Locks by key within this process."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from servicekit.erp.errors import OutcomeUnknown


class KeyedLocks:
    """Locks by key. An unused lock takes no memory.

    A lock for each planning lets one request read, compare and increment its version without another in
    between. One process is enough: the service never runs in two, since its sessions are in memory.

    The locks also remember keys with a write that got no reply, a few bytes each.
    """

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()
        self._unanswered: set[Hashable] = set()

    def __len__(self) -> int:
        return len(self._locks)

    @asynccontextmanager
    async def hold(self, key: Hashable) -> AsyncIterator[None]:
        """Wait for the lock of the key and hold it during the block."""
        lock = self._locks.get(key)
        if lock is None:
            # The weak dictionary drops a lock after its last holder and waiter.
            lock = self._locks[key] = asyncio.Lock()
        async with lock:
            try:
                yield
            # A cancelled write may still reach the ERP, like one without a reply.
            except (OutcomeUnknown, asyncio.CancelledError):
                self._unanswered.add(key)
                raise

    def has_unanswered(self, key: Hashable) -> bool:
        """Return whether a write under the key got no reply in this process, so that it may still arrive."""
        return key in self._unanswered
