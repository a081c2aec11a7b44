"""CESU-8, the text form of the protocol: UTF-8, but a character beyond the BMP travels as two 3-byte
surrogates."""

from typing import Final

HALF: Final = "\ue000"
"""Placeholder for half a character, U+D83D alone, in the simulator's tables: HANA can store one, DuckDB
cannot.
"""


def encode(text: str) -> bytes:
    """Return ``text`` as CESU-8; a lone surrogate stays one, and ``HALF`` becomes one."""
    if text.isascii():
        return text.encode("ascii")
    return _split_pairs(text).replace(HALF, "\ud83d").encode("utf-8", "surrogatepass")


def decode(raw: bytes) -> str:
    """Return the text of CESU-8 bytes.

    Raises:
        UnicodeDecodeError: the bytes are no CESU-8.
    """
    return (
        raw.decode("utf-8", "surrogatepass")
        .encode("utf-16", "surrogatepass")
        .decode("utf-16", "surrogatepass")
    )


def units(text: str) -> int:
    """Return the length of ``text`` in UTF-16 units, in which the protocol counts characters."""
    return len(text) + sum(character > "\uffff" for character in text)


def slice_units(text: str, begin: int, count: int) -> str:
    """Return ``count`` UTF-16 units of ``text`` from ``begin``; a cut pair leaves a lone surrogate."""
    raw = text.encode("utf-16-le", "surrogatepass")
    return raw[2 * begin : 2 * (begin + count)].decode("utf-16-le", "surrogatepass")


def _split_pairs(text: str) -> str:
    if max(text) <= "\uffff":
        return text
    raw = text.encode("utf-16-le", "surrogatepass")
    return "".join(chr(raw[i] | raw[i + 1] << 8) for i in range(0, len(raw), 2))
