"""Rows on their way into a file: handed on in batches that stay small whatever a row holds."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from decimal import Decimal

import pytest

from erp_gateway.queries.engines.engine import Work
from erp_gateway.queries.engines.reading_threads import ReadingThreads
from erp_gateway.queries.engines.rows import RowCollector, Rows, padded
from erp_gateway.queries.errors import DatabaseFailed, ResultTooLarge
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
async def test_a_failed_read_leaves_no_objects() -> None:
    threads = ReadingThreads(2)
    with uncollected(DatabaseFailed) as remains:
        for _ in range(3):
            with suppress(DatabaseFailed):
                await threads.run(Failing(), timeout_s=30, on_end=lambda: None)
        assert await remains.names() == []
    await threads.aclose()


@pytest.mark.parametrize(
    ("number", "scale", "shown"),
    [
        ("10.5", 2, "10.50"),
        ("0", 6, "0.000000"),
        ("1E+3", 0, "1000"),
        ("-1E+3", 2, "-1000.00"),
        ("1.255", 2, "1.255"),
        ("1.5", 32_767, "1.5"),
        ("1E+6000", 2, "1E+6000"),
        ("9999999999999999999999999999999999999.9", 6, "9999999999999999999999999999999999999.900000"),
    ],
)
def test_zeros_come_back_and_no_digit_is_lost(number: str, scale: int, shown: str) -> None:
    assert str(padded(Decimal(number), scale)) == shown


def test_a_result_that_does_not_fit_into_memory_is_refused() -> None:
    rows = RowCollector(["a"], max_rows=100)
    rows.add(["x" * (40 * 1024 * 1024)])
    with pytest.raises(ResultTooLarge):
        rows.add([b"x" * (40 * 1024 * 1024)])


def test_a_row_beyond_the_cap_is_not_even_looked_at() -> None:
    rows = RowCollector(["a"], max_rows=1)
    rows.add(["x"])
    assert rows.wanted == 1
    rows.add(pytest.fail("looked at") for _ in [0])
    assert rows.wanted == 0
    assert rows.finish().truncated


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(DatabaseFailed):
        RowCollector(["a", "a"], max_rows=1)
