"""The store's secret, which fingerprints idempotency keys, requests and bodies."""

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
        """Return the 32-byte MAC of a purpose and its parts."""
        digest = hmac.new(self._secret, purpose.encode(), "sha256")
        for part in parts:
            # The length keeps (b"a", b"bc") apart from (b"ab", b"c").
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
        return digest.digest()
