"""Tokenizer of the filter language."""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

from erpsim.company.errors import bad_filter, bad_filter_symbol


class Kind(enum.Enum):
    """Kinds of words."""

    NAME = "name"
    STRING = "string"
    DATE = "date"
    NUMBER = "number"
    OPEN = "("
    CLOSE = ")"
    COMMA = ","
    END = "end"


class Word(NamedTuple):
    """One word; a string's text is without its quotes and with doubled quotes made single."""

    kind: Kind
    text: str


_WORD = re.compile(
    r"""
    (?P<blank>[ \t]+)
  | (?P<date>(?:datetime|datetimeoffset|time)'(?P<date_text>[^']*)')
  | (?P<string>'(?P<string_text>(?:[^']|'')*)')
  | (?P<number>-?[0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_.:-]))
  | (?P<name>[A-Za-z_0-9][A-Za-z0-9_]*(?:/[A-Za-z_0-9$]+)*)
  | (?P<mark>[(),])
    """,
    re.VERBOSE,
)
_MARKS = {"(": Kind.OPEN, ")": Kind.CLOSE, ",": Kind.COMMA}


def split_words(text: str) -> list[Word]:
    """Split a filter into words, an END behind the last.

    Raises:
        SlError: 201 for a character that no filter has (`:` of a lambda) or an open string.
    """
    words: list[Word] = []
    position = 0
    while position < len(text):
        match = _WORD.match(text, position)
        if match is None:
            raise bad_filter() if text[position] == "'" else bad_filter_symbol()
        position = match.end()
        group = match.lastgroup
        if match["date"] is not None:
            words.append(Word(Kind.DATE, match["date_text"]))
        elif match["string"] is not None:
            words.append(Word(Kind.STRING, match["string_text"].replace("''", "'")))
        elif group == "number":
            words.append(Word(Kind.NUMBER, match["number"]))
        elif group == "name":
            words.append(Word(Kind.NAME, match["name"]))
        elif group == "mark":
            words.append(Word(_MARKS[match["mark"]], match["mark"]))
    words.append(Word(Kind.END, ""))
    return words
