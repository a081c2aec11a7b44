"""One SQL text of a registered query: only reads, and its `:name` parameters turned into `?` once.

Two readings must agree: the tokenizer says what every piece is, and what lies between pieces must be nothing
but blanks and plain comments. A text on which they could differ (nested comments, backticks, brackets) is
refused.
A database user who may only SELECT remains the real guarantee; this finds mistakes at startup.
"""

import re
from collections.abc import Iterator
from typing import Final

from attrs import define, frozen
from sqlglot import TokenError, Tokenizer, TokenType

PARAMETER_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")

_BETWEEN: Final = re.compile(
    r"(?:[ \t\r\n]|--[^\r\n\x0b\x0c\x85\u2028\u2029;]*(?=\r?\n|\Z)|/\*(?:(?!\*/|/\*|;).)*\*/)*", re.DOTALL
)
"""Blanks and comments. A comment with `;`, `/*` or a rare line end in it may end elsewhere for a database."""

_TEXTS: Final = frozenset({TokenType.STRING, TokenType.NATIONAL_STRING})
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
_TABLE_FUNCTION: Final = re.compile(
    "GENERATE_SERIES|JSON_EACH|JSON_TABLE|JSON_TREE|LATERAL|SERIES_GENERATE_(?:DATE|INTEGER|TIMESTAMP)|UNNEST|XMLTABLE"
)
"""What may stand before `(` where a table is expected: functions that the databases bring along. Any other
may call a procedure."""


class StatementError(ValueError):
    """The text can't be served; the message says why, in English."""


@frozen
class Statement:
    """A checked text.

    Attributes:
        sql: with `?` for every parameter.
        parameters: the name behind each `?`, in their order; a name used twice stands here twice.
    """

    sql: str
    parameters: tuple[str, ...]


class _SqlTokenizer(Tokenizer):
    """The lexical rules that SAP HANA and SQLite share: no keywords, so that every word stays a word."""

    QUOTES = ["'"]  # noqa: RUF012 - the library's way of configuring
    IDENTIFIERS = ['"']  # noqa: RUF012 - the same
    STRING_ESCAPES = ["'"]  # noqa: RUF012 - the same
    COMMENTS = ["--", ("/*", "*/")]  # noqa: RUF012 - the same
    NESTED_COMMENTS = False
    KEYWORDS = {}  # noqa: RUF012 - the same


@frozen
class _Piece:
    """One token: where it stands, its text as written, and what it is."""

    start: int
    end: int
    text: str
    kind: TokenType

    @property
    def word(self) -> str:
        """The upper-case word or symbol; empty for strings and quoted names."""
        return "" if self.is_quoted or self.kind in _TEXTS else self.text.upper()

    @property
    def is_quoted(self) -> bool:
        return self.kind is TokenType.IDENTIFIER

    @property
    def is_name(self) -> bool:
        return self.kind in (TokenType.VAR, TokenType.IDENTIFIER)


def read_statement(sql: str) -> Statement:
    """Check that a text is one SELECT or WITH that only reads, and put `?` where its parameters stand.

    Raises:
        StatementError: it is anything else, or can't be read with certainty.
    """
    pieces = _pieces(sql)
    if pieces and pieces[-1].word == ";":
        sql, pieces = sql[: pieces[-1].start], pieces[:-1]
    if not pieces or pieces[0].word not in {"SELECT", "WITH"}:
        raise StatementError("must be one SELECT or WITH")
    _check_symbols(pieces)
    _check_words(pieces)
    _check_structure(pieces)
    return _with_places(sql, pieces)


def quoted_name(identifier: str) -> str:
    """Return a name as SQL takes it, whatever it holds."""
    return '"' + identifier.replace('"', '""') + '"'


def _pieces(sql: str) -> list[_Piece]:
    try:
        tokens = _SqlTokenizer().tokenize(sql)
    except TokenError as error:
        raise StatementError("has a string, a quoted name or a comment that does not end") from error
    pieces = [_Piece(t.start, t.end + 1, sql[t.start : t.end + 1], t.token_type) for t in tokens]
    end = 0
    for start, following in [*((piece.start, piece.end) for piece in pieces), (len(sql), len(sql))]:
        if not _BETWEEN.fullmatch(sql, end, start):
            raise StatementError(
                f"has a comment with ';' or '/*' in it, or an unexpected character, at character {end}"
            )
        end = following
    return pieces


def _check_symbols(pieces: list[_Piece]) -> None:
    for piece in pieces:
        if piece.word == ";":
            raise StatementError("must be one statement: there is a ';' in it")
        if piece.word == "?":
            raise StatementError("must name its parameters as :name, not ?")
        is_plain = piece.kind is TokenType.VAR and _PLAIN_NAME.fullmatch(piece.text) is not None
        is_value = piece.kind in _TEXTS or piece.kind is TokenType.NUMBER
        if not (is_plain or is_value or piece.is_quoted or piece.text in _SYMBOLS):
            raise StatementError(f"has {piece.text!r} at character {piece.start}, which no engine here knows")


def _check_words(pieces: list[_Piece]) -> None:
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


def _with_neighbours(pieces: list[_Piece]) -> Iterator[tuple[str, _Piece, str]]:
    words = ["", *(piece.word for piece in pieces), ""]
    yield from zip(words, pieces, words[2:], strict=False)


@define
class _Level:
    """One depth of parentheses: the clause that was last begun, and whether a SELECT stands here."""

    clause: str = ""
    selects: bool = False


def _check_structure(pieces: list[_Piece]) -> None:
    """Check parentheses, the SELECT behind a WITH, and that every called function is a built-in one."""
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


def _check_call(pieces: list[_Piece], index: int, level: _Level) -> None:
    """Refuse a call of what may be a procedure: a quoted or qualified name, or an unknown table function."""
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


def _is_column_list(pieces: list[_Piece], opening: int) -> bool:
    """Tell whether the parenthesis lists the columns of a WITH: `"x" ("a", "b") AS (`."""
    for index in range(opening + 1, len(pieces)):
        if pieces[index].word == ")":
            return _word(pieces, index + 1) == "AS" and _word(pieces, index + 2) == "("
        if not (pieces[index].is_name or pieces[index].word == ","):
            return False
    return False


def _word(pieces: list[_Piece], index: int) -> str:
    return pieces[index].word if 0 <= index < len(pieces) else ""


def _with_places(sql: str, pieces: list[_Piece]) -> Statement:
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
    return Statement("".join([*written, sql[end:]]), tuple(names))
