"""Just enough reading of SQL to serve a client: what kind of statement it is, where its parameters are, and a
few words that SQLite
spells differently. Execution itself is SQLite's."""

import re
from collections.abc import Iterator

from attrs import frozen

_TOKEN = re.compile(
    r"""(?P<space>\s+|--[^\n]*|/\*.*?\*/)
    |(?P<string>'(?:[^']|'')*')
    |(?P<quoted>"(?:[^"]|"")*")
    |(?P<number>[0-9]+(?:\.[0-9]+)?)
    |(?P<word>[A-Za-z_][A-Za-z0-9_$#]*)
    |(?P<symbol><=|>=|<>|!=|\|\||.)""",
    re.VERBOSE | re.DOTALL,
)
_COMPARISONS = frozenset({"=", "<", ">", "<=", ">=", "<>", "!=", "LIKE", "IN", "(", "BETWEEN", "AND", ","})
_LOOK_BACK = 12


@frozen
class Token:
    """A piece of SQL: its kind (the groups above) and its text."""

    kind: str
    text: str

    @property
    def word(self) -> str:
        """The text for comparing with keywords."""
        return self.text.upper()

    @property
    def name(self) -> str | None:
        """The identifier that it stands for, folded as HANA does; None if it is none."""
        if self.kind == "quoted":
            return self.text[1:-1].replace('""', '"')
        return self.text.upper() if self.kind == "word" else None


def tokens(sql: str, *, with_space: bool = False) -> Iterator[Token]:
    """Cut SQL into tokens, blanks and comments only if asked for."""
    for match in _TOKEN.finditer(sql):
        kind = match.lastgroup or "symbol"
        if with_space or kind != "space":
            yield Token(kind, match.group())


def names_in(sql: str) -> frozenset[str]:
    """Return all identifiers and words of a statement, folded as HANA folds them."""
    return frozenset(name for token in tokens(sql) if (name := token.name) is not None)


def first_word(sql: str) -> str:
    """Return the keyword that a statement begins with, in upper case."""
    return next((token.word for token in tokens(sql)), "")


def parameter_columns(sql: str) -> list[str | None]:
    """Return, for each ``?``, the name of the column that it is compared with, where that can be seen."""
    found: list[str | None] = []
    before: list[Token] = []
    for token in tokens(sql):
        if token.text == "?":
            found.append(_compared_with(before[-_LOOK_BACK:]))
        before.append(token)
    return found


def _compared_with(before: list[Token]) -> str | None:
    for token in reversed(before):
        if token.word in _COMPARISONS or token.text == "?":
            continue
        return token.name if token.kind in {"quoted", "word"} else None
    return None


def to_sqlite(sql: str, *, schema: str, user: str, connection_id: int) -> str:
    """Rewrite what SQLite spells differently: ``TOP n``, the session's own functions, ``FOR UPDATE`` hints
    stay as they are."""
    session_words = {
        "CURRENT_SCHEMA": _literal(schema),
        "CURRENT_USER": _literal(user),
        "SESSION_USER": _literal(user),
        "CURRENT_CONNECTION": str(connection_id),
        "NOW": "CURRENT_TIMESTAMP",
    }
    written: list[str] = []
    limit: str | None = None
    pieces = list(tokens(sql, with_space=True))
    index = 0
    while index < len(pieces):
        token = pieces[index]
        if token.kind == "word" and token.word == "TOP" and limit is None:
            following = [i for i in range(index + 1, len(pieces)) if pieces[i].kind != "space"]
            if following and pieces[following[0]].kind == "number":
                limit = pieces[following[0]].text
                index = following[0] + 1
                continue
        replacement = session_words.get(token.word) if token.kind == "word" else None
        written.append(replacement or token.text)
        index += 1
        if replacement and token.word == "NOW":
            index = _after_empty_call(pieces, index)
    text = "".join(written).rstrip().rstrip(";")
    return f"{text} LIMIT {limit}" if limit is not None else text


def _after_empty_call(pieces: list[Token], index: int) -> int:
    rest = [i for i in range(index, len(pieces)) if pieces[i].kind != "space"][:2]
    return rest[1] + 1 if [pieces[i].text for i in rest] == ["(", ")"] else index


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
