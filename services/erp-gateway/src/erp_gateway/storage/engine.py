"""What an engine gives the store: one line of writes, and reads beside it."""

from collections.abc import Sequence
from typing import Any, Protocol

from erp_gateway.storage.statements import Row, Work
from erp_gateway.storage.transaction import Outcome


class Engine(Protocol):
    """An open store of one kind."""

    @property
    def failure(self) -> type[Exception]:
        """What its own failures are, in pieces of work too."""
        ...

    def most_together(self, waiting: int) -> int:
        """Return how many of so many that wait go into the next transaction, at least one."""
        ...

    async def commit(self, works: Sequence[Work[Any]], *, may_take_long: bool = False) -> list[Outcome]:
        """Run pieces of work in one transaction, the only one to write, and commit it.

        Args:
            works: what to run.
            may_take_long: whether no limit of time holds.

        Returns:
            one outcome for each; what failed left nothing behind.

        Raises:
            Exception: a `failure`; the transaction as a whole failed.
        """
        ...

    async def read(self, sql: str, parameters: Sequence[Any]) -> Sequence[Row]:
        """Return the rows of one SELECT; a change is refused with a `failure`."""
        ...

    async def foreign_changes(self) -> int:
        """Return a number that changes when somebody else has committed something."""
        ...
