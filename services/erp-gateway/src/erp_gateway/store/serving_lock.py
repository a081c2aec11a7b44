# ruff: noqa: N818 - these names describe the server's state
"""Interface of the lock of the serving process, used when a second process is on standby.

LockServerAway            the server could not be reached for the lock
├── LockServerDown        the server is down, so no process has the lock
└── LockServerSilent      no reply, so another process may have the lock
"""

from typing import Protocol

from attrs import frozen


class LockServerAway(Exception):
    """The lock's server did not reply."""


class LockServerDown(LockServerAway):
    """The server announced the end of our connection and is not back yet, so no process has the lock."""


class LockServerSilent(LockServerAway):
    """No reply came; the server may still serve other processes."""


@frozen
class Taken:
    """Result of acquiring the lock.

    Attributes:
        was_released: True if the earlier holder released it after its last call. Otherwise that process may
            still believe for a moment that it has the lock.
    """

    was_released: bool


class ServingLock(Protocol):
    """One lock for all processes on a store; the server frees it when its holder's connection ends."""

    async def take(self) -> Taken | None:
        """Try to acquire it; return None if another process has it.

        Raises:
            LockServerAway: the server did not reply.
        """
        ...

    async def keeps(self) -> bool:
        """Return True if this process has held it without a gap since it was acquired.

        Raises:
            LockServerAway: the server did not reply.
        """
        ...

    async def confirm(self) -> bool:
        """Check that this process still has the lock, on a new connection if the old one was lost.

        Returns:
            False if another process has it, or has had it in between.

        Raises:
            LockServerAway: the server did not reply.
        """
        ...

    async def release(self) -> None:
        """Release it and record the release; never raises."""
        ...
