"""Tokenizer of queries, with the positions that refusals name."""

from __future__ import annotations

import enum
import re

import attrs

_PATTERN = re.compile(
    r"""(?P<space>\s+)
    |(?P<string>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+"|\[[^\]]+\])
    |(?P<number>[0-9]+(?:\.[0-9]+)?)
    |(?P<parameter>:[A-Za-z_][A-Za-z0-9_]*)
    |(?P<word>[A-Za-z_][A-Za-z0-9_$#]*)
    |(?P<symbol><=|>=|<>|!=|[-+=<>(),.*;/])
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


class Kind(enum.Enum):
    """Kinds of token."""

    STRING = "string"
    QUOTED = "quoted"
    NUMBER = "number"
    PARAMETER = "parameter"
    WORD = "word"
    SYMBOL = "symbol"
    OTHER = "other"
    END = "end"


@attrs.frozen
class Token:
    """A piece of a query.

    Args:
        kind: its kind.
        text: as written, empty at the end.
        start: its position in the text.
        line: from 1.
        column: character of its line, from 0.
    """

    kind: Kind
    text: str
    start: int
    line: int
    column: int

    @property
    def end(self) -> int:
        """The place behind it."""
        return self.start + len(self.text)

    def is_word(self, *words: str) -> bool:
        """Return whether it is one of these keywords (in capitals), in any case."""
        return self.kind is Kind.WORD and self.text.upper() in words

    def is_symbol(self, *symbols: str) -> bool:
        """Return whether the token is one of the given symbols."""
        return self.kind is Kind.SYMBOL and self.text in symbols

    @property
    def name(self) -> str:
        """Position after the token."""
        if self.kind is not Kind.QUOTED:
            return self.text
        return self.text[1:-1].replace('""', '"') if self.text.startswith('"') else self.text[1:-1]


def tokenize(sql: str) -> list[Token]:
    """Return the tokens of a text and an end token behind them."""
    tokens: list[Token] = []
    line, line_start = 1, 0
    for match in _PATTERN.finditer(sql):
        if match.lastgroup != "space":
            kind = Kind(match.lastgroup)
            tokens.append(Token(kind, match.group(), match.start(), line, match.start() - line_start))
        breaks = match.group().count("\n")
        if breaks:
            line += breaks
            line_start = match.start() + match.group().rindex("\n") + 1
    tokens.append(Token(Kind.END, "", len(sql), line, len(sql) - line_start))
    return tokens
