"""Amounts of a table with the decimals that their currencies have."""

from collections.abc import Iterable, Mapping, Sequence

from erp_gateway.exports.sinks import TableSink
from erp_gateway.measures import Decimals, Measure


class AmountSink:
    """Hands a table on, its amounts with their currency's decimals.

    Args:
        sink: takes it.
        measures: what numbers count, by the names of their columns.
        decimals: of each currency.
    """

    def __init__(self, sink: TableSink, measures: Mapping[str, Measure], decimals: Decimals) -> None:
        self._sink = sink
        self._measures = measures
        self._decimals = decimals
        self._amounts: list[tuple[int, int | None]] = []

    @property
    def rows(self) -> int:
        """As `TableSink.rows`."""
        return self._sink.rows

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        """As `TableSink.begin`."""
        at = {name: place for place, name in enumerate(columns)}
        amounts = [(name, each.by) for name, each in self._measures.items() if each.kind == "amount"]
        self._amounts = [
            (at[name], None if by is None else at[by])
            for name, by in amounts
            if name in at and (by is None or by in at)
        ]
        self._sink.begin(columns, title=title)

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """As `TableSink.add`."""
        self._sink.add([self._written(row) for row in rows])

    def _written(self, row: Sequence[object]) -> Sequence[object]:
        cells = list(row)
        for place, currency in self._amounts:
            code = None if currency is None else str(row[currency] or "")
            cells[place] = self._decimals.written(cells[place], code)
        return cells
