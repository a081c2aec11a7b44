"""Ready parsers: each reads one text, says what it allows, and shows a value the way a person would write it."""

import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Generic, TypeVar
from zoneinfo import ZoneInfo

import attrs

T = TypeVar("T")
Network = IPv4Network | IPv6Network

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


@attrs.frozen
class Parser(Generic[T]):
    """How one setting's text becomes a value.

    `read` raises ValueError for a text it refuses (its message is never shown, `allowed` is); `allowed` completes
    the sentence "allowed: …"; `show` writes a value back as text.
    """

    read: Callable[[str], T]
    allowed: str
    show: Callable[[T], str] = str


def text(*, max_length: int = 1000) -> Parser[str]:
    """One line of text without control characters, of 1 to `max_length` characters."""
    raise NotImplementedError


def integer(minimum: int, maximum: int) -> Parser[int]:
    """An integer from `minimum` to `maximum`, both included."""
    raise NotImplementedError


def seconds(minimum: float = 0.0, maximum: float = 86_400.0) -> Parser[float]:
    """A number of seconds, decimals allowed, from `minimum` to `maximum`, both included."""
    raise NotImplementedError


def boolean() -> Parser[bool]:
    """`true` or `false` (also `1`/`0`, `yes`/`no`, `on`/`off`; letter case does not matter)."""
    raise NotImplementedError


def choice(*words: str) -> Parser[str]:
    """One of the given words, exactly as written."""
    raise NotImplementedError


def http_url() -> Parser[str]:
    """An absolute http or https URL without user, password, query or fragment; a trailing slash is taken off."""
    raise NotImplementedError


def path() -> Parser[Path]:
    """A path of a file or folder, relative ones from the working directory; `~` is expanded. It need not exist."""
    raise NotImplementedError


def csv() -> Parser[tuple[str, ...]]:
    """Words separated by commas; blanks around them are dropped, empty ones refused."""
    raise NotImplementedError


def networks() -> Parser[tuple[Network, ...]]:
    """IP addresses or networks (`10.0.0.0/8`, `::1`) separated by commas."""
    raise NotImplementedError


def timezone() -> Parser[ZoneInfo]:
    """The name of an IANA time zone, such as `America/Santiago`."""
    raise NotImplementedError
