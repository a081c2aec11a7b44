"""Addresses below a service root: segments, keys, query pairs. Decoded once, here."""

from __future__ import annotations

import re
from urllib.parse import unquote, unquote_plus

import attrs

from erpsim.company.errors import NotSimulatedError


@attrs.frozen
class Segment:
    """One step of a path.

    Args:
        name: `Items`, `$count`, `Close`.
        key: the text between the brackets, decoded; None without brackets.
    """

    name: str
    key: str | None = None


def parse_path(path: str) -> tuple[Segment, ...]:
    """Read a path below the service root.

    The path is split at slashes before decoding, so `%2F` stays inside its key (seen live: such characters
    must be encoded). Each segment is decoded once.

    Args:
        path: still percent-encoded, without a leading slash.

    Raises:
        SlError: 501 for bytes that are no UTF-8.
    """
    return tuple(_parse_segment(part) for part in path.split("/"))


def parse_query(query: str) -> list[tuple[str, str]]:
    """Return the decoded name-value pairs of a query, empty pieces left out (`List?&$skip=5` has one)."""
    pairs = []
    for piece in query.split("&"):
        if piece:
            name, _, value = piece.partition("=")
            pairs.append((decode_query(name), decode_query(value)))
    return pairs


def split_options(text: str) -> list[tuple[str, str]]:
    """Return the options of a text that is not percent-encoded; a `&` inside quotes separates nothing."""
    pieces = re.findall(r"(?:'[^']*'|[^&'])+", text)
    return [(name.strip(), value) for name, _, value in (piece.partition("=") for piece in pieces)]


def decode_path(path: str) -> str:
    """Decode a whole path, whose slashes separate nothing.

    Raises:
        SlError: 501 for bytes that are no UTF-8.
    """
    try:
        return unquote(path, errors="strict")
    except UnicodeDecodeError:
        raise NotSimulatedError("addresses that are no UTF-8") from None


def has_bad_escape(path: str) -> bool:
    """Return whether a percent sign lacks two hexadecimal digits, which the web server refuses."""
    digits = "0123456789abcdefABCDEF"
    return any(
        len(rest) < 2 or rest[0] not in digits or rest[1] not in digits  # noqa: PLR2004 - two digits
        for rest in path.split("%")[1:]
    )


def _parse_segment(part: str) -> Segment:
    text = decode_path(part)
    name, bracket, rest = text.partition("(")
    if bracket and rest.endswith(")"):
        return Segment(name, rest[:-1])
    return Segment(text)


def decode_query(text: str) -> str:
    """Decode a piece of a query.

    Raises:
        SlError: 501 for bytes that are no UTF-8.
    """
    try:
        return unquote_plus(text, errors="strict")
    except UnicodeDecodeError:
        raise NotSimulatedError("queries that are no UTF-8") from None
