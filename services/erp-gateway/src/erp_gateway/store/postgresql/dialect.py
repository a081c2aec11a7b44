"""Translate the store's statements and scripts, written for SQLite, for PostgreSQL.

Only the placeholders of values and the types and checks of tables differ. `COLLATE "C"` makes texts compare
byte by byte, as in SQLite.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final

from psycopg import Connection, Cursor
from psycopg.abc import Buffer
from psycopg.rows import RowMaker
from psycopg.types.string import StrDumperUnknown, TextLoader
from typing_extensions import override

_RULES: Final = (
    (re.compile(r"^-- only sqlite$.*?^-- end of only sqlite$", re.MULTILINE | re.DOTALL), ""),
    (re.compile(r"^--postgresql ", re.MULTILINE), ""),
    (re.compile(r"\) STRICT(, WITHOUT ROWID)?;"), ");"),
    (re.compile(r" AUTOINCREMENT\b"), ""),
    (re.compile(r"\bINTEGER\b"), "BIGINT"),
    (re.compile(r"\bBLOB\b"), "BYTEA"),
    (re.compile(r"\bTEXT\b"), 'TEXT COLLATE "C"'),
    (re.compile(r"\bjson_valid\((\w+)\)"), r"(\1::json IS NOT NULL)"),
)

# A Unicode noncharacter. It escapes itself and NUL, which PostgreSQL does not accept in a text.
_ESCAPE: Final = "\ufdd0"


@lru_cache(maxsize=512)
def translate_statement(sql: str) -> str:
    """Return a statement with psycopg's placeholders; its literals must not contain `?`."""
    return sql.replace("%", "%%").replace("?", "%s")


def translate_script(text: str) -> str:
    """Return a script of the schema, written for SQLite, in PostgreSQL's dialect."""
    for pattern, becomes in _RULES:
        text = pattern.sub(becomes, text)
    return text


def escape_text(text: str) -> str:
    """Return a text without NULs, which SQLite can store and PostgreSQL cannot.

    A user name as typed at sign-in may contain one, and must be read back unchanged: otherwise the audit
    chain would break.
    """
    if "\x00" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, f"{_ESCAPE}0").replace("\x00", f"{_ESCAPE}1")


def unescape_text(text: str) -> str:
    """Return the original of an escaped text."""
    if _ESCAPE not in text:
        return text
    return text.replace(f"{_ESCAPE}1", "\x00").replace(f"{_ESCAPE}0", _ESCAPE)


LOCK_SPACE: Final = 0x45_52_50_47
"""First number of this program's advisory locks ("ERPG"); it separates them from other programs' locks."""

WRITING: Final = 1
"""Lock of the transaction that writes, until its end."""

SERVING: Final = 2
"""Lock of the process that serves, held by one of its connections."""


_TEXT: Final = "text"


class StoredRow:
    """One row: its values in order, each also by index or column name."""

    __slots__ = ("_places", "_values")

    def __init__(self, places: dict[str, int], values: Sequence[Any]) -> None:
        self._places = places
        self._values = values

    def __getitem__(self, column: Any, /) -> Any:
        return self._values[self._places[column] if isinstance(column, str) else column]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def make_rows(cursor: Cursor[Any]) -> RowMaker[StoredRow]:
    """Return psycopg's row factory for a cursor."""
    places = {column.name: place for place, column in enumerate(cursor.description or ())}
    return lambda values: StoredRow(places, values)


class _StoredText(StrDumperUnknown):
    @override
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(escape_text(obj))


class _OriginalText(TextLoader):
    @override
    def load(self, data: Buffer) -> bytes | str:
        text = super().load(data)
        return unescape_text(text) if isinstance(text, str) else text


class PostgresStatements:
    """Runs the store's statements on a connection.

    Args:
        connection: an open one.
    """

    def __init__(self, connection: Connection[StoredRow]) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor[StoredRow]:
        """Run one statement with its values."""
        run: Callable[..., Cursor[StoredRow]] = (
            self._connection.execute
        )  # psycopg's type allows only literals
        return run(translate_statement(sql), parameters)


def adapt(connection: Connection[StoredRow]) -> None:
    """Make a connection escape the texts it writes and unescape those it reads."""
    connection.adapters.register_dumper(str, _StoredText)
    connection.adapters.register_loader(_TEXT, _OriginalText)
