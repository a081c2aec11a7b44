"""Serving: hypercorn inside our own event loop, one process, and a shutdown that loses no work.

hypercorn's own shutdown stops listening, closes idle connections and waits; what it does after its grace
differs between versions of Python, and it answers nothing to requests that come too late. So the grace and
what follows are ours: requests are counted here, told here that it is too late, and cancelled here.
"""

import asyncio
import inspect
import logging
import signal
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, Final, cast, final

import attrs
import hypercorn.asyncio
import hypercorn.config
import hypercorn.typing
import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from servicekit.request_log import STOPPING

_BACKLOG: Final = 512
_CLEANUP_S: Final = 5.0
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@attrs.frozen(kw_only=True)
class ServerSettings:
    """Where and how to listen.

    Attributes:
        host: The address to bind.
        port: The port to bind; 0 asks for any free one.
        shutdown_grace_s: How long running requests may take to finish after the first signal.
        keep_alive_timeout_s: How long a connection may be idle, or take to send a request's head. Longer than
            a proxy in front keeps its connections, or the proxy meets closed ones.
        max_header_bytes: The most bytes of a request's head.
    """

    host: str = "127.0.0.1"
    port: int = 3000
    shutdown_grace_s: float = 70.0
    keep_alive_timeout_s: float = 75.0
    max_header_bytes: int = 32 * 1024


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run the process's main coroutine in uvloop's event loop (or asyncio's); return its result."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        return runner.run(main)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop  # noqa: PLC0415 - optional: not every platform has it
    except ImportError:
        return None
    return uvloop.new_event_loop


async def serve(
    app: ASGIApp,
    settings: ServerSettings,
    *,
    drain: Callable[[], Awaitable[None] | None] | None = None,
    on_listening: Callable[[int], None] | None = None,
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until SIGTERM, SIGINT or `stop`, then stop gracefully: returns as soon as nothing runs any more.

    When the shutdown begins no new connection is taken, idle ones are closed, new requests on live ones are
    answered 503 `shutting_down`, `drain` is called (it should let all waiting work fail), and running
    requests have `shutdown_grace_s` to finish. After that, or at a second signal, they are cancelled.

    Args:
        app: The ASGI application (see `endpoint.create_app`).
        settings: Address and limits.
        drain: Called once when the shutdown begins; may be a coroutine function.
        on_listening: Called with the port once connections are accepted.
        stop: Begins the shutdown like a signal when it is set.

    Raises:
        OSError: The address can't be bound; the text names it.
    """
    log = structlog.get_logger()
    listener = _listen(settings.host, settings.port)
    port = listener.getsockname()[1]
    first, second = stop or asyncio.Event(), asyncio.Event()
    gate = _Gate(app, first)
    with _signals(first, second):
        serving = asyncio.create_task(_hypercorn(gate, _config(settings, listener), first))
        log.info("listening", host=settings.host, port=port)
        if on_listening is not None:
            on_listening(port)
        await _first_of(serving, first.wait())
        if first.is_set():
            log.info("shutdown_begun", running=gate.running, grace_s=settings.shutdown_grace_s)
            await _drain(drain)
            await _first_of(serving, second.wait(), timeout_s=settings.shutdown_grace_s)
            if not serving.done():
                log.warning("requests_cancelled", running=gate.running)
                gate.cancel_all()
                await asyncio.wait({serving}, timeout=_CLEANUP_S)
                serving.cancel()
        await asyncio.wait({serving})
    failure = None if serving.cancelled() else serving.exception()
    if failure is not None and not first.is_set():
        raise failure
    log.info("shutdown_finished", exc_info=failure)


def _listen(host: str, port: int) -> socket.socket:
    """Bind and listen at once, so that from here on connections queue and the port is known."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as exc:
        raise OSError(exc.errno, f"can't listen on {host} port {port}: {exc.strerror}") from exc


def _config(settings: ServerSettings, listener: socket.socket) -> hypercorn.config.Config:
    config = hypercorn.config.Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.backlog = _BACKLOG
    config.include_server_header = False
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.graceful_timeout = settings.shutdown_grace_s + 2 * _CLEANUP_S  # ours ends first
    config.keep_alive_timeout = settings.keep_alive_timeout_s
    config.keep_alive_max_requests = 100_000
    config.h11_max_incomplete_size = settings.max_header_bytes
    return config


async def _hypercorn(app: ASGIApp, config: hypercorn.config.Config, stop: asyncio.Event) -> None:
    # The cast: Starlette's and hypercorn's ASGI types describe the same protocol with different classes.
    framework = cast("hypercorn.typing.Framework", app)
    await hypercorn.asyncio.serve(framework, config, shutdown_trigger=stop.wait, mode="asgi")


async def _first_of(
    task: asyncio.Task[None], event: Coroutine[Any, Any, Any], timeout_s: float | None = None
) -> None:
    waiting = asyncio.create_task(event)
    await asyncio.wait({task, waiting}, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()


async def _drain(drain: Callable[[], Awaitable[None] | None] | None) -> None:
    if drain is None:
        return
    try:
        result = drain()
        if inspect.isawaitable(result):
            await result
    except Exception as exc:  # noqa: BLE001 - the shutdown goes on, whatever happens
        structlog.get_logger().error("drain_failed", exc_info=exc)


@contextmanager
def _signals(first: asyncio.Event, second: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def on_signal() -> None:
        (second if first.is_set() else first).set()

    for number in _SIGNALS:
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


@final
class _Gate:
    """Knows the running requests, and marks those that come after the shutdown began."""

    def __init__(self, app: ASGIApp, stop: asyncio.Event) -> None:
        self._app = app
        self._stop = stop
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def running(self) -> int:
        """How many requests are being answered."""
        return len(self._tasks)

    def cancel_all(self) -> None:
        """Cancel every running request."""
        for task in self._tasks:
            task.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if self._stop.is_set():
            scope[STOPPING] = True
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._tasks.add(task)
        try:
            await self._app(scope, receive, send)
        finally:
            self._tasks.discard(task)
