"""Serving: hypercorn inside our own event loop, one process, and a shutdown that loses no work."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import attrs
from starlette.types import ASGIApp


@attrs.frozen(kw_only=True)
class ServerSettings:
    """Where and how to listen. `port` 0 asks for any free one."""

    host: str = "127.0.0.1"
    port: int = 3000
    shutdown_grace_s: float = 70.0
    keep_alive_timeout_s: float = 75.0
    max_header_bytes: int = 32 * 1024


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run the process's main coroutine in a uvloop event loop (asyncio's own where there is none); returns its result."""
    raise NotImplementedError


async def serve(
    app: ASGIApp,
    settings: ServerSettings,
    *,
    drain: Callable[[], Awaitable[None] | None] | None = None,
    on_listening: Callable[[int], None] | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, then stop gracefully: returns as soon as nothing runs any more.

    At the first signal no new connection is taken, idle ones are closed, new requests on live ones are answered
    503 `shutting_down`, `drain` is called (it should let all waiting work fail), and running requests have
    `shutdown_grace_s` to finish. After that, or at a second signal, they are cancelled.

    Args:
        app: The ASGI application (see `endpoint.create_app`).
        settings: Address and limits.
        drain: Called once when the shutdown begins; may be a coroutine function.
        on_listening: Called with the port once connections are accepted.

    Raises:
        OSError: The address can't be bound; the text names it.
    """
    raise NotImplementedError
