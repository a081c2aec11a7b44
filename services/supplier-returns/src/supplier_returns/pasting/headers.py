"""Find the header of a table and read its columns."""

from collections.abc import Iterable, Sequence

from attrs import frozen

from supplier_returns.pasting.column_cells import cell_at, has_numbers, is_number
from supplier_returns.pasting.columns import Column, Layout, UnknownColumns
from supplier_returns.pasting.header_words import (
    is_return_quantity,
    is_title,
    is_unit,
    meaning_of,
    mentions_quantity,
    mentions_return,
)

HEADER_SEARCH_ROWS = 20
"""Rows to search for a header, since a report starts with titles, dates and a company name."""


@frozen
class HeaderWords:
    """Positions of the columns that the words of a header row name.

    Attributes:
        codes: columns with the name of an item code.
        quantities: columns with the name of a quantity.
        units: columns that name units. They are the quantity if there is no other.
    """

    codes: tuple[int, ...]
    quantities: tuple[int, ...]
    units: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of required columns, code and quantity, that the row names."""
        return bool(self.codes) + bool(self.quantities or self.units)


def read_header_words(row: Sequence[str]) -> HeaderWords:
    """Find the names of code and quantity columns in a row.

    A unit in a row with a number is the unit of that number: `HO1, 3, UNID` is a data row.
    """
    meanings = [meaning_of(cell) for cell in row]
    named = [position for position, meaning in enumerate(meanings) if meaning is Column.QUANTITY]
    units = [position for position in named if is_unit(row[position])]
    has_number = bool(units) and any(map(is_number, row))
    return HeaderWords(
        codes=tuple(position for position, meaning in enumerate(meanings) if meaning is Column.CODE),
        quantities=tuple(position for position in named if position not in units),
        units=() if has_number else tuple(units),
    )


def find_header(rows: Sequence[Sequence[str]]) -> int | None:
    """Return the index of the first row that names code and quantity, or else the first that names one."""
    best, best_count = None, 0
    for index, row in enumerate(rows[:HEADER_SEARCH_ROWS]):
        count = read_header_words(row).count
        if count > best_count:
            best, best_count = index, count
    return best


def read_header(rows: Sequence[Sequence[str]], index: int) -> Layout | UnknownColumns:
    """Read the columns of a header. They are unknown if two columns could have the same meaning."""
    row, body = rows[index], rows[index + 1 :]
    words = read_header_words(row)
    problem = (
        _problem_with_codes(words)
        or _problem_with_quantities(row, body, words)
        or _problem_with_other_columns(row)
        or _problem_with_second_header(body, (words.quantities or words.units)[0], words.codes[0])
    )
    if problem:
        return UnknownColumns(problem, index)
    positions = {Column.CODE: words.codes[0], Column.QUANTITY: (words.quantities or words.units)[0]}
    for position, cell in enumerate(row):
        meaning = meaning_of(cell)
        if meaning not in (None, Column.CODE, Column.QUANTITY):
            positions.setdefault(meaning, position)
    in_order = dict(sorted(positions.items(), key=lambda each: each[1]))
    return Layout(in_order, index + 1, index)


def is_header(row: Sequence[str]) -> bool:
    """Return whether a row names both a code and a quantity."""
    return read_header_words(row).count == 2  # noqa: PLR2004 - code and quantity


def matches(row: Sequence[str], layout: Layout) -> bool:
    """Return whether a repeated header names the columns of a layout."""
    words = read_header_words(row)
    quantities = (*words.quantities, *words.units)
    return layout.positions[Column.CODE] in words.codes and layout.positions[Column.QUANTITY] in quantities


def _problem_with_codes(words: HeaderWords) -> str | None:
    if not words.codes:
        return "No se reconoce qué columna tiene el código del artículo."
    return _ambiguous_column(Column.CODE) if len(words.codes) > 1 else None


def _problem_with_quantities(
    row: Sequence[str], body: Sequence[Sequence[str]], words: HeaderWords
) -> str | None:
    named = words.quantities or words.units
    if not named:
        return "No se reconoce qué columna tiene la cantidad."
    if len(named) > 1:
        return _ambiguous_column(Column.QUANTITY)
    chosen = named[0]
    candidates = [
        position
        for position, cell in enumerate(row)
        if position != chosen and _could_be_quantity(cell, row[chosen])
    ]
    if chosen + 1 >= len(row) or not row[chosen + 1]:  # a merged cell has its text in the first column
        candidates.append(chosen + 1)
    return (
        _ambiguous_column(Column.QUANTITY)
        if any(has_numbers(body, position) for position in candidates)
        else None
    )


def _could_be_quantity(cell: str, chosen: str) -> bool:
    """Return whether a column with this name could be the quantity instead of the chosen one."""
    if is_return_quantity(chosen):
        return is_unit(cell) or mentions_return(cell)
    if is_unit(chosen) and cell and not is_title(cell):  # possibly units per box, next to "Cajas"
        return True
    return is_unit(cell) or mentions_quantity(cell)


def _problem_with_other_columns(row: Sequence[str]) -> str | None:
    meanings = [meaning_of(cell) for cell in row]
    repeated = (column for column in (Column.WAREHOUSE, Column.REASON) if meanings.count(column) > 1)
    return next((_ambiguous_column(column) for column in repeated), None)


def _problem_with_second_header(body: Iterable[Sequence[str]], quantity_at: int, code_at: int) -> str | None:
    """Return the problem of a second header row that divides the quantity ("Pedida", "Devuelta")."""
    for row in body:
        quantity = cell_at(row, quantity_at)
        if not any(row):
            continue
        if is_header(row) or is_number(quantity) or (cell_at(row, code_at) and not is_title(quantity)):
            return None
        if quantity[:1].isalpha():
            return "El encabezado tiene dos filas."
    return None


def _ambiguous_column(column: Column) -> str:
    return f"Hay más de una columna que puede ser «{column.value}»."
