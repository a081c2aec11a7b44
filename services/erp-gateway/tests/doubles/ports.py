"""Ports that a test listens on, leaves, and listens on again."""

import socket
from contextlib import suppress
from random import SystemRandom
from typing import Final

_OURS: Final = range(20_000, 32_000)
"""Below those that Linux gives to connections: one of these would be taken while nobody listens on it."""

_CHANCE: Final = SystemRandom()  # what tests draw from is seeded, the same for all that run at once


def free_port() -> int:
    """Return a port on which nobody listens."""
    while True:
        port = _CHANCE.choice(_OURS)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
