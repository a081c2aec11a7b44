"""Responses that a client may read slowly."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from starlette.types import Scope

SOCKET: Final = "servicekit.socket"
"""Key of the connection's socket in the scope of a request."""

# Send buffer of the system. By default it accepts megabytes, and then none for a minute.
_UNSENT_BYTES: Final = 32 * 1024

# Errors of a socket whose connection is closed; uvloop's then has no descriptor.
_CLOSED: Final = (OSError, ValueError)


@contextmanager
def allow_slow_reader(scope: Scope) -> Iterator[None]:
    """Let the client read the response slowly while the block runs; the application sets the limits.

    `send` then returns at the client's speed, and the system does not drop the connection: Linux would count
    `ServerSettings.send_timeout_s` even while a client with a small window reads a few bytes again and again.
    Without a socket, or on other systems, this has no effect.

    Args:
        scope: of the request.
    """
    connection: Any = scope.get(SOCKET)
    options = {
        getattr(socket, name): value
        for name, value in (("TCP_USER_TIMEOUT", 0), ("TCP_NOTSENT_LOWAT", _UNSENT_BYTES))
        if connection is not None and hasattr(socket, name)
    }
    before: dict[int, int] = {}
    with suppress(*_CLOSED):
        for option, value in options.items():
            before[option] = connection.getsockopt(socket.IPPROTO_TCP, option)
            connection.setsockopt(socket.IPPROTO_TCP, option, value)
    try:
        yield
    finally:
        with suppress(*_CLOSED):
            for option, value in before.items():
                connection.setsockopt(socket.IPPROTO_TCP, option, value)
