"""`Range` header of a request."""

import re
from collections.abc import Sequence
from typing import Final

_HEADER: Final = re.compile(r"bytes=(.*)", re.IGNORECASE)
_RANGE: Final = re.compile(r"([0-9]{1,18})-([0-9]{0,18})|-([0-9]{1,18})")


def usable_range(lines: Sequence[str], size: int) -> str | None:
    """Return the header with the ranges that the file has, or None if the header must be ignored.

    Other units than `bytes` and malformed ranges are ignored (RFC 9110, sections 14.2 and 14.1.1). If the
    file has none of the ranges, all are returned, and the response is 416.

    Args:
        lines: values of the header's lines.
        size: size of the file in bytes.
    """
    match = _HEADER.fullmatch(lines[0].strip()) if len(lines) == 1 else None
    ranges = [each.strip() for each in match[1].split(",")] if match else []
    ranges = [each for each in ranges if each]
    if not ranges or not all(_is_range(each) for each in ranges):
        return None
    satisfiable = [each for each in ranges if _is_inside(each, size)]
    return f"bytes={','.join(satisfiable or ranges)}"


def _is_range(text: str) -> bool:
    match = _RANGE.fullmatch(text)
    return match is not None and not (match[2] and int(match[1]) > int(match[2]))


def _is_inside(text: str, size: int) -> bool:
    first, _, last = text.partition("-")
    return int(first) < size if first else size > 0 and int(last) > 0
