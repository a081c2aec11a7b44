"""The pieces of a SQL text: names, words, strings and symbols, with nothing but blanks and comments between.

Two readings must agree: the tokenizer says what every piece is, and what lies between pieces must be nothing
but blanks and plain comments. A text on which they could differ (nested comments, backticks, brackets) is
refused.
"""

import re
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, Final

from attrs import frozen

_BETWEEN: Final = re.compile(
    r"(?:[ \t\r\n]|--[^\r\n\x0b\x0c\x85\u2028\u2029;]*(?=\r?\n|\Z)|/\*(?:(?!\*/|/\*|;).)*\*/)*", re.DOTALL
)
"""Blanks and comments. A comment with `;`, `/*` or a rare line end in it may end elsewhere for a database."""


class StatementError(ValueError):
    """The text can't be served; the message says why, in English."""


class PieceKind(Enum):
    """What a piece is."""

    WORD = "word"
    QUOTED_NAME = "quoted name"
    TEXT = "text"
    NUMBER = "number"
    SYMBOL = "symbol"


@frozen
class Piece:
    """One token: where it stands, its text as written, and what it is."""

    start: int
    end: int
    text: str
    kind: PieceKind

    @property
    def word(self) -> str:
        """The upper-case word or symbol; empty for strings and quoted names."""
        return "" if self.is_quoted or self.kind is PieceKind.TEXT else self.text.upper()

    @property
    def is_quoted(self) -> bool:
        """Whether it is a name in double quotes."""
        return self.kind is PieceKind.QUOTED_NAME

    @property
    def is_name(self) -> bool:
        """Whether it is a name or a word, in quotes or not."""
        return self.kind in (PieceKind.WORD, PieceKind.QUOTED_NAME)


def read_pieces(sql: str) -> list[Piece]:
    """Return the pieces of a text, in their order.

    Raises:
        StatementError: it can't be read with certainty.
    """
    pieces = _reader()(sql)
    end = 0
    for start, following in [*((piece.start, piece.end) for piece in pieces), (len(sql), len(sql))]:
        if not _BETWEEN.fullmatch(sql, end, start):
            raise StatementError(
                f"has a comment with ';' or '/*' in it, or an unexpected character, at character {end}"
            )
        end = following
    return pieces


@cache
def _reader() -> Callable[[str], list[Piece]]:
    """Return what cuts a text into pieces: sqlglot, loaded by whoever has a text to read."""
    from sqlglot import TokenError, Tokenizer, TokenType  # noqa: PLC0415 - a tenth of the start, and 6 MB

    class SqlTokenizer(Tokenizer):
        """The lexical rules that SAP HANA and SQLite share: no keywords, so that every word stays a word."""

        QUOTES = ["'"]  # noqa: RUF012 - the library's way of configuring
        IDENTIFIERS = ['"']  # noqa: RUF012 - the same
        STRING_ESCAPES = ["'"]  # noqa: RUF012 - the same
        COMMENTS = ["--", ("/*", "*/")]  # noqa: RUF012 - the same
        NESTED_COMMENTS = False
        KEYWORDS = {}  # noqa: RUF012 - the same

    kinds: dict[Any, PieceKind] = {
        TokenType.VAR: PieceKind.WORD,
        TokenType.IDENTIFIER: PieceKind.QUOTED_NAME,
        TokenType.STRING: PieceKind.TEXT,
        TokenType.NATIONAL_STRING: PieceKind.TEXT,
        TokenType.NUMBER: PieceKind.NUMBER,
    }

    def read(sql: str) -> list[Piece]:
        try:
            tokens = SqlTokenizer().tokenize(sql)
        except TokenError as error:
            raise StatementError("has a string, a quoted name or a comment that does not end") from error
        return [
            Piece(t.start, t.end + 1, sql[t.start : t.end + 1], kinds.get(t.token_type, PieceKind.SYMBOL))
            for t in tokens
        ]

    return read
