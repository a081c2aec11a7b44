"""Tokenizer of statements."""

import re

from attrs import frozen

from erpsim.hana.parsing.refusals import syntax_error

_TOKEN = re.compile(
    r"""(?P<space>(?:\s+|--[^\n]*|/\*.*?\*/)+)
    |(?P<text>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")+")
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<word>[A-Za-z_][A-Za-z0-9_$#]*)
    |(?P<mark>\?)
    |(?P<symbol><=|>=|<>|!=|\|\||[-+*/=<>(),.;:])""",
    re.VERBOSE | re.DOTALL,
)


@frozen
class Token:
    """A piece of a statement.

    Attributes:
        kind: a group of the expression above, or ``end``.
        text: as written.
        at: its position.
    """

    kind: str
    text: str
    at: int

    @property
    def end(self) -> int:
        """Position after the token."""
        return self.at + len(self.text)

    @property
    def word(self) -> str:
        """Text to compare with keywords and symbols; empty for strings and quoted names."""
        return "" if self.kind in {"text", "quoted"} else self.text.upper()

    @property
    def name(self) -> str:
        """Name of the token: unquoted names fold to upper case, quoted ones are exact."""
        return self.text[1:-1].replace('""', '"') if self.kind == "quoted" else self.text.upper()


def tokens_of(sql: str) -> list[Token]:
    """Tokenize a statement; the last token has the kind ``end``.

    Raises:
        HanaError: 257 for an invalid character or an unterminated string.
    """
    found, at = [], 0
    while at < len(sql):
        match = _TOKEN.match(sql, at)
        if match is None:
            raise syntax_error(sql, at, sql[at])
        if match.lastgroup != "space":
            found.append(Token(match.lastgroup or "", match.group(), at))
        at = match.end()
    return [*found, Token("end", "", len(sql))]


def first_word(sql: str) -> str:
    """Return the first keyword of a statement in upper case, empty without one."""
    at = 0
    while (match := _TOKEN.match(sql, at)) is not None and match.lastgroup == "space":
        at = match.end()
    return match.group().upper() if match is not None else ""
