"""Whether a text is ordered by the columns that tell its rows apart, so that its pages fit together. No I/O.

The database alone knows whether the columns do so; what can be read off the text is that they stand in the
answer and end the ORDER BY, and that nothing stands behind it.
"""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from erp_gateway.erpdb.sql.pieces import PieceKind, read_pieces
from erp_gateway.erpdb.sql.select_list import (
    Item,
    Pieces,
    column_key,
    is_parameter,
    name_of,
    outside_parentheses,
    same,
    select_list,
    split,
)

_SET_OPERATIONS: Final = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_CUTS: Final = frozenset({"LIMIT", "OFFSET"})


def order_problem(sql: str, columns: tuple[str, ...], *, folds: bool) -> str | None:
    """Return why a text can't be paged by these columns, as the end of a sentence; None where it can.

    Args:
        sql: a checked text.
        columns: names of the answer's columns that together are never the same in two rows.
        folds: whether the engine turns unquoted names into upper case (HANA), or letter case never counts.

    Raises:
        StatementError: the text can't be read.
    """
    pieces = [piece for piece in read_pieces(sql) if piece.word != ";"]
    outer = list(outside_parentheses(pieces))
    words = {pieces[index].word for index in outer if not is_parameter(pieces, index)}
    if words & _CUTS:
        return "has a LIMIT or OFFSET of its own, which total_order does not go with"
    ordering = [index for index in outer if pieces[index].word == "ORDER" and not is_parameter(pieces, index)]
    if not ordering:
        return "does not end in an ORDER BY, which total_order needs"
    items = select_list(pieces, outer, folds=folds)
    if items is None:
        return "must name its columns one by one, without * and TOP, where there is a total_order"
    known = [item.name for item in items if item.name is not None]
    for column in columns:
        if column_key(column, folds=folds) not in known:
            return f"has no column {column!r}, which total_order names{_hint(column, known)}"
    terms = list(split(pieces, [index for index in outer if index > ordering[-1] + 1]))
    meant = [
        _meant(_without_direction(term), items, by_value=not words & _SET_OPERATIONS, folds=folds)
        for term in terms[-len(columns) :]
    ]
    missing = [column for column in columns if column_key(column, folds=folds) not in meant]
    if missing:
        return f"must end its ORDER BY in the total_order, as its select list has it: {', '.join(missing)}"
    return None


def _hint(column: str, known: Sequence[str]) -> str:
    by_key = {name.casefold(): name for name in known}
    close = get_close_matches(column.casefold(), by_key, 1)
    return f"; did you mean {by_key[close[0]]!r}?" if close else ""


def _without_direction(term: Pieces) -> Pieces:
    words = [piece.word for piece in term]
    if words[-2:-1] == ["NULLS"]:
        term, words = term[:-2], words[:-2]
    return term[:-1] if words[-1:] in (["ASC"], ["DESC"]) else term


def _meant(term: Pieces, items: Sequence[Item], *, by_value: bool, folds: bool) -> str | None:
    """Return the column of the answer that a term orders by; None for none."""
    if len(term) == 1 and term[0].kind is PieceKind.NUMBER and term[0].text.isdecimal():
        place = int(term[0].text) - 1
        return items[place].name if 0 <= place < len(items) else None
    if len(term) == 1 and term[0].is_name:
        name = name_of(term[0], folds=folds)
        if any(item.name == name for item in items):
            return name
    value = same(term, folds=folds)
    return next((item.name for item in items if by_value and item.value == value), None)
