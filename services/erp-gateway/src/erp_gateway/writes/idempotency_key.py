"""The `Idempotency-Key` header."""

import re
from collections.abc import Iterable
from typing import Final

from erp_gateway.writes.errors import IdempotencyKeyBadValue

MAX_KEY_CHARS: Final = 128

_VISIBLE: Final = re.compile(rf"[\x21-\x7e]{{1,{MAX_KEY_CHARS}}}")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_ESCAPED: Final = re.compile(r'\\(["\\])')


def read_idempotency_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the idempotency key of a request, None without one.

    A quoted key, as draft-ietf-httpapi-idempotency-key-header writes it, equals the same key without quotes.

    Args:
        headers: raw headers, names in lower case, as ASGI passes them.

    Raises:
        IdempotencyKeyBadValue: the key is not 1 to 128 visible ASCII characters, or is given more than once.
    """
    values = [value for name, value in headers if name == b"idempotency-key"]
    if not values:
        return None
    text = values[0].decode("latin-1").strip(" \t")
    if text.startswith('"'):
        quoted = _QUOTED.fullmatch(text)
        text = "" if quoted is None else _ESCAPED.sub(r"\1", quoted[1])
    if len(values) > 1 or not _VISIBLE.fullmatch(text):
        raise IdempotencyKeyBadValue
    return text
