"""Ids of requests: received or made."""

import os
import re
import time
from typing import Final

_ACCEPTED: Final = re.compile(rb"[A-Za-z0-9._-]{1,64}")
_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
_PAIRS: Final = tuple(high + low for high in _ALPHABET for low in _ALPHABET)
_TRACEPARENT: Final = re.compile(rb"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def new_request_id() -> str:
    """Make a ULID: 48 bits of milliseconds and 80 random bits, in Crockford's base 32."""
    return encode_ulid((time.time_ns() // 1_000_000) << 80 | int.from_bytes(os.urandom(10)))


def encode_ulid(number: int) -> str:
    """Write a number of 128 bits in Crockford's base 32; its texts sort like the numbers."""
    return "".join([_PAIRS[number >> shift & 0x3FF] for shift in range(120, -1, -10)])


def accept_request_id(received: bytes | None) -> str:
    """Return the received id if it is 1 to 64 of `A-Za-z0-9._-`, else a new one."""
    if received is not None and _ACCEPTED.fullmatch(received):
        return received.decode("ascii")
    return new_request_id()


def accept_traceparent(received: bytes | None) -> str | None:
    """Return a W3C `traceparent` (https://www.w3.org/TR/trace-context/) if it is well-formed."""
    if received is not None and _TRACEPARENT.fullmatch(received) and not received.startswith(b"ff"):
        return received.decode("ascii")
    return None
