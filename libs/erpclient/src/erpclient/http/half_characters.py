"""Repairs texts of the ERP that were cut in the middle of a character, without I/O.

Its databases count UTF-16 units, so a full field may end with half of an emoji. JSON's grammar allows the
escape of a half (RFC 8259 section 8.2), but strict readers reject it.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

PIECE_BYTES: Final = 64 * 1024
"""Bytes searched at a time, about a millisecond of work."""

_REPLACEMENT: Final = rb"\ufffd"
_LOW: Final = rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HIGH: Final = rb"\\u[dD][89abAB][0-9a-fA-F]{2}"
# The group matches complete sequences: a backslash, which may precede letters like these, and a pair.
_ESCAPES: Final = re.compile(rb"(\\\\|" + _HIGH + _LOW + rb")|" + _HIGH + rb"|" + _LOW)


def with_whole_characters(raw: bytes) -> bytes:
    """Return a JSON text with halves of characters replaced. A text without any is returned itself."""
    if b"\xed" in raw:  # first byte of an encoded surrogate, which UTF-8 forbids
        with suppress(UnicodeDecodeError):
            halves = raw.decode("utf-8", "surrogatepass")
            raw = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
    if b"\\ud" not in raw and b"\\uD" not in raw:
        return raw
    return b"".join(_ESCAPES.sub(lambda found: found[1] or _REPLACEMENT, piece) for piece in _pieces(raw))


def _pieces(raw: bytes) -> Iterator[bytes]:
    """Yield a JSON text in pieces that end after a quote, so that no pair and no escaped backslash is cut."""
    # A search holds the interpreter until its end. Between two searches other threads can run.
    begin = 0
    while begin < len(raw):
        end = raw.find(b'"', begin + PIECE_BYTES) + 1 or len(raw)
        yield raw[begin:end]
        begin = end
