"""Parsers of settings: each reads a text, describes the allowed values, and formats a value."""

import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Final, Generic, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import attrs

T = TypeVar("T")
Network = IPv4Network | IPv6Network

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?")
_HOST: Final = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]+")
_BOOLEANS: Final = {
    word: value
    for value, words in ((True, ("true", "1", "yes", "on")), (False, ("false", "0", "no", "off")))
    for word in words
}


@attrs.frozen
class Parser(Generic[T]):
    """Conversion of one setting's text to a value.

    `read` raises ValueError for a rejected text (only `allowed` is shown, never the exception). `allowed`
    completes the sentence "allowed: …", `spanish` its Spanish form "se admite: …"; `show` converts a value
    back to text.
    """

    read: Callable[[str], T]
    allowed: str
    spanish: str
    show: Callable[[T], str] = str


def _refuse_unless(fine: bool) -> None:
    if not fine:
        raise ValueError


def text(*, max_length: int = 1000) -> Parser[str]:
    """One line of text without control characters, of 1 to `max_length` characters."""

    def read(raw: str) -> str:
        _refuse_unless(len(raw) <= max_length and not _CONTROL.search(raw))
        return raw

    return Parser(
        read, f"one line of at most {max_length} characters", f"una línea de a lo más {max_length} caracteres"
    )


def integer(minimum: int, maximum: int) -> Parser[int]:
    """An integer from `minimum` to `maximum`, both included."""

    def read(raw: str) -> int:
        _refuse_unless(_INTEGER.fullmatch(raw) is not None)
        value = int(raw)
        _refuse_unless(minimum <= value <= maximum)
        return value

    return Parser(
        read, f"an integer from {minimum} to {maximum}", f"un número entero de {minimum} a {maximum}"
    )


def _show_number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def seconds(minimum: float = 0.0, maximum: float = 86_400.0) -> Parser[float]:
    """A number of seconds, decimals allowed, from `minimum` to `maximum`, both included."""

    def read(raw: str) -> float:
        _refuse_unless(_DECIMAL.fullmatch(raw) is not None)
        value = float(raw)
        _refuse_unless(minimum <= value <= maximum)
        return value

    least, most = _show_number(minimum), _show_number(maximum)
    return Parser(
        read,
        f"a number of seconds from {least} to {most}",
        f"un número de segundos de {least} a {most}",
        _show_number,
    )


def boolean() -> Parser[bool]:
    """`true` or `false` (also `1`/`0`, `yes`/`no`, `on`/`off`; letter case does not matter)."""

    def read(raw: str) -> bool:
        _refuse_unless(raw.lower() in _BOOLEANS)
        return _BOOLEANS[raw.lower()]

    return Parser(read, "true or false", "true o false", lambda value: str(value).lower())


def choice(*words: str) -> Parser[str]:
    """One of the given words, exactly as written."""

    def read(raw: str) -> str:
        _refuse_unless(raw in words)
        return raw

    return Parser(read, "one of " + ", ".join(words), "uno de " + ", ".join(words))


def http_url() -> Parser[str]:
    """An absolute http(s) URL without user, password, query and fragment; a slash at its end is dropped."""

    def read(raw: str) -> str:
        url = urlsplit(raw)  # a malformed IPv6 address or port raises ValueError here or below
        _refuse_unless(url.scheme in {"http", "https"} and not _CONTROL.search(raw) and " " not in raw)
        _refuse_unless("@" not in url.netloc and "?" not in raw and "#" not in raw)
        _refuse_unless(_HOST.fullmatch(url.hostname or "") is not None and url.port != 0)
        return raw.rstrip("/")

    return Parser(
        read,
        "an http:// or https:// URL without user, password, query or fragment",
        "una URL http:// o https:// sin usuario, contraseña, consulta ni fragmento",
    )


def path() -> Parser[Path]:
    """A path of a file or folder, relative to the working directory; `~` is expanded. It need not exist."""

    def read(raw: str) -> Path:
        _refuse_unless(not _CONTROL.search(raw))
        try:
            return Path(raw).expanduser()
        except RuntimeError as exc:  # the home of an unknown user
            raise ValueError from exc

    return Parser(read, "a path", "una ruta")


def csv() -> Parser[tuple[str, ...]]:
    """Words separated by commas; blanks around them are dropped, empty ones and semicolons refused."""

    def read(raw: str) -> tuple[str, ...]:
        words = tuple(word.strip() for word in raw.split(","))
        _refuse_unless(all(words) and not _CONTROL.search(raw) and ";" not in raw)
        return words

    return Parser(
        read,
        "words separated by commas, none with a semicolon",
        "palabras separadas por comas, ninguna con punto y coma",
        ",".join,
    )


def networks() -> Parser[tuple[Network, ...]]:
    """IP addresses or networks (`10.0.0.0/8`, `::1`) separated by commas."""

    def read(raw: str) -> tuple[Network, ...]:
        return tuple(ip_network(word.strip()) for word in raw.split(","))

    return Parser(
        read,
        "IP addresses or networks separated by commas, such as 10.0.0.0/8,::1",
        "direcciones IP o redes separadas por comas, como 10.0.0.0/8,::1",
        lambda value: ",".join(map(str, value)),
    )


def timezone() -> Parser[ZoneInfo]:
    """The name of an IANA time zone, such as `America/Santiago`."""

    def read(raw: str) -> ZoneInfo:
        try:
            return ZoneInfo(raw)
        except (ZoneInfoNotFoundError, OSError) as exc:  # OSError: a folder of zones, such as `America`
            raise ValueError from exc

    return Parser(
        read,
        "the name of a time zone, such as America/Santiago",
        "el nombre de una zona horaria, como America/Santiago",
    )
