"""Amounts of a table on their way into a file."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from erp_gateway.files.exports.column_sinks import AmountSink
from erp_gateway.values.measures import Decimals, Measure

DECIMALS = Decimals(local=0, places={"CLP": 0, "USD": 2})
MEASURES = {
    "neto": Measure(kind="amount", by="moneda"),
    "local": Measure(kind="amount"),
    "cantidad": Measure(kind="quantity", by="unidad"),
    "falta": Measure(kind="amount"),
}


class Kept:
    """Keeps what it is handed."""

    def __init__(self) -> None:
        self.columns: Sequence[str] = ()
        self.lines: list[list[str]] = []

    @property
    def rows(self) -> int:
        return len(self.lines)

    def begin(self, columns: Sequence[str], *, title: str | None = None) -> None:
        self.columns = [*columns, str(title)]

    def add(self, rows: Iterable[Sequence[object]]) -> None:
        self.lines += [[str(cell) for cell in row] for row in rows]


def test_only_amounts_get_the_decimals_of_their_currency() -> None:
    kept = Kept()
    sink = AmountSink(kept, MEASURES, DECIMALS)
    sink.begin(("moneda", "neto", "cantidad", "local"), title="Ventas")
    sink.add([("USD", Decimal("10.500000"), Decimal("2.000000"), Decimal("9500.000000"))])
    sink.add([("CLP", 7.0, 1, 7.25), (None, 7.5, 1, None)])
    assert kept.columns == ["moneda", "neto", "cantidad", "local", "Ventas"]
    assert kept.lines == [
        ["USD", "10.50", "2.000000", "9500"],
        ["CLP", "7", "1", "7.25"],
        ["None", "7.5", "1", "None"],
    ]
    assert sink.rows == 3
