"""Knowing something again without keeping it: HMAC-SHA-256 under a secret that lives in the store.

A plain digest of a short body or key could be guessed by trying; without the secret this can't.
"""

import hmac
from typing import final


@final
class StoreSecret:
    """The store's secret; never shown.

    Args:
        secret: 32 random bytes.
    """

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def mac(self, purpose: str, *parts: bytes) -> bytes:
        """Return 32 bytes that only the same purpose and the same parts have."""
        told = hmac.new(self._secret, purpose.encode(), "sha256")
        for part in parts:
            told.update(len(part).to_bytes(8, "big"))
            told.update(part)
        return told.digest()
