"""A store that refuses writes when it is told to, before or after they were committed."""

from enum import Enum
from typing import TypeVar

from typing_extensions import override

from erp_gateway.store.database import Database
from erp_gateway.store.errors import StoreUnavailable
from erp_gateway.store.statements import Work

T = TypeVar("T")


class Mood(Enum):
    """How the database reacts to writes."""

    WELL = "well"
    AWAY = "away"
    """It refuses, and nothing was done."""
    MUTE = "mute"
    """It refuses, and all was done: the connection was lost right after the commit."""


class FlakyDatabase(Database):
    """A real store behind a line that can be cut; reads always pass."""

    def __init__(self, inner: Database) -> None:
        super().__init__(inner._engine)
        self._inner = inner
        self.mood = Mood.WELL

    @override
    async def write(self, work: Work[T]) -> T:
        """See `Database.write`."""
        if self.mood is Mood.AWAY:
            raise StoreUnavailable
        result = await self._inner.write(work)
        if self.mood is Mood.MUTE:
            raise StoreUnavailable
        return result
