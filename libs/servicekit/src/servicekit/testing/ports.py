"""TCP ports for processes that need them before they start."""

import atexit
import socket
from contextlib import ExitStack
from random import SystemRandom
from typing import Final

# Ports below Linux's ephemeral range (`/proc/sys/net/ipv4/ip_local_port_range`): an ephemeral port could be
# taken before the test listens on it.
_OURS: Final = range(20_000, 32_000)

_CHANCE: Final = SystemRandom()  # tests seed the global generator, equally in all parallel runs

# An abstract socket name for each returned port, held until this process ends.
_claims: Final = ExitStack()

atexit.register(_claims.close)


def free_port() -> int:
    """Return a free TCP port of loopback.

    Until this process ends, no other process that uses this function gets it, and no connection takes it. A
    server can close and reopen it any number of times.
    """
    while True:
        port = _CHANCE.choice(_OURS)
        claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            claim.bind(f"\0free-port-{port}")
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", port))
        except OSError:
            claim.close()
            continue
        _claims.enter_context(claim)
        return port
