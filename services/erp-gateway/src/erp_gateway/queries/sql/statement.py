"""One SQL text of a registered query: checks that it only reads, and replaces `:name` parameters by `?`.

The real guarantee is a database user with only SELECT rights; this check finds mistakes at startup.
"""

import re
from collections.abc import Iterator
from typing import Final

from attrs import define, frozen

from erp_gateway.queries.sql.pieces import Piece, PieceKind, StatementError, read_pieces

PARAMETER_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")

_SYMBOLS: Final = frozenset(",.()*+-/%=<>!|:")
_PLAIN_NAME: Final = re.compile(r"[^\W\d][\w$]*")
_WRITES: Final = re.compile(
    "ALTER|ATTACH|BEGIN|CALL|COMMIT|CREATE|DELETE|DETACH|DO|DROP|EXEC|EXECUTE|EXPORT|GRANT|IMPORT|INSERT|LOCK|"
    "MERGE|PRAGMA|RENAME|REPLACE|REVOKE|ROLLBACK|SAVEPOINT|TRUNCATE|UPDATE|UPSERT|VACUUM"
)
_CLAUSE: Final = re.compile(
    "SELECT|FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|OFFSET|UNION|INTERSECT|EXCEPT|MINUS|WINDOW"
)
_BEFORE_SOURCE: Final = frozenset({"FROM", "JOIN", "LATERAL", ",", "("})
# Built-in functions allowed before `(` where a table is expected. Any other may call a procedure.
_TABLE_FUNCTION: Final = re.compile(
    "GENERATE_SERIES|JSON_EACH|JSON_TABLE|JSON_TREE|LATERAL|SERIES_GENERATE_(?:DATE|INTEGER|TIMESTAMP)|UNNEST|XMLTABLE"
)


@frozen
class Statement:
    """A checked text.

    Attributes:
        sql: with `?` for every parameter.
        parameters: the name of each `?`, in order; a name used twice is listed twice.
        is_countable: whether it may stand in parentheses, to count its rows. HANA takes no WITH there (its
            syntax of `subquery` has none).
    """

    sql: str
    parameters: tuple[str, ...]
    is_countable: bool


def read_statement(sql: str) -> Statement:
    """Check that a text is one SELECT or WITH that only reads, and replace its parameters by `?`.

    Raises:
        StatementError: it is anything else, or ambiguous.
    """
    pieces = read_pieces(sql)
    if pieces and pieces[-1].word == ";":
        sql, pieces = sql[: pieces[-1].start], pieces[:-1]
    if not pieces or pieces[0].word not in {"SELECT", "WITH"}:
        raise StatementError("must be one SELECT or WITH")
    _check_symbols(pieces)
    _check_words(pieces)
    _check_structure(pieces)
    return _with_places(sql, pieces)


def quoted_name(identifier: str) -> str:
    """Return a name quoted for SQL."""
    return '"' + identifier.replace('"', '""') + '"'


def _check_symbols(pieces: list[Piece]) -> None:
    for piece in pieces:
        if piece.word == ";":
            raise StatementError("must be one statement: there is a ';' in it")
        if piece.word == "?":
            raise StatementError("must name its parameters as :name, not ?")
        is_plain = piece.kind is PieceKind.WORD and _PLAIN_NAME.fullmatch(piece.text) is not None
        is_value = piece.kind in (PieceKind.TEXT, PieceKind.NUMBER)
        if not (is_plain or is_value or piece.is_quoted or piece.text in _SYMBOLS):
            raise StatementError(f"has {piece.text!r} at character {piece.start}, which no engine here knows")


def _check_words(pieces: list[Piece]) -> None:
    for before, piece, after in _with_neighbours(pieces):
        if before == ":":
            continue  # a parameter may be called anything
        if before == "FOR" and piece.word in {"UPDATE", "SHARE"}:
            raise StatementError(f"must not lock rows: FOR {piece.word}")
        if piece.word == "INTO":
            raise StatementError("must not write into a table or variable: INTO")
        if piece.is_name and piece.text.strip('"').upper() == "NEXTVAL":
            raise StatementError("must not draw from a sequence: NEXTVAL")
        if _WRITES.fullmatch(piece.word) and not (piece.word == "REPLACE" and after == "("):
            raise StatementError(f"must only read: {piece.word} (as a name, it needs double quotes)")


def _with_neighbours(pieces: list[Piece]) -> Iterator[tuple[str, Piece, str]]:
    words = ["", *(piece.word for piece in pieces), ""]
    yield from zip(words, pieces, words[2:], strict=False)


@define
class _Level:
    """One level of parentheses: its current clause, and whether it contains a SELECT."""

    clause: str = ""
    selects: bool = False


def _check_structure(pieces: list[Piece]) -> None:
    levels = [_Level()]
    for index, piece in enumerate(pieces):
        level = levels[-1]
        if piece.word == "(":
            _check_call(pieces, index, level)
            inside = level.selects and level.clause == "FROM" and _word(pieces, index - 1) in _BEFORE_SOURCE
            levels.append(_Level("FROM", selects=True) if inside else _Level())
        elif piece.word == ")":
            levels.pop()
            if not levels:
                raise StatementError("has a ')' without its '('")
        elif _CLAUSE.fullmatch(piece.word) and _word(pieces, index - 1) != ":":
            level.clause = piece.word
            level.selects = level.selects or piece.word == "SELECT"
    if len(levels) > 1:
        raise StatementError("has a '(' without its ')'")
    if not levels[0].selects:
        raise StatementError("must be one SELECT or WITH ... SELECT")


def _check_call(pieces: list[Piece], index: int, level: _Level) -> None:
    """Reject a call that may be a procedure: a quoted or qualified name, or an unknown table function."""
    if index == 0 or not pieces[index - 1].is_name:
        return
    name, before = pieces[index - 1], _word(pieces, index - 2)
    if before == ":":
        return
    if (name.is_quoted or before == ".") and not _is_column_list(pieces, index):
        raise StatementError(f"must not call functions of its own schema: {name.text}(...)")
    is_source = level.selects and level.clause == "FROM" and before in _BEFORE_SOURCE
    if is_source and not name.is_quoted and not _TABLE_FUNCTION.fullmatch(name.word):
        raise StatementError(f"must not call table functions that may call procedures: {name.text}(...)")


def _is_column_list(pieces: list[Piece], opening: int) -> bool:
    """Return whether the parenthesis lists the columns of a WITH: `"x" ("a", "b") AS (`."""
    for index in range(opening + 1, len(pieces)):
        if pieces[index].word == ")":
            return _word(pieces, index + 1) == "AS" and _word(pieces, index + 2) == "("
        if not (pieces[index].is_name or pieces[index].word == ","):
            return False
    return False


def _word(pieces: list[Piece], index: int) -> str:
    return pieces[index].word if 0 <= index < len(pieces) else ""


def _with_places(sql: str, pieces: list[Piece]) -> Statement:
    written: list[str] = []
    names: list[str] = []
    end = 0
    for index, piece in enumerate(pieces):
        if piece.word != ":":
            continue
        following = pieces[index + 1] if index + 1 < len(pieces) else None
        if following is None or following.start != piece.end or not PARAMETER_NAME.fullmatch(following.text):
            raise StatementError(f"has a ':' at character {piece.start} that begins no parameter")
        written += [sql[end : piece.start], "?"]
        names.append(following.text)
        end = following.end
    is_countable = pieces[0].word == "SELECT"
    return Statement("".join([*written, sql[end:]]), tuple(names), is_countable)
