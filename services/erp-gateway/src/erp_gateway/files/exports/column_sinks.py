"""Sinks that change columns and pass them on to another sink."""

from collections.abc import Iterable, Mapping, Sequence

from erp_gateway.files.exports.sinks import TableSink
from erp_gateway.values.measures import Decimals, Measure


class TitledSink:
    """Replaces the names of columns by their titles.

    Args:
        sink: the other sink.
        titles: titles by name; columns without a title keep their name.
    """

    def __init__(self, sink: TableSink, titles: Mapping[str, str]) -> None:
        self._sink = sink
        self._titles = titles

    @property
    def rows(self) -> int:
        """As `TableSink.rows`."""
        return self._sink.rows

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        """As `TableSink.begin`."""
        self._sink.begin([self._titles.get(name, name) for name in columns], title=title)

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        """As `TableSink.add`."""
        self._sink.add(rows)


class AmountSink:
    """Writes amounts with the decimals of their currency.

    Args:
        sink: the other sink.
        measures: measures by the name of the column.
        decimals: decimals of each currency.
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
        self._sink.add([self._with_decimals(row) for row in rows])

    def _with_decimals(self, row: Sequence[object]) -> Sequence[object]:
        cells = list(row)
        for place, currency in self._amounts:
            code = None if currency is None else str(row[currency] or "")
            cells[place] = self._decimals.written(cells[place], code)
        return cells
