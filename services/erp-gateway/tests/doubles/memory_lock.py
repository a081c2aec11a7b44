"""A lock in memory that obeys the rules of a session's lock in a database, with a server that can go away."""

from attrs import define, field
from typing_extensions import override

from erp_gateway.storage.serving_lock import LockServerDown, LockServerSilent, ServingLock, Taken


@define(eq=False)
class LockServer:
    """Keeps one lock for one holder at a time, and counts how often it was given.

    Attributes:
        is_up: whether anybody is answered.
        cut: holders to whom no answer comes.
    """

    is_up: bool = True
    holder: "MemoryLock | None" = None
    given: int = 0
    was_released: bool = True
    cut: "set[MemoryLock]" = field(factory=set)

    def free(self) -> None:
        """Let the lock go, since its holder's connection ended; nobody gave it back."""
        self.holder = None

    def restart(self) -> None:
        """Go away and come back; every connection ended."""
        self.free()
        self.is_up = True

    def check(self, who: "MemoryLock") -> None:
        """Answer nobody who can't be answered."""
        if who in self.cut:
            raise LockServerSilent("no answer")
        if not self.is_up:
            raise LockServerDown("connection refused")


class MemoryLock(ServingLock):
    """One process' access to the lock."""

    def __init__(self, server: LockServer) -> None:
        self._server = server
        self._given = 0

    @override
    async def take(self) -> Taken | None:
        """See `ServingLock.take`."""
        server = self._server
        server.check(self)
        if server.holder is not None:
            return None
        taken = Taken(was_released=server.was_released)
        server.given += 1
        server.holder, self._given, server.was_released = self, server.given, False
        return taken

    @override
    async def confirm(self) -> bool:
        """See `ServingLock.confirm`."""
        server = self._server
        server.check(self)
        if server.holder is None and server.given == self._given:
            server.holder = self  # on a new connection; nobody had it meanwhile
        return server.holder is self

    @override
    async def release(self) -> None:
        """See `ServingLock.release`."""
        server = self._server
        if server.holder is self and server.is_up and self not in server.cut:
            server.holder, server.was_released = None, True
