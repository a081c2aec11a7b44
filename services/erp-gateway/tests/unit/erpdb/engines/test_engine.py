"""Rows on their way into a file: handed on in batches that stay small whatever a row holds."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

import pytest

from erp_gateway.erpdb.engines.engine import ReadingThreads, Rows, Work
from erp_gateway.erpdb.errors import DatabaseFailed
from servicekit.testing.remains import uncollected

MIB = 1024 * 1024


class Noting:
    """Notes how many rows it is given at a time."""

    rows = 0

    def __init__(self) -> None:
        self.batches: list[int] = []

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        pass

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        self.batches.append(len(list(rows)))


def batches_of(rows: Iterable[tuple[object, ...]]) -> list[int]:
    sink = Noting()
    collector = Work(sql="", values=(), max_rows=1000, timeout_s=1, sink=sink).collector(["n", "x"])
    for row in rows:
        collector.add(row)
    assert collector.finish().rows == []
    return [batch for batch in sink.batches if batch]


@pytest.mark.parametrize("value", ["x" * MIB, b"x" * MIB], ids=["text", "binary"])
def test_a_long_row_is_handed_on_at_once(value: object) -> None:
    assert batches_of((n, value) for n in range(10)) == [1] * 10


def test_rows_are_handed_on_before_they_are_much_together() -> None:
    assert batches_of((n, "x" * (MIB // 4)) for n in range(10)) == [4, 4, 2]


def test_short_rows_are_handed_on_200_at_a_time() -> None:
    assert batches_of((n, "x" * 100) for n in range(450)) == [200, 200, 50]


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
