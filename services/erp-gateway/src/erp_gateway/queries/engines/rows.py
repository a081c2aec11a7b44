"""Rows of a query's result, collected or streamed within limits."""

from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext
from typing import Final

import structlog
from attrs import frozen
from typing_extensions import override

from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.queries.errors import DatabaseFailed, ResultTooLarge
from servicekit.errors import InvalidBody

_log = structlog.get_logger(__name__)


MAX_RESULT_SIZE: Final = 64 * 1024 * 1024
"""Characters and bytes of texts and binaries that one answer may hold."""


@frozen
class Rows:
    """What an engine read.

    Attributes:
        columns: names, all different.
        rows: one mapping per row; values as in `client.QueryResult`. None of them when they went to a sink.
        truncated: whether there were more than were asked for.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, object]]
    truncated: bool


class ValueDoesNotFitError(InvalidBody):
    """A bound number can't be that of the column it is compared with, or would be cut to fit it.

    Attributes:
        position: of the place, from 0.
    """

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position


class RowCollector:
    """Gathers rows up to the cap and watches their size.

    Args:
        columns: names as the database gives them.
        max_rows: the cap.

    Raises:
        DatabaseFailed: two columns have the same name, so that a row can't be an object.
    """

    def __init__(self, columns: Sequence[str], max_rows: int) -> None:
        self._columns = tuple(columns)
        if len(set(self._columns)) != len(self._columns):
            _log.warning("query_columns_repeated", columns=list(self._columns))
            raise DatabaseFailed
        self._max_rows = max_rows
        self._rows: list[dict[str, object]] = []
        self._taken = 0
        self._size = 0
        self._truncated = False

    @property
    def wanted(self) -> int:
        """How many rows are still to be fetched, counting the one that tells whether there are more."""
        return 0 if self._truncated else self._max_rows + 1 - self._taken

    def add(self, row: Iterable[object]) -> None:
        """Take a row, or notice, without looking at it, that it is one too many.

        Raises:
            ResultTooLarge: the answer would not fit into memory.
        """
        if self._taken == self._max_rows:
            self._truncated = True
            return
        self._taken += 1
        self._keep(tuple(row))

    def finish(self) -> Rows:
        """Return what was gathered."""
        return Rows(self._columns, self._rows, self._truncated)

    def _keep(self, values: tuple[object, ...]) -> None:
        self._size += _size_of(values)
        if self._size > MAX_RESULT_SIZE:
            raise ResultTooLarge
        self._rows.append(dict(zip(self._columns, values, strict=True)))


class RowStream(RowCollector):
    """Hands rows on up to the cap, some at a time, and keeps none.

    Args:
        columns: names as the database gives them.
        max_rows: the cap.
        sink: takes the rows.

    Raises:
        DatabaseFailed: as `RowCollector` has it.
    """

    def __init__(self, columns: Sequence[str], max_rows: int, sink: TableSink) -> None:
        super().__init__(columns, max_rows)
        self._sink = sink
        self._batch: list[tuple[object, ...]] = []
        sink.begin(self._columns)

    @override
    def finish(self) -> Rows:
        """Hand the last rows on."""
        self._hand_on()
        return super().finish()

    @override
    def _keep(self, values: tuple[object, ...]) -> None:
        self._batch.append(values)
        self._size += _size_of(values)
        if len(self._batch) == _HANDED_ON or self._size >= _HANDED_ON_SIZE:
            self._hand_on()

    def _hand_on(self) -> None:
        self._sink.add(self._batch)
        self._batch = []
        self._size = 0


_HANDED_ON: Final = 200
"""Most rows that a sink is given at a time."""

_HANDED_ON_SIZE: Final = 1024 * 1024
"""Characters and bytes of texts and binaries after which it is given fewer."""


def _size_of(values: tuple[object, ...]) -> int:
    return sum(len(value) for value in values if isinstance(value, str | bytes))


def padded(number: Decimal, scale: int) -> Decimal:
    """Give back the zeros behind the point that a driver took away; never cut a digit.

    Args:
        number: any finite number.
        scale: decimals of its column.
    """
    exponent = int(number.as_tuple().exponent)
    if -exponent >= scale or number.adjusted() + scale > _MOST_DIGITS:
        return number
    with localcontext() as context:
        context.prec = 2 * _MOST_DIGITS
        return number.quantize(Decimal(1).scaleb(-scale))


_MOST_DIGITS: Final = 100
