"""Finds out which column of a pasted table means what."""

import enum
import re
import unicodedata
from collections.abc import Sequence

from attrs import field, frozen

from supplier_returns.pasting.numbers import NumberText, parse_number

MAX_HEADER = 100
"""Characters of the longest cell that is looked at as a header: the marks of one letter are put in order in a
time that grows by the square of their number."""

HEADER_SEARCH_ROWS = 10
"""Rows looked through for a header: a title, often one merged cell, may stand above it."""


class Column(enum.Enum):
    """What a column can mean; the value is its name on the wire."""

    CODE = "codigo"
    QUANTITY = "cantidad"
    WAREHOUSE = "almacen"
    REASON = "motivo"
    COMMENT = "comentario"


_SYNONYMS: dict[Column, tuple[str, ...]] = {
    Column.CODE: (
        "codigo cod codigoarticulo codarticulo codigodearticulo articulo codigoitem coditem item",
        "itemcode itemno sku producto codigoproducto numerodearticulo nodearticulo ndearticulo",
    ),
    Column.QUANTITY: ("cantidad cant qty quantity unidades uds unid cantidadadevolver cantdevolver",),
    Column.WAREHOUSE: ("almacen bodega whs whscode warehouse codigobodega codigoalmacen",),
    Column.REASON: ("motivo razon causa reason",),
    Column.COMMENT: ("comentario comentarios observacion observaciones obs glosa comment",),
}
_MEANING = {word: column for column, lines in _SYNONYMS.items() for line in lines for word in line.split()}
_UNITS = "unid"
"""Means the quantity where no other column does; beside one it is the unit of measure."""
_NOT_A_WORD_CHARACTER = re.compile(r"[^a-z0-9]+")


@frozen
class Layout:
    """Where each known column stands.

    Attributes:
        positions: 0-based index of each recognised column.
        header_row: 0-based index of the header among the rows, None without one.
        repeated: A meaning that two columns claim, if any.
    """

    positions: dict[Column, int] = field(factory=dict)
    header_row: int | None = None
    repeated: Column | None = None


def meaning_of(cell: str) -> Column | None:
    """Return the meaning of a header cell, compared by its letters and digits without accents and case."""
    return _MEANING.get(_word_of(cell))


def find_layout(rows: Sequence[Sequence[str]]) -> Layout:
    """Find the header among the first rows, or take code and quantity as the first two columns.

    A header row holds no valid quantity and at least one known word; one with both a code and a quantity
    column is preferred over an earlier row with fewer, because a title above the header may itself be a known
    word.

    Args:
        rows: Cleaned cells. Empty rows may be among them.
    """
    best: Layout | None = None
    for index, row in enumerate(rows[:HEADER_SEARCH_ROWS]):
        if any(cell and isinstance(parse_number(cell), NumberText) for cell in row):
            break
        candidate = _read_header(row, index)
        if candidate.repeated is not None or {Column.CODE, Column.QUANTITY} <= candidate.positions.keys():
            return candidate
        if candidate.positions and best is None:
            best = candidate
    return best or Layout({Column.CODE: 0, Column.QUANTITY: 1})


def _read_header(row: Sequence[str], index: int) -> Layout:
    positions: dict[Column, int] = {}
    words = [_word_of(cell) for cell in row]
    has_quantity = any(word != _UNITS and _MEANING.get(word) is Column.QUANTITY for word in words)
    for position, word in enumerate(words):
        meaning = _MEANING.get(word)
        if meaning is None or (word == _UNITS and has_quantity):
            continue
        if meaning in positions:
            return Layout(positions, index, repeated=meaning)
        positions[meaning] = position
    return Layout(positions, index)


def _word_of(cell: str) -> str:
    if len(cell) > MAX_HEADER:
        return ""
    decomposed = unicodedata.normalize("NFKD", cell.casefold())
    return _NOT_A_WORD_CHARACTER.sub("", decomposed.encode("ascii", "ignore").decode("ascii"))
