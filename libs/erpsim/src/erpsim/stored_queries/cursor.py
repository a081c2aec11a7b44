"""Cursor over a query's tokens that also rewrites some of them."""

from __future__ import annotations

from typing import Final

from erpsim.company.switches import SqlDialect
from erpsim.stored_queries.refusals import incorrect_near
from erpsim.stored_queries.tokens import Kind, Token, tokenize

_RESERVED: Final = frozenset(
    {
        "SELECT", "FROM", "WHERE", "AS", "AND", "OR", "NOT", "BETWEEN", "ORDER", "BY", "GROUP", "HAVING",
        "IS", "NULL", "LIKE", "TOP", "UNION", "ALL", "IN", "EXISTS", "INNER", "LEFT", "RIGHT", "FULL",
        "OUTER", "JOIN", "ON", "DISTINCT", "ASC", "DESC", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST",
        "CONVERT", "LIMIT", "OFFSET", "WITH", "OVER", "INTO", "FOR", "EXCEPT", "INTERSECT", "CROSS",
    }
)  # fmt: skip


class Cursor:
    """A position in a query.

    Args:
        sql: the query.
        dialect: determines the quotes around names.
    """

    def __init__(self, sql: str, dialect: SqlDialect) -> None:
        self.sql = sql
        self.dialect = dialect
        self.tokens = tokenize(sql)
        self.at = 0
        self.stored: dict[int, str] = {}
        self.executable: dict[int, str] = {}

    @property
    def current(self) -> Token:
        """The next token."""
        return self.tokens[self.at]

    def unexpected(self) -> Exception:
        """Return the refusal of the next token."""
        return incorrect_near(self.sql, self.current)

    def take(self) -> Token:
        """Return the next word and pass it."""
        token = self.current
        self.at += 1
        return token

    def skip_word(self, *words: str) -> bool:
        """Skip the next token if it is one of these keywords; return whether it was."""
        if self.current.is_word(*words):
            self.at += 1
            return True
        return False

    def skip_symbol(self, symbol: str) -> bool:
        """Skip the next token if it is this symbol; return whether it was."""
        if self.current.is_symbol(symbol):
            self.at += 1
            return True
        return False

    def need_word(self, word: str) -> None:
        """Pass this keyword.

        Raises:
            SlError: another word comes.
        """
        if not self.skip_word(word):
            raise self.unexpected()

    def need_symbol(self, symbol: str) -> None:
        """Pass this symbol.

        Raises:
            SlError: another word comes.
        """
        if not self.skip_symbol(symbol):
            raise self.unexpected()

    @property
    def at_identifier(self) -> bool:
        """Return whether a name comes next, not a keyword."""
        token = self.current
        return token.kind is Kind.QUOTED or (token.kind is Kind.WORD and token.text.upper() not in _RESERVED)

    def identifier(self) -> Token:
        """Return the name that comes next and pass it.

        Raises:
            SlError: no name comes.
        """
        if not self.at_identifier:
            raise self.unexpected()
        return self.take()

    def rewrite(self, token: Token, name: str) -> None:
        """Replace a name by its canonical form, quoted for the database."""
        self.stored[token.start] = self._quoted(name)
        self.executable[token.start] = '"' + name.replace('"', '""') + '"'

    def _quoted(self, name: str) -> str:
        if self.dialect is SqlDialect.MSSQL:
            return f"[{name}]"
        return '"' + name.replace('"', '""') + '"'

    def written(self, instead: dict[int, str]) -> str:
        """Return the text with identifiers in canonical form and unchanged blanks."""
        pieces: list[str] = []
        position = 0
        for token in self.tokens:
            pieces += [self.sql[position : token.start]]
            pieces += [instead.get(token.start, self.stored.get(token.start, token.text))]
            position = token.end
        return "".join(pieces)

    def append(self, text: str) -> None:
        """Append a text to the executed statement, after the latest token."""
        token = self.tokens[self.at - 1]
        written = self.executable.get(token.start, self.stored.get(token.start, token.text))
        self.executable[token.start] = written + text
