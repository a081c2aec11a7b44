"""Serves an application until a signal, optionally with a second application."""

import asyncio
import inspect
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Final

import structlog
from starlette.types import ASGIApp

from servicekit.collector import wake_collector
from servicekit.server.connections import Connections
from servicekit.server.gate import Gate
from servicekit.server.process import signals
from servicekit.server.settings import ServerSettings

_BACKLOG: Final = 512
_HANDSHAKE_S: Final = 10.0
_TLS_END_S: Final = 2.0
_CLEANUP_S: Final = 5.0


async def serve(
    app: ASGIApp,
    settings: ServerSettings,
    *,
    drain: Callable[[], Awaitable[None] | None] | None = None,
    on_listening: Callable[[int], None] | None = None,
    stop: asyncio.Event | None = None,
    drain_after_s: float = 0.0,
) -> None:
    """Serve until SIGTERM, SIGINT or `stop`, then shut down gracefully.

    When the shutdown begins no new connection is taken, idle ones are closed, new requests on live ones are
    answered 503 `shutting_down`, `drain` is called (it should let all waiting work fail), and running
    requests have `shutdown_grace_s` to finish. After that, or at a second signal, they are cancelled.

    Args:
        app: the ASGI application (see `endpoint.create_app`).
        settings: address and limits.
        drain: called once when the shutdown begins; may be a coroutine function.
        on_listening: called with the port once connections are accepted.
        stop: begins the shutdown like a signal when it is set; a signal leaves it as it is.
        drain_after_s: part of `shutdown_grace_s` during which waiting work may still start, before `drain`.

    Raises:
        OSError: the address can't be bound; the text names it.
    """
    log = structlog.get_logger()
    listener = _listen(settings)
    port = listener.getsockname()[1]
    first, second = asyncio.Event(), asyncio.Event()
    gate = Gate(app, first)
    connections = Connections(gate, settings)
    async with AsyncExitStack() as stack:
        if stop is not None:
            await stack.enter_async_context(_following(stop, first))
        stack.enter_context(signals(first, second))
        server = await _accepting(connections, listener, settings)
        try:
            log.info("listening", host=settings.host, port=port)
            wake_collector()
            if on_listening is not None:
                on_listening(port)
            await first.wait()
            server.close()
            log.info("shutdown_begun", running=gate.running, grace_s=settings.shutdown_grace_s)
            await connections.close_idle()
            patience_s = min(drain_after_s, settings.shutdown_grace_s)
            if patience_s > 0:
                await connections.ended(patience_s, unless=second)
            await _drain(drain)
            if not await connections.ended(settings.shutdown_grace_s - patience_s, unless=second):
                log.warning("requests_cancelled", running=gate.running)
                gate.cancel_all()
                await connections.ended(_CLEANUP_S)
        finally:
            server.close()
            left_behind = connections.cancel_all()
    log.info("shutdown_finished", left_behind=left_behind)


@asynccontextmanager
async def _following(stop: asyncio.Event, first: asyncio.Event) -> AsyncIterator[None]:
    """Set `first` when `stop` is set, while the context is open; not the reverse."""

    async def follow() -> None:
        await stop.wait()
        first.set()

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        task.cancel()


@asynccontextmanager
async def serving_beside(app: ASGIApp, settings: ServerSettings) -> AsyncIterator[int]:
    """Serve a second application with fast responses, such as redirects, while the context is open.

    It handles no signals. When the context ends, its connections are closed and their requests cancelled.

    Yields:
        the port listened on.

    Raises:
        OSError: the address can't be bound; the text names it.
    """
    listener = _listen(settings)
    connections = Connections(app, settings)
    server = await _accepting(connections, listener, settings)
    try:
        yield listener.getsockname()[1]
    finally:
        server.close()
        await connections.close_idle()
        connections.cancel_all()
        await connections.ended(_CLEANUP_S)


async def _accepting(
    connections: Connections, listener: socket.socket, settings: ServerSettings
) -> asyncio.Server:
    tls = settings.tls
    if tls is not None:
        tls.set_alpn_protocols(["http/1.1"])
    return await asyncio.get_running_loop().create_server(
        connections.create_protocol,
        sock=listener,
        backlog=_BACKLOG,
        ssl=tls,
        ssl_handshake_timeout=None if tls is None else _HANDSHAKE_S,
        ssl_shutdown_timeout=None if tls is None else _TLS_END_S,
    )


def _listen(settings: ServerSettings) -> socket.socket:
    """Bind and listen, so that connections queue and the port is known."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as exc:
        raise OSError(exc.errno, f"can't listen on {host} port {port}: {exc.strerror}") from exc
    with suppress(AttributeError):  # accepted connections inherit it
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(settings.send_timeout_s * 1000))
    return listener


async def _drain(drain: Callable[[], Awaitable[None] | None] | None) -> None:
    if drain is None:
        return
    try:
        async with asyncio.timeout(_CLEANUP_S):
            result = drain()
            if inspect.isawaitable(result):
                await result
    except Exception as exc:  # noqa: BLE001 - the shutdown must continue
        structlog.get_logger().error("drain_failed", exc_info=exc)
