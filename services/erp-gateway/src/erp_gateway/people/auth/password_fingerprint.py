"""Recognise a stored password again without keeping it."""

import hmac

from servicekit.config import Secret


def mark_key(token: str) -> bytes:
    """Return the key of a session's mark: whoever has only the token's digest can't make it."""
    return hmac.digest(token.encode("ascii"), b"mark of the stored password", "sha256")


def mark_password(key: bytes, stored: Secret) -> bytes:
    """Return the mark by which the content of `U_WEB_PASS` is known again.

    It is an HMAC under a key that follows from the session's token: without the token nothing can be tried
    against it, also where it is stored, and a session holds neither password nor hash.
    """
    return hmac.digest(key, stored.reveal().encode("utf-8"), "sha256")


def is_marked(mark: bytes, key: bytes, stored: Secret) -> bool:
    """Tell whether `mark` is that of `stored`."""
    return hmac.compare_digest(mark, mark_password(key, stored))
