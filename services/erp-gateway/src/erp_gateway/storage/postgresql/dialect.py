"""How PostgreSQL wants to be told what the statements and scripts of the store say. Pure texts.

The store's statements are written so that this is all that differs: how a value's place is marked, and the
types and checks of its tables. Texts compare byte by byte, as SQLite's do, by `COLLATE "C"`.
"""

import re
from functools import lru_cache
from typing import Final

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
