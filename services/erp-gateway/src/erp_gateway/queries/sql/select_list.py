"""Analyses the outermost select list of a text, and whether its order is total. No I/O."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Final, TypeAlias

from attrs import frozen

from erp_gateway.queries.sql.pieces import Piece, PieceKind, read_pieces

_ENDS: Final = frozenset({"FROM", "WHERE", "ORDER", "UNION", "INTERSECT", "EXCEPT", "MINUS", "LIMIT"})
_NO_ALIAS_BEFORE: Final = frozenset({"END"})

Pieces: TypeAlias = Sequence[Piece]


@frozen
class Item:
    """An entry of the select list.

    Attributes:
        name: comparable form of its column's name; None without one.
        value: its expression.
        alias: its column in the result, with exact letter case; None if the table determines it.
    """

    name: str | None
    value: tuple[str, ...]
    alias: str | None = None


def select_problems(sql: str, *, folds: bool) -> Iterator[str]:
    """Yield definite problems with the result columns of a text, as ends of sentences.

    Args:
        sql: a checked text.
        folds: whether the engine turns unquoted names into upper case (HANA).
    """
    pieces = [piece for piece in read_pieces(sql) if piece.word != ";"]
    entries = _entries(pieces, list(outside_parentheses(pieces)))
    runaway = next((place for place in map(_comma_missing, entries) if place is not None), None)
    if runaway is not None:
        yield f"lacks a comma in its select list, before {runaway.text}"
        return
    names = [_result_name(entry, folds=folds) for entry in entries if _has_certain_name(entry)]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield f"has two columns {name!r}: a row can have one of each name; AS gives another"


def _has_certain_name(entry: Pieces) -> bool:
    item = _item(entry, folds=True)
    return item.name is not None and (entry[-1].is_quoted or len(entry) == 1 or entry[-2].word in {"AS", "."})


def _result_name(entry: Pieces, *, folds: bool) -> str:
    plain = not entry[-1].is_quoted and not folds
    return entry[-1].text if plain else name_of(entry[-1], folds=True)


def _comma_missing(entry: Pieces) -> Piece | None:
    """Return the piece before which a comma must be missing: a second AS, or a column after an alias."""
    outer = [entry[index] for index in outside_parentheses(entry)]
    aliases = [index for index, piece in enumerate(outer) if piece.word == "AS"]
    if len(aliases) > 1:
        return outer[min(aliases[0] + 2, len(outer) - 1)]
    return next(
        (
            piece
            for before, piece, dot in zip(outer, outer[1:], outer[2:], strict=False)
            if before.is_quoted and piece.is_name and dot.word == "."
        ),
        None,
    )


def result_columns(sql: str) -> tuple[str, ...]:
    """Return the columns of a checked text as it writes them; empty if one has no certain name."""
    pieces = [piece for piece in read_pieces(sql) if piece.word != ";"]
    entries = _entries(pieces, list(outside_parentheses(pieces)))
    if entries and entries[0] and entries[0][0].word == "TOP":
        entries[0] = entries[0][2:]
    if not all(entry and _has_certain_name(entry) for entry in entries):
        return ()
    return tuple(_unquoted(entry[-1]) for entry in entries)


def _unquoted(piece: Piece) -> str:
    return piece.text[1:-1].replace('""', '"') if piece.is_quoted else piece.text


def column_key(column: str, *, folds: bool) -> str:
    """Return the comparable form of a result column's name."""
    return column if folds else column.casefold()


def outside_parentheses(pieces: Pieces) -> Iterator[int]:
    """Yield the indexes of pieces outside all parentheses."""
    depth = 0
    for index, piece in enumerate(pieces):
        depth -= piece.word == ")"
        if depth == 0 and piece.word != ")":
            yield index
        depth += piece.word == "("


def is_parameter(pieces: Pieces, index: int) -> bool:
    """Return whether a piece is the name of a parameter."""
    return index > 0 and pieces[index - 1].word == ":"


def select_list(pieces: Pieces, outer: Sequence[int], *, folds: bool) -> list[Item] | None:
    """Return the entries of the outermost SELECT (the first of several), or None if unknown."""
    entries = _entries(pieces, outer)
    begins = entries[0][0].word if entries and entries[0] else ""
    if begins == "TOP" or any(entry and entry[-1].word == "*" for entry in entries):
        return None
    return [_item(entry, folds=folds) for entry in entries]


def _entries(pieces: Pieces, outer: Sequence[int]) -> list[Pieces]:
    begin = next(index for index in outer if pieces[index].word == "SELECT") + 1
    if begin < len(pieces) and pieces[begin].word in {"DISTINCT", "ALL"}:
        begin += 1
    behind = (
        index
        for index in outer
        if index >= begin and pieces[index].word in _ENDS and not is_parameter(pieces, index)
    )
    end = next(behind, len(pieces))
    return list(split(pieces, [index for index in outer if begin <= index < end], end=end))


def split(pieces: Pieces, outer: Sequence[int], *, end: int | None = None) -> Iterator[Pieces]:
    """Yield the parts between commas outside all parentheses."""
    if outer:
        commas = [index for index in outer if pieces[index].word == ","]
        for start, stop in zip(
            [outer[0], *(comma + 1 for comma in commas)], [*commas, end or len(pieces)], strict=True
        ):
            yield pieces[start:stop]


def _item(entry: Pieces, *, folds: bool) -> Item:
    has_alias = len(entry) > 0 and entry[-1].is_name and entry[-1].word not in _NO_ALIAS_BEFORE
    if not has_alias:
        return Item(None, same(entry, folds=folds))
    name = name_of(entry[-1], folds=folds)
    before = entry[-2] if len(entry) > 1 else None
    if before is None or before.word == ".":
        return Item(name, same(entry, folds=folds))
    alias = _result_name(entry, folds=folds)
    if before.word == "AS":
        return Item(name, same(entry[:-2], folds=folds), alias)
    ends_a_value = before.is_name or before.word == ")" or before.kind in (PieceKind.TEXT, PieceKind.NUMBER)
    if ends_a_value:
        return Item(name, same(entry[:-1], folds=folds), alias)
    return Item(None, same(entry, folds=folds))


def name_of(piece: Piece, *, folds: bool) -> str:
    """Return the comparable form of a name."""
    if piece.is_quoted:
        return column_key(piece.text[1:-1].replace('""', '"'), folds=folds)
    return piece.text.upper() if folds else piece.text.casefold()


def same(pieces: Iterable[Piece], *, folds: bool) -> tuple[str, ...]:
    """Return the comparable form of a value."""
    return tuple(name_of(piece, folds=folds) if piece.is_name else piece.text for piece in pieces)


_SET_OPERATIONS: Final = frozenset({"UNION", "INTERSECT", "EXCEPT", "MINUS"})
_CUTS: Final = frozenset({"LIMIT", "OFFSET"})


def order_problem(sql: str, columns: tuple[str, ...], *, folds: bool) -> str | None:
    """Return why a text can't be paged by these columns, as the end of a sentence; None if it can.

    Args:
        sql: a checked text.
        columns: names of the result columns that together identify a row.
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
    column_names = [item.name for item in items if item.name is not None]
    for column in columns:
        if column_key(column, folds=folds) not in column_names:
            return f"has no column {column!r}, which total_order names{_hint(column, column_names)}"
    terms = list(split(pieces, [index for index in outer if index > ordering[-1] + 1]))
    ordered_columns = [
        _ordered_column(_without_direction(term), items, by_value=not words & _SET_OPERATIONS, folds=folds)
        for term in terms[-len(columns) :]
    ]
    missing = [column for column in columns if column_key(column, folds=folds) not in ordered_columns]
    if missing:
        return f"must end its ORDER BY in the total_order, as its select list has it: {', '.join(missing)}"
    return None


def naming_problem(sql: str, declared: Iterable[str], *, what: str, folds: bool) -> str | None:
    """Return the columns that a text definitely lacks, as the end of a sentence; None if it lacks none.

    Args:
        sql: a checked text.
        declared: names of columns.
        what: the part of the declaration that names them.
        folds: whether the engine turns unquoted names into upper case (HANA), or gives a column without an
            alias the letter case of its table.
    """
    pieces = [piece for piece in read_pieces(sql) if piece.word != ";"]
    items = select_list(pieces, list(outside_parentheses(pieces)), folds=folds) or []
    column_names = [item.alias or item.name for item in items if item.name is not None]
    bare = {item.name for item in items if item.alias is None}
    strange = [
        column
        for column in declared
        if column_names and column not in column_names and column_key(column, folds=folds) not in bare
    ]
    return (
        f"has no column {strange[0]!r}, which {what} names{_hint(strange[0], column_names)}"
        if strange
        else None
    )


def _hint(column: str, column_names: Sequence[str]) -> str:
    by_key = {name.casefold(): name for name in column_names}
    close = get_close_matches(column.casefold(), by_key, 1)
    return f"; did you mean {by_key[close[0]]!r}?" if close else ""


def _without_direction(term: Pieces) -> Pieces:
    words = [piece.word for piece in term]
    if words[-2:-1] == ["NULLS"]:
        term, words = term[:-2], words[:-2]
    return term[:-1] if words[-1:] in (["ASC"], ["DESC"]) else term


def _ordered_column(term: Pieces, items: Sequence[Item], *, by_value: bool, folds: bool) -> str | None:
    """Return the result column that a term orders by; None without one."""
    if len(term) == 1 and term[0].kind is PieceKind.NUMBER and term[0].text.isdecimal():
        place = int(term[0].text) - 1
        return items[place].name if 0 <= place < len(items) else None
    if len(term) == 1 and term[0].is_name:
        name = name_of(term[0], folds=folds)
        if any(item.name == name for item in items):
            return name
    value = same(term, folds=folds)
    return next((item.name for item in items if by_value and item.value == value), None)
