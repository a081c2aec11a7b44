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
"""Maximum characters and bytes of texts and binaries in one result."""


@frozen
class Rows:
    """Result of an engine's read.

    Attributes:
        columns: names, all different.
        rows: one mapping per row; values as in `client.QueryResult`. Empty if they went to a sink.
        truncated: whether there were further rows.
    """

    columns: tuple[str, ...]
    rows: list[dict[str, object]]
    truncated: bool


class ValueDoesNotFitError(InvalidBody):
    """A bound number does not fit the column that it is compared with, or would be truncated.

    Attributes:
        position: index of the parameter, from 0.
    """

    def __init__(self, position: int) -> None:
        super().__init__()
        self.position = position


class RowCollector:
    """Collects rows up to the cap and limits their size.

    Args:
        columns: names from the database.
        max_rows: the cap.

    Raises:
        DatabaseFailed: two columns have the same name, so a row can't be a JSON object.
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
        """Number of rows still to fetch, with one extra row that shows whether there are more."""
        return 0 if self._truncated else self._max_rows + 1 - self._taken

    def add(self, row: Iterable[object]) -> None:
        """Add a row, or record that it exceeds the cap.

        Raises:
            ResultTooLarge: the result exceeds the memory limit.
        """
        if self._taken == self._max_rows:
            self._truncated = True
            return
        self._taken += 1
        self._keep(tuple(row))

    def finish(self) -> Rows:
        """Return the collected rows."""
        return Rows(self._columns, self._rows, self._truncated)

    def _keep(self, values: tuple[object, ...]) -> None:
        self._size += _size_of(values)
        if self._size > MAX_RESULT_SIZE:
            raise ResultTooLarge
        self._rows.append(dict(zip(self._columns, values, strict=True)))


class RowStream(RowCollector):
    """Passes rows to a sink in chunks up to the cap, without collecting them.

    Args:
        columns: names from the database.
        max_rows: the cap.
        sink: receives the rows.

    Raises:
        DatabaseFailed: as `RowCollector`.
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


# Maximum number of rows per chunk.
_HANDED_ON: Final = 200

# Characters and bytes of texts and binaries that end a chunk early.
_HANDED_ON_SIZE: Final = 1024 * 1024


def _size_of(values: tuple[object, ...]) -> int:
    return sum(len(value) for value in values if isinstance(value, str | bytes))


def padded(number: Decimal, scale: int) -> Decimal:
    """Restore trailing zeros that a driver removed. Digits are never removed.

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
