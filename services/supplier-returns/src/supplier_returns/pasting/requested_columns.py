"""Columns that a request specifies."""

from collections.abc import Mapping, Sequence

from supplier_returns.pasting.columns import Column


class RequestedColumnsError(Exception):
    """The requested columns don't fit the table.

    Attributes:
        problems: columns with the Spanish text of their problem.
    """

    def __init__(self, problems: Sequence[tuple[Column, str]]) -> None:
        super().__init__(problems)
        self.problems = problems


def requested_columns(positions: Mapping[str, int | None]) -> dict[Column, int]:
    """Return the position of each column by its API name, without null columns."""
    return {Column(name): position for name, position in positions.items() if position is not None}


def check_requested(positions: Mapping[Column, int], width: int) -> None:
    """Check that the table has the requested columns, each with one meaning.

    Args:
        positions: requested positions.
        width: number of columns of the table.

    Raises:
        RequestedColumnsError: a column is missing or requested twice.
    """
    problems: list[tuple[Column, str]] = []
    owners: dict[int, Column] = {}
    for column, position in positions.items():
        if not 0 <= position < width:
            problems.append((column, f"La planilla tiene {width} columnas; la primera es la 0."))
        elif owners.setdefault(position, column) is not column:
            problems.append((column, f"La columna {position} ya es «{owners[position].value}»."))
    if problems:
        raise RequestedColumnsError(problems)
