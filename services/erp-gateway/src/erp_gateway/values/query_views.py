"""How clients may show the rows of a query: links to records, and a chart."""

from typing import Literal, TypeAlias

from attrs import frozen

ChartKind: TypeAlias = Literal["bars", "line"]


@frozen(kw_only=True)
class RecordLink:
    """A column whose values lead to a record.

    Attributes:
        resource: the registered resource of the record.
        key: column of the same row with the key of the record; None if it is the column itself.
    """

    resource: str
    key: str | None = None


@frozen(kw_only=True)
class Chart:
    """A chart of the rows.

    Attributes:
        x: column with the categories or the times, in the order of the rows.
        y: column with the numbers; rows of the same category and series are added up.
        series: column whose different values are drawn beside each other; None for one series.
        kind: bars, or a line over time.
    """

    x: str
    y: str
    series: str | None = None
    kind: ChartKind = "bars"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it needs."""
        return (self.x, self.y) if self.series is None else (self.x, self.y, self.series)
