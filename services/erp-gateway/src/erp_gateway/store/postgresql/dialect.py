"""How PostgreSQL wants to be told what the statements and scripts of the store say.

The store's statements are written so that this is all that differs: how a value's place is marked, and the
types and checks of its tables. Texts compare byte by byte, as SQLite's do, by `COLLATE "C"`.
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

_ESCAPE: Final = "\ufdd0"
"""A code point that is no character; it begins what stands for itself, and for NUL, which is not taken."""


@lru_cache(maxsize=512)
def statement(sql: str) -> str:
    """Return a statement with its values' places marked as psycopg wants them; no literal in it has a `?`."""
    return sql.replace("%", "%%").replace("?", "%s")


def script(text: str) -> str:
    """Return a script of the schema, written for SQLite, as PostgreSQL takes it."""
    for pattern, becomes in _RULES:
        text = pattern.sub(becomes, text)
    return text


def stored(text: str) -> str:
    """Return a text as it is stored: its NULs, which SQLite holds and PostgreSQL does not, written otherwise.

    What somebody typed as a user name must come back as it was, or the audit's chain would be broken.
    """
    if "\x00" not in text and _ESCAPE not in text:
        return text
    return text.replace(_ESCAPE, f"{_ESCAPE}0").replace("\x00", f"{_ESCAPE}1")


def original(text: str) -> str:
    """Return a stored text as it was."""
    if _ESCAPE not in text:
        return text
    return text.replace(f"{_ESCAPE}1", "\x00").replace(f"{_ESCAPE}0", _ESCAPE)


LOCK_SPACE: Final = 0x45_52_50_47
"""The first number of this program's locks ("ERPG"), so that another program's are not taken for ours."""

WRITING: Final = 1
"""Held by a transaction that writes, until its end."""

SERVING: Final = 2
"""Held by the connection of the process that serves, as long as that lives."""


_TEXT: Final = "text"


class StoredRow:
    """One row: its values in order, each also by the place or the name of its column."""

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
    """Return what makes a cursor's rows, as psycopg asks for it."""
    places = {column.name: place for place, column in enumerate(cursor.description or ())}
    return lambda values: StoredRow(places, values)


class _StoredText(StrDumperUnknown):
    @override
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(stored(obj))


class _OriginalText(TextLoader):
    @override
    def load(self, data: Buffer) -> bytes | str:
        text = super().load(data)
        return original(text) if isinstance(text, str) else text


class PostgresStatements:
    """Runs the store's statements on a connection.

    Args:
        connection: an open one.
    """

    def __init__(self, connection: Connection[StoredRow]) -> None:
        self._connection = connection

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> Cursor[StoredRow]:
        """Run one statement with its values."""
        run: Callable[..., Cursor[StoredRow]] = self._connection.execute  # its texts need not be literals
        return run(statement(sql), parameters)


def adapt(connection: Connection[StoredRow]) -> None:
    """Let a connection's texts come back as they were given."""
    connection.adapters.register_dumper(str, _StoredText)
    connection.adapters.register_loader(_TEXT, _OriginalText)
