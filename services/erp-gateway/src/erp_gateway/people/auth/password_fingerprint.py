"""Recognise a stored password again without keeping it.

A session keeps a fingerprint of the password it began with, and ends once the stored password changes.
"""

import hmac

from servicekit.config import Secret


def fingerprint_key(token: str) -> bytes:
    """Return the key of a session's fingerprint. It derives from the token, which the store lacks."""
    return hmac.digest(token.encode("ascii"), b"mark of the stored password", "sha256")


def fingerprint(key: bytes, stored: Secret) -> bytes:
    """Return the fingerprint of the content of `U_WEB_PASS`.

    It is an HMAC under a key that derives from the session's token. Without the token, a stolen store does
    not allow guesses at the password.
    """
    return hmac.digest(key, stored.reveal().encode("utf-8"), "sha256")


def matches_fingerprint(expected: bytes, key: bytes, stored: Secret) -> bool:
    """Return True if `expected` is the fingerprint of `stored`."""
    return hmac.compare_digest(expected, fingerprint(key, stored))
