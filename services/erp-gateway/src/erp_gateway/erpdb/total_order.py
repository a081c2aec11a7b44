"""Whether a text is ordered by the columns that tell its rows apart, so that its pages fit together. No I/O.

The database alone knows whether the columns do so; what can be read off the text is that they stand in the
answer and end the ORDER BY, and that nothing stands behind it.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from attrs import frozen

from erp_gateway.erpdb.sql_pieces import Piece, PieceKind, read_pieces

_SET_OPERATIONS: Final = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_CUTS: Final = frozenset({"LIMIT", "OFFSET"})
_NO_ALIAS_BEFORE: Final = frozenset({"END"})

_Pieces: TypeAlias = Sequence[Piece]


@frozen
class _Item:
    """An entry of the select list: its name in the answer, None where it has none, and its value."""

    name: str | None
    value: tuple[str, ...]


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
    outer = list(_outside_parentheses(pieces))
    words = {pieces[index].word for index in outer if not _is_parameter(pieces, index)}
    if words & _CUTS:
        return "has a LIMIT or OFFSET of its own, which total_order does not go with"
    ordering = [
        index for index in outer if pieces[index].word == "ORDER" and not _is_parameter(pieces, index)
    ]
    if not ordering:
        return "does not end in an ORDER BY, which total_order needs"
    items = _select_list(pieces, outer, folds=folds)
    if items is None:
        return "must name its columns one by one, without * and TOP, where there is a total_order"
    terms = list(_split(pieces, [index for index in outer if index > ordering[-1] + 1]))
    meant = [
        _meant(_without_direction(term), items, by_value=not words & _SET_OPERATIONS, folds=folds)
        for term in terms[-len(columns) :]
    ]
    missing = [column for column in columns if column_key(column, folds=folds) not in meant]
    if missing:
        return f"must end its ORDER BY in the total_order, as its select list has it: {', '.join(missing)}"
    return None


def column_key(column: str, *, folds: bool) -> str:
    """Return what two names of the same column of an answer share."""
    return column if folds else column.casefold()


def _outside_parentheses(pieces: _Pieces) -> Iterator[int]:
    depth = 0
    for index, piece in enumerate(pieces):
        depth -= piece.word == ")"
        if depth == 0 and piece.word != ")":
            yield index
        depth += piece.word == "("


def _is_parameter(pieces: _Pieces, index: int) -> bool:
    return index > 0 and pieces[index - 1].word == ":"


def _select_list(pieces: _Pieces, outer: Sequence[int], *, folds: bool) -> list[_Item] | None:
    """Return the entries of the outermost SELECT, the first of several; None where they can't be told."""
    begin = next(index for index in outer if pieces[index].word == "SELECT") + 1
    if pieces[begin].word in {"DISTINCT", "ALL"}:
        begin += 1
    end = next(
        (index for index in outer if index >= begin and pieces[index].word in {"FROM", "ORDER"}), begin
    )
    entries = list(_split(pieces, [index for index in outer if begin <= index < end], end=end))
    if pieces[begin].word == "TOP" or any(entry and entry[-1].word == "*" for entry in entries):
        return None
    return [_item(entry, folds=folds) for entry in entries]


def _split(pieces: _Pieces, outer: Sequence[int], *, end: int | None = None) -> Iterator[_Pieces]:
    """Yield what stands between commas outside all parentheses."""
    if outer:
        commas = [index for index in outer if pieces[index].word == ","]
        for start, stop in zip(
            [outer[0], *(comma + 1 for comma in commas)], [*commas, end or len(pieces)], strict=True
        ):
            yield pieces[start:stop]


def _item(entry: _Pieces, *, folds: bool) -> _Item:
    named = len(entry) > 0 and entry[-1].is_name and entry[-1].word not in _NO_ALIAS_BEFORE
    if not named:
        return _Item(None, _same(entry, folds=folds))
    name = _name(entry[-1], folds=folds)
    before = entry[-2] if len(entry) > 1 else None
    if before is None or before.word == ".":
        return _Item(name, _same(entry, folds=folds))
    if before.word == "AS":
        return _Item(name, _same(entry[:-2], folds=folds))
    ends_a_value = before.is_name or before.word == ")" or before.kind in (PieceKind.TEXT, PieceKind.NUMBER)
    if ends_a_value:
        return _Item(name, _same(entry[:-1], folds=folds))
    return _Item(None, _same(entry, folds=folds))


def _without_direction(term: _Pieces) -> _Pieces:
    words = [piece.word for piece in term]
    if words[-2:-1] == ["NULLS"]:
        term, words = term[:-2], words[:-2]
    return term[:-1] if words[-1:] in (["ASC"], ["DESC"]) else term


def _meant(term: _Pieces, items: Sequence[_Item], *, by_value: bool, folds: bool) -> str | None:
    """Return the column of the answer that a term orders by; None for none."""
    if len(term) == 1 and term[0].kind is PieceKind.NUMBER and term[0].text.isdecimal():
        place = int(term[0].text) - 1
        return items[place].name if 0 <= place < len(items) else None
    if len(term) == 1 and term[0].is_name:
        name = _name(term[0], folds=folds)
        if any(item.name == name for item in items):
            return name
    value = _same(term, folds=folds)
    return next((item.name for item in items if by_value and item.value == value), None)


def _name(piece: Piece, *, folds: bool) -> str:
    if piece.is_quoted:
        return column_key(piece.text[1:-1].replace('""', '"'), folds=folds)
    return piece.text.upper() if folds else piece.text.casefold()


def _same(pieces: Iterable[Piece], *, folds: bool) -> tuple[str, ...]:
    """Return what two ways of writing the same value share."""
    return tuple(_name(piece, folds=folds) if piece.is_name else piece.text for piece in pieces)
