"""The `Idempotency-Key` header of a request."""

import re
from collections.abc import Iterable
from typing import Final

from erp_gateway.ledger.errors import IdempotencyKeyBadValue

MAX_KEY_CHARS: Final = 128

_VISIBLE: Final = re.compile(rf"[\x21-\x7e]{{1,{MAX_KEY_CHARS}}}")
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\["\\])*)"')
_ESCAPED: Final = re.compile(r'\\(["\\])')


def read_idempotency_key(headers: Iterable[tuple[bytes, bytes]]) -> str | None:
    """Return the key of a request, None where it has none.

    A key in quotes, as the IETF's draft writes it (draft-ietf-httpapi-idempotency-key-header), is the same as
    the one without.

    Args:
        headers: raw, names in lower case, as ASGI gives them.

    Raises:
        IdempotencyKeyBadValue: not 1 to 128 visible ASCII characters, or given more than once.
    """
    found = [value for name, value in headers if name == b"idempotency-key"]
    if not found:
        return None
    text = found[0].decode("latin-1").strip(" \t")
    if text.startswith('"'):
        quoted = _QUOTED.fullmatch(text)
        text = "" if quoted is None else _ESCAPED.sub(r"\1", quoted[1])
    if len(found) > 1 or not _VISIBLE.fullmatch(text):
        raise IdempotencyKeyBadValue
    return text
