"""Cursor over a statement's tokens, the base of the parsers."""

from erpsim.hana.parsing.lexer import Token, tokens_of
from erpsim.hana.parsing.refusals import syntax_error
from erpsim.hana.protocol.codes import HanaError

_RESERVED_TEXT = """
    ALL ALTER AS BEFORE BEGIN BOTH CASE CHAR CONDITION CONNECT CROSS CUBE CURRENT_CONNECTION
    CURRENT_DATE CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER CURRENT_UTCDATE
    CURRENT_UTCTIME CURRENT_UTCTIMESTAMP CURRVAL CURSOR DECLARE DEFERRED DISTINCT ELSE ELSEIF END EXCEPT
    EXCEPTION EXEC FALSE FOR FROM FULL GROUP HAVING IF IN INNER INOUT INTERSECT INTO IS JOIN LATERAL
    LEADING LEFT LIMIT LOOP MINUS NATURAL NCHAR NEXTVAL NULL ON ORDER OUT PRIOR RETURN RETURNS REVERSE
    RIGHT ROLLUP ROWID SELECT SESSION_USER SET SQL START SYSUUID TABLESAMPLE TOP TRAILING TRUE UNION
    UNKNOWN USING UTCTIMESTAMP VALUES WHEN WHERE WHILE WITH
"""
RESERVED = frozenset(_RESERVED_TEXT.split())
"""Words that are names only when quoted: SAP HANA SQL reference, "Reserved Words"."""

# Words that HANA does not reserve but that cannot be a name without AS.
_JOINING = frozenset({"AND", "OR", "NOT", "LIKE", "BETWEEN", "ESCAPE", "OFFSET", "THEN", "DESC", "ASC"})


class Tokens:
    """Cursor over the tokens of a statement.

    Args:
        sql: the statement.

    Raises:
        HanaError: 257 for a character that begins nothing.
    """

    def __init__(self, sql: str) -> None:
        self.sql = sql
        self._tokens = tokens_of(sql)
        self._position = 0
        self.parameters = 0

    @property
    def current(self) -> Token:
        """The token to read next."""
        return self._tokens[self._position]

    @property
    def before(self) -> Token:
        """The token read last."""
        return self._tokens[self._position - 1]

    def ahead(self, count: int = 1) -> Token:
        """Return a token further on."""
        return self._tokens[min(self._position + count, len(self._tokens) - 1)]

    def between(self, first: int, end: int) -> list[Token]:
        """Return the tokens that begin in this stretch of the text."""
        return [token for token in self._tokens if first <= token.at < end]

    def advance(self) -> Token:
        """Read a token."""
        token = self.current
        if token.kind != "end":
            self._position += 1
        return token

    def fault(self, token: Token | None = None) -> HanaError:
        """Return the syntax error at a token, by default the current one."""
        where = token or self.current
        return syntax_error(self.sql, where.at, where.text)

    def sees(self, *words: str) -> bool:
        """Return whether these keywords or symbols follow."""
        return all(self.ahead(place).word == word for place, word in enumerate(words))

    def take(self, *words: str) -> bool:
        """Read these keywords or symbols if they follow."""
        if not self.sees(*words):
            return False
        for _ in words:
            self.advance()
        return True

    def expect(self, *words: str) -> Token:
        """Read these keywords or symbols; return the last.

        Raises:
            HanaError: 257, something else follows.
        """
        for word in words:
            if self.current.word != word:
                raise self.fault()
            self.advance()
        return self.before

    def is_name(self, *, introduced: bool = True) -> bool:
        """Return whether a name follows. One without AS before it cannot be a joining word."""
        token = self.current
        if token.kind == "quoted":
            return True
        if token.kind != "word" or token.word in RESERVED:
            return False
        return introduced or token.word not in _JOINING

    def name(self) -> Token:
        """Read a name.

        Raises:
            HanaError: 257, none follows.
        """
        if not self.is_name():
            raise self.fault()
        return self.advance()

    def text(self) -> str:
        """Read a text between single quotes."""
        if self.current.kind != "text":
            raise self.fault()
        return self.advance().text[1:-1].replace("''", "'")

    def whole_number(self) -> int:
        """Read a whole number without a sign."""
        if self.current.kind != "number" or not self.current.text.isdigit():
            raise self.fault()
        return int(self.advance().text)

    def finish(self) -> None:
        """Expect the end, after at most one semicolon."""
        self.take(";")
        if self.current.kind != "end":
            raise self.fault()
