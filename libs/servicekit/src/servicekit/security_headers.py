"""Security headers of every response."""

from typing import Final

SECURITY_HEADERS: Final = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)
"""Defaults: a response that sets one of them itself keeps its own value."""

STRICT_TRANSPORT: Final = (b"strict-transport-security", b"max-age=31536000")
"""Added to the response of a request that came over HTTPS."""
