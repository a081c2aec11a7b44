"""Splits a SQL text into names, words, strings and symbols.

Two readings must agree: the tokenizer classifies every piece, and only blanks and plain comments may lie
between pieces. A text on which they could differ (nested comments, backticks, brackets) is rejected.
"""

import re
from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, Final

from attrs import frozen

# Blanks and comments. A comment that contains `;`, `/*` or an unusual line end may end elsewhere for a
# database.
_BETWEEN: Final = re.compile(
    r"(?:[ \t\r\n]|--[^\r\n\x0b\x0c\x85\u2028\u2029;]*(?=\r?\n|\Z)|/\*(?:(?!\*/|/\*|;).)*\*/)*", re.DOTALL
)


class StatementError(ValueError):
    """The text can't be used; the message gives the reason in English."""


class PieceKind(Enum):
    """Kind of a piece."""

    WORD = "word"
    QUOTED_NAME = "quoted name"
    TEXT = "text"
    NUMBER = "number"
    SYMBOL = "symbol"


@frozen
class Piece:
    """One token with its position, text and kind."""

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
        """True if it is a name in double quotes."""
        return self.kind is PieceKind.QUOTED_NAME

    @property
    def is_name(self) -> bool:
        """True if it is a name or a word, quoted or not."""
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
    from sqlglot import TokenError, Tokenizer, TokenType  # noqa: PLC0415 - a tenth of the start, and 6 MB

    class SqlTokenizer(Tokenizer):
        """Lexical rules shared by SAP HANA and SQLite, without keywords, so that every word stays a word."""

        QUOTES = ["'"]  # noqa: RUF012 - sqlglot reads class attributes
        IDENTIFIERS = ['"']  # noqa: RUF012 - as above
        STRING_ESCAPES = ["'"]  # noqa: RUF012 - as above
        COMMENTS = ["--", ("/*", "*/")]  # noqa: RUF012 - as above
        NESTED_COMMENTS = False
        KEYWORDS = {}  # noqa: RUF012 - as above

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
