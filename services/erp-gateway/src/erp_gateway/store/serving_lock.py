# ruff: noqa: N818 - what the server said is named by what it said
"""What the lock of the process that serves must be able to do, where a second one waits for it.

LockServerAway            the lock could not be asked for
├── LockServerDown        the server itself is not there: nobody has the lock
└── LockServerSilent      no answer came: somebody else may have got it
"""

from typing import Protocol

from attrs import frozen


class LockServerAway(Exception):
    """The lock could not be asked for."""


class LockServerDown(LockServerAway):
    """The server ended our connection and said so, and is not back yet: nobody has a lock of it now."""


class LockServerSilent(LockServerAway):
    """No answer came; the server may serve others."""


@frozen
class Taken:
    """The lock was got.

    Attributes:
        was_released: whether the process that had it gave it back, all its calls done; else it may still
            believe for a moment that it has it.
    """

    was_released: bool


class ServingLock(Protocol):
    """One lock for all processes on a store; freed by itself when its holder's connection ends."""

    async def take(self) -> Taken | None:
        """Try to get it; None where another process has it.

        Raises:
            LockServerAway: it could not be asked for.
        """
        ...

    async def keeps(self) -> bool:
        """Ask whether it has been ours without a gap since it was taken.

        Raises:
            LockServerAway: it could not be asked.
        """
        ...

    async def confirm(self) -> bool:
        """Ask whether it is still ours, on a new connection where the old one was lost.

        Returns:
            False where another process has it, or has had it since.

        Raises:
            LockServerAway: it could not be asked.
        """
        ...

    async def release(self) -> None:
        """Give it back and say so; never raises."""
        ...
