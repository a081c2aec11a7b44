"""Decides how much of the report gateway's texts people and the log may see."""

import html
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

from erp_gateway.reports.crystal.wire import GatewayLogin
from servicekit.config.secret import MASK

MAX_TEXT: Final = 300
"""Longest text that is shown or logged."""

_LONGEST_READ: Final = 16 * 1024
_WHOLE_WORDS_BELOW: Final = 4
_ROUNDS: Final = 3
_HIDDEN: Final = f"{MASK} (a text that holds the password)"
# Markup, addresses, names of hosts, files and classes (a letter, then a dot or colon within), statements.
_TELLS_TOO_MUCH: Final = re.compile(
    r"[<{@\\]|/\w+/|[^\W\d][\w-]*[.:]/*\w|\d\.\d+\.\d|exception"
    r"|\bselect\b|\binsert\s+into\b|\bdelete\s+from\b|\bupdate\b.*\bset\b|\b(call|exec)\b.*\(",
    re.IGNORECASE,
)

_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([\"\\/]))")


class Disclosure:
    """Decides which texts of a report gateway users and the log may see.

    Some texts are sentences for users. Others are messages of a library with addresses, statements or the
    login.

    Args:
        url: its address.
        login: its credentials.
    """

    def __init__(self, url: str, login: GatewayLogin) -> None:
        self._password = _plain(login.password)
        self._names = [_pattern(name) for name in _own_names(url, login)]
        forms = sorted(_written_forms(login.password), key=len, reverse=True)
        self._written = re.compile("|".join(map(re.escape, forms)), re.IGNORECASE) if forms else None

    def for_people(self, text: str) -> str:
        """Return a text for users, empty if it may contain internals.

        The result is one line without control characters. It contains no page, statement, host, file or stack
        trace, and not the configured host, instance, user, database or password, in any letter case or
        encoding of URLs, JSON or HTML.
        """
        line = one_line(text)
        if len(text) > _LONGEST_READ or _TELLS_TOO_MUCH.search(line) or not line.isprintable():
            return ""
        readings = list(_readings(text))
        if self._holds_password(readings):
            return ""
        return "" if any(name.search(each) for name in self._names for each in readings) else line

    def for_log(self, text: str) -> str:
        """Return a text for the log: one line of bounded length, the password masked."""
        masked = text if self._written is None else self._written.sub(MASK, text)
        return _HIDDEN if self._holds_password(_readings(masked)) else one_line(masked)

    def _holds_password(self, readings: Iterable[str]) -> bool:
        return bool(self._password) and any(self._password in reading for reading in readings)


def one_line(text: str) -> str:
    """Return a text as one line of at most `MAX_TEXT` characters."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_TEXT else f"{line[: MAX_TEXT - 1]}…"


def _own_names(url: str, login: GatewayLogin) -> Iterator[str]:
    """Yield names that users must not see; of an instance `TENANT@host:30013` also its parts."""
    host = urlsplit(url).hostname or ""
    instance = login.instance or ""
    yield from (host, _machine(host), login.user, login.company_db, instance)
    tenant, _, server = instance.partition("@")
    address = server.partition(":")[0]
    yield from (tenant, address, _machine(address))


def _machine(host: str) -> str:
    """Return the first label of `hana01.example.com` unless it is an ordinary word."""
    first = host.partition(".")[0]
    return first if re.search(r"[^\W\d].*[\d-]", first) else ""


def _pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a name. A short one only matches as a word, since `sa` occurs in many
    sentences.
    """
    plain = _plain(name)
    if not plain:
        return _NEVER
    escaped = re.escape(plain)
    return re.compile(rf"(?<!\w){escaped}(?!\w)" if len(plain) < _WHOLE_WORDS_BELOW else escaped)


_NEVER: Final = re.compile(r"(?!)")


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _written_forms(password: str) -> set[str]:
    plain = (password, quote(password), quote(password, safe=""), quote_plus(password))
    in_json = (json.dumps(password)[1:-1], json.dumps(password, ensure_ascii=False)[1:-1])
    return {form for form in (*plain, *in_json, html.escape(password)) if form}


def _readings(text: str) -> Iterator[str]:
    readings: set[str] = set()
    latest = {text[:_LONGEST_READ]}
    for _ in range(_ROUNDS):
        readings |= latest
        latest = {read(each) for each in latest for read in _READERS} - readings
    yield from map(_plain, readings | latest)


def _read_json_escapes(text: str) -> str:
    read = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], text)
    return read.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


_READERS: Final[tuple[Callable[[str], str], ...]] = (
    *(unquote, unquote_plus),
    *(html.unescape, _read_json_escapes),
)
