"""A lock in memory that obeys the rules of a session's lock in a database, with a server that can go away."""

from attrs import define, field
from typing_extensions import override

from erp_gateway.store.serving_lock import LockServerDown, LockServerSilent, ServingLock, Taken


@define(eq=False)
class LockServer:
    """Keeps one lock for one holder at a time, and counts how often it was given.

    Attributes:
        is_up: whether anybody is answered.
        cut: holders to whom no answer comes.
        refused: holders who are refused on their way to it, whatever the server does.
    """

    is_up: bool = True
    holder: "MemoryLock | None" = None
    given: int = 0
    was_released: bool = True
    cut: "set[MemoryLock]" = field(factory=set)
    refused: "set[MemoryLock]" = field(factory=set)

    def free(self, *, says_so: bool = False) -> None:
        """Let the lock go, since its holder's connection ended; nobody gave it back.

        Args:
            says_so: whether the server ended that connection and said it.
        """
        if self.holder is not None:
            self.holder.was_told = says_so
        self.holder = None

    def go_away(self) -> None:
        """End every connection with a word, as a server that stops or breaks down, and answer nobody."""
        self.free(says_so=True)
        self.is_up = False

    def check(self, who: "MemoryLock") -> None:
        """Answer nobody who can't be answered."""
        if who in self.cut:
            raise LockServerSilent("no answer")
        if who in self.refused or (not self.is_up and not who.was_told):
            raise LockServerSilent("connection refused, which may be so for this process alone")
        if not self.is_up:
            raise LockServerDown("connection refused, as the server has said before")


class MemoryLock(ServingLock):
    """One process' access to the lock.

    Attributes:
        was_told: whether the server itself said that it ends the connection that held the lock.
    """

    def __init__(self, server: LockServer) -> None:
        self._server = server
        self._given = 0
        self.was_told = False

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
        self.was_told = False
        return taken

    @override
    async def keeps(self) -> bool:
        """See `ServingLock.keeps`."""
        self._server.check(self)
        return self._server.holder is self

    @override
    async def confirm(self) -> bool:
        """See `ServingLock.confirm`."""
        server = self._server
        server.check(self)
        if server.holder is None and server.given == self._given:
            server.holder, self.was_told = self, False  # on a new connection; nobody had it meanwhile
        return server.holder is self

    @override
    async def release(self) -> None:
        """See `ServingLock.release`."""
        server = self._server
        if server.holder is self and server.is_up and self not in server.cut | server.refused:
            server.holder, server.was_released = None, True
