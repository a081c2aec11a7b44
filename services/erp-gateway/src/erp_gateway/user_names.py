"""Names of web users: how two spellings compare, and which names belong to the service itself."""

import unicodedata
from enum import StrEnum
from typing import Final


class SystemName(StrEnum):
    """Names under which the service itself acts. No person may sign in under one of them."""

    ANONYMOUS = "anonymous"
    CLI = "cli"
    LOOKUP = "lookup"
    RECHECK = "recheck"
    STARTUP = "startup"


_RESERVED_PREFIXES: Final = ("erp_gateway:", "erpclient:")
"""How the names of internal queue lanes begin, as `GET /api/system` shows them."""

_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})

# Unicode calls these "default ignorable", but files them under letters, marks and symbols.
_INVISIBLE: Final = frozenset(
    [
        *map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180F, 0x2800, 0x3164, 0xFFA0)),
        *map(chr, range(0x180B, 0x180E)),
        *map(chr, range(0xFE00, 0xFE10)),
        *map(chr, range(0xE0100, 0xE01F0)),
    ]
)


def fold_name(name: str) -> str:
    """Return the form in which spellings that look alike are equal.

    Letter case, full-width forms, surrounding blanks and invisible characters make no difference. Sign-in
    itself compares exactly: this form only decides what might be mistaken for another name.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return "".join(character for character in folded if not _is_invisible(character)).strip()


def is_reserved(name: str) -> bool:
    """Return whether a name looks like one of the service's own, or like none at all."""
    folded = fold_name(name)
    return not folded or folded in set(SystemName) or folded.startswith(_RESERVED_PREFIXES)


def has_plain_form(name: str) -> bool:
    """Return whether a name has neither surrounding blanks nor invisible characters."""
    return name == name.strip() and not any(map(_is_invisible, name))


def _is_invisible(character: str) -> bool:
    return character in _INVISIBLE or unicodedata.category(character) in _INVISIBLE_CATEGORIES
