"""Blocking reads beside the event loop, and what is left of one that failed."""

from contextlib import suppress

import pytest

from erp_gateway.erpdb.engines.engine import ReadingThreads, Rows
from erp_gateway.erpdb.errors import DatabaseFailed
from servicekit.testing.remains import uncollected


class Failing:
    """A read whose rows come until it fails."""

    def read(self) -> Rows:
        raise DatabaseFailed

    def interrupt(self) -> None:
        """Do nothing: it has ended."""


@pytest.mark.asyncio
async def test_nothing_of_a_failed_read_is_left_behind() -> None:
    threads = ReadingThreads(2)
    with uncollected(DatabaseFailed) as remains:
        for _ in range(3):
            with suppress(DatabaseFailed):
                await threads.run(Failing(), timeout_s=30, ended=lambda: None)
        assert await remains.names() == []
    await threads.aclose()
