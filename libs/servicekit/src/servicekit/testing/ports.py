"""TCP ports for processes that need them before they start."""

import atexit
import socket
from contextlib import ExitStack
from random import SystemRandom
from typing import Final

_OURS: Final = range(20_000, 32_000)
"""Below those that Linux gives to connections and to who asks for port 0
(`/proc/sys/net/ipv4/ip_local_port_range`): one of these could be taken between here and the listening."""

_CHANCE: Final = SystemRandom()  # what tests draw from is seeded, the same for all that run at once

_claims: Final = ExitStack()
"""One name of the kernel's own for each port that was given, held until this process ends."""

atexit.register(_claims.close)


def free_port() -> int:
    """Return a free TCP port of loopback.

    Until this process ends, no other that asks here gets it, and no connection takes it: it is there for
    whoever it is meant for, however often that one leaves it and comes back.
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
