"""Texts of the ERP that were cut in the middle of a character, no I/O.

Its databases count in units of UTF-16: a field that is full may end with half of an emoji. JSON's grammar
allows the escape of a half (RFC 8259 section 8.2), and no strict reader takes it.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

PIECE_BYTES: Final = 64 * 1024
"""How much is searched at a time: a millisecond's work."""

_REPLACEMENT: Final = rb"\ufffd"
_LOW: Final = rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HIGH: Final = rb"\\u[dD][89abAB][0-9a-fA-F]{2}"
_ESCAPES: Final = re.compile(rb"(\\\\|" + _HIGH + _LOW + rb")|" + _HIGH + rb"|" + _LOW)
"""What is whole stands in the group: a backslash, which may stand before letters like these, and a pair."""


def with_whole_characters(raw: bytes) -> bytes:
    """Return a JSON text in which each half of a character is a replacement; any other is returned itself."""
    if b"\xed" in raw:  # where UTF-8 begins what it has no place for
        with suppress(UnicodeDecodeError):
            halves = raw.decode("utf-8", "surrogatepass")
            raw = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    if b"\\ud" not in raw and b"\\uD" not in raw:
        return raw
    return b"".join(_ESCAPES.sub(lambda found: found[1] or _REPLACEMENT, piece) for piece in _pieces(raw))


def _pieces(raw: bytes) -> Iterator[bytes]:
    """Yield a JSON text in pieces that end behind a quote: neither a pair nor an escaped backslash is cut.

    A search holds the interpreter to its end, and between two of them it goes to whoever waits for it.
    """
    begin = 0
    while begin < len(raw):
        end = raw.find(b'"', begin + PIECE_BYTES) + 1 or len(raw)
        yield raw[begin:end]
        begin = end
