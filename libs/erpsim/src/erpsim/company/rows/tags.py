"""Entity tags (SAP manual 1.22 chapter 5; tested live on Service Layer 1000340)."""

from __future__ import annotations

import functools
import hashlib
import re

from erpsim.company.errors import stale_tag
from erpsim.company.exchange import Fields

VERSION = "DataVersion"
_WEAK = re.compile(r'W/"[^"]*"')


@functools.lru_cache(maxsize=4096)
def tag_of(version: int) -> str:
    """Return the tag of a version: the upper-case SHA-1 of the decimal number, weak."""
    return f'W/"{hashlib.sha1(str(version).encode(), usedforsecurity=False).hexdigest().upper()}"'


FIRST_TAG = tag_of(1)


def version_of(row: Fields) -> int:
    """Return a row's version; new entities start at 1, each successful write adds 1."""
    version = row.get(VERSION, 1)
    return version if isinstance(version, int) else 1


def check_match(
    if_match: str | None,
    row: Fields,
    *,
    garbage_passes: bool = True,
    stale_passes: bool = False,
    star_passes: bool = True,
) -> None:
    """Check `If-Match`: `*` passes, a weak tag must be current.

    A strong, unquoted or malformed tag is ignored and the write succeeds. A tag of another entity with the
    same version also passes (both seen live).

    Raises:
        SlError: 412 -2039.
    """
    tag = None if if_match is None else if_match.strip()
    if tag is None or (tag == "*" and star_passes):
        return
    if tag == "*":
        raise stale_tag()
    passes = stale_passes if _WEAK.fullmatch(tag) else garbage_passes
    if not passes and tag != tag_of(version_of(row)):
        raise stale_tag()
