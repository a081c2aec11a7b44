"""Processor that keeps secrets out of log lines, and user text from forging lines.

Four layers, from the outermost in:

1. A value under a name like a secret's (`password`, `authorization`, `x_token`, …) is masked.

2. Objects other than plain values are replaced by their type's name, so that no `repr` reveals their content.

3. In texts, the text after `Bearer`, `password=`, `Cookie:` and the like is masked.

4. Secrets known by value are masked anywhere: those of the configuration always, those of the current request
(its token, its cookies, passwords of its body) in stack traces.

Control characters, line separators and direction marks are escaped; only a stack trace keeps its lines. Texts
are cut at a length that no legitimate line needs.
"""

import json
import re
from collections.abc import Iterable, Mapping, MutableMapping
from datetime import date
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from pathlib import PurePath
from typing import Any, Final
from urllib.parse import quote, quote_plus
from uuid import UUID

from servicekit.config.secret import MASK, Secret
from servicekit.logs.request_context import current_request

MIN_KNOWN_LENGTH: Final = 8
"""Shorter secrets are not searched by value: a password `admin` must not blot out every `admin`."""

_MAX_DEPTH: Final = 6
_MAX_TEXT: Final = 8 * 1024
_MAX_TRACE_LINES: Final = 400
_NAME_PARTS: Final = (
    *("password", "passwd", "passphrase", "secret", "token", "authorization", "authorisation", "cookie"),
    *("credential", "apikey", "privatekey", "sessionid", "clave", "contrasen", "contraseñ"),
)
_WORDS: Final = (
    r"(?:(?:passw(?:or)?d|passphrase|secret|token|authori[sz]ation|credential|api[_-]?key|session_?id"
    r"|clave|contrase[nñ]a)\w{0,20}|(?:_|\b)(?:pass|pwd))"
)
_VALUE: Final = r"\"(?:[^\"\\]|\\.)*\"?|'(?:[^'\\]|\\.)*'?|[^\s,;&)}\]]+"
_ASSIGNED: Final = re.compile(rf"(?i)({_WORDS}(?:\\*[\"'])?\s*[=:]\s*)(?:{_VALUE})")
_SCHEME: Final = re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]+")
_COOKIE: Final = re.compile(r"(?i)\b((?:set-)?cookie(?:\\*[\"'])?\s*[=:]\s*)[^\n]+")
_USERINFO: Final = re.compile(r"(://)[^/\s@]{1,256}@")
_UNSAFE: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_HARMLESS: Final = frozenset({bool, int, float, type(None)})
_SHOWN_AS_TEXT: Final = (
    *(Decimal, PurePath, UUID, int, float),  # the last two: subclasses of numbers
    *(IPv4Address, IPv4Network, IPv6Address, IPv6Network),
)


@lru_cache(maxsize=1024)
def is_secret_name(name: str) -> bool:
    """Return whether the value of this field, header or key is a secret."""
    plain = re.sub(r"[\W_]", "", name.casefold())
    return (
        any(part in plain for part in _NAME_PARTS)
        or plain in {"pass", "pwd", "auth"}
        or name.casefold().endswith(("_pass", "-pass", "_pwd", "-pwd"))
    )


def _escape(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _secret_forms(values: Iterable[str]) -> tuple[str, ...]:
    forms = {
        form
        for value in values
        if len(value) >= MIN_KNOWN_LENGTH
        for form in (
            value,
            json.dumps(value)[1:-1],
            repr(value)[1:-1],
            quote(value, safe=""),
            quote_plus(value),
        )
    }
    return tuple(sorted(forms, key=len, reverse=True))


def _without(text: str, forms: tuple[str, ...]) -> str:
    for form in forms:
        if form in text:
            text = text.replace(form, MASK)
    return text


def _object_text(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, _SHOWN_AS_TEXT):
        return str(value)
    if isinstance(value, BaseException):
        return f"{type(value).__name__}: {value}"
    return MASK if isinstance(value, Secret) else f"<{type(value).__name__}>"


class Redaction:
    """Structlog processor that masks secrets; see the module docstring.

    Args:
        secrets: the secrets of the configuration.
    """

    def __init__(self, secrets: Iterable[Secret] = ()) -> None:
        self._secret_texts = _secret_forms(secret.reveal() for secret in secrets)

    def __call__(
        self, _logger: object, _method: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        """Return the event with every value made safe to print."""
        for name, value in event.items():
            if is_secret_name(name):
                event[name] = value if value is None else MASK
            elif name == "exception":
                event[name] = self._stack_trace(str(value))
            elif type(value) not in _HARMLESS:
                event[name] = self._value(value, 0)
        return event

    def _value(self, value: Any, depth: int) -> Any:
        if isinstance(value, Enum):
            value = value.value
        if isinstance(value, str):
            return self._text(value)
        if depth < _MAX_DEPTH and isinstance(value, Mapping):
            return {
                self._text(str(key)): MASK if is_secret_name(str(key)) else self._value(item, depth + 1)
                for key, item in value.items()
            }
        if depth < _MAX_DEPTH and isinstance(value, list | tuple | set | frozenset):
            return [self._value(item, depth + 1) for item in value]
        return value if type(value) in _HARMLESS else self._text(_object_text(value))

    def _text(self, text: str) -> str:
        if len(text) > _MAX_TEXT:  # mask before cutting, because a cut secret is no longer recognised
            return self._masked(text[: 2 * _MAX_TEXT])[:_MAX_TEXT] + "…"
        return self._masked(text)

    def _masked(self, text: str) -> str:
        text = _without(text, self._secret_texts)
        # Most texts of a request's line are single words, and no pattern matches without one of these signs.
        if text.isprintable() and ":" not in text and "=" not in text and " " not in text:
            return text
        text = _COOKIE.sub(rf"\1{MASK}", text)
        text = _SCHEME.sub(rf"\1 {MASK}", text)
        text = _ASSIGNED.sub(rf"\1{MASK}", text)
        text = _USERINFO.sub(rf"\1{MASK}@", text)
        return _UNSAFE.sub(_escape, text)

    def _stack_trace(self, text: str) -> str:
        request = current_request.get()
        if request is not None:
            text = _without(text, _secret_forms(request.secret_values()))
        return "\n".join(self._text(line) for line in text.split("\n")[-_MAX_TRACE_LINES:])
