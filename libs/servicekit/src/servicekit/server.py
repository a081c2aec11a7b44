"""Serving: hypercorn's protocol inside our own event loop, one process, and a shutdown that loses no work.

hypercorn reads and writes HTTP; accepting connections and ending them is ours. At the end its own `serve`
waits for ever on newer Pythons where a request does not finish, answers an empty 500 to what outlasts its
grace, tells late requests nothing, and holds on to a connection on which another request is pipelined.
"""

import asyncio
import inspect
import logging
import signal
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final, cast, final

import attrs
import structlog
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.asyncio.worker_context import AsyncioSingleTask, WorkerContext
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData
from hypercorn.typing import AppWrapper, ASGIFramework
from hypercorn.utils import wrap_app
from starlette.types import ASGIApp, Receive, Scope, Send
from typing_extensions import override

from servicekit.request_log import STOPPING

_BACKLOG: Final = 512
_LINGER_S: Final = 2.0
_HANDSHAKE_S: Final = 10.0
_CLEANUP_S: Final = 5.0
_WRITE_BUFFER_BYTES: Final = 64 * 1024
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
        send_timeout_s: How long a client may leave an answer unread before its connection is dropped (on
            Linux, which can do it).
        max_header_bytes: The most bytes of a request's head that comes in pieces; one that comes at once may
            have the 64 KiB that hypercorn reads at a time.
        tls: Serve HTTPS with this certificate; plain HTTP without. HTTP/1.1 is spoken over both.
    """

    host: str = "127.0.0.1"
    port: int = 3000
    shutdown_grace_s: float = 70.0
    keep_alive_timeout_s: float = 75.0
    send_timeout_s: float = 60.0
    max_header_bytes: int = 32 * 1024
    tls: ssl.SSLContext | None = None


def run(main: Coroutine[Any, Any, int]) -> int:
    """Run the process's main coroutine in uvloop's event loop (or asyncio's).

    Returns:
        its result; 1 when it failed, which is logged: what Python prints of it waits for a reader.
    """
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            return runner.run(main)
    except Exception as exc:  # noqa: BLE001 - there is nobody above
        structlog.get_logger(__name__).critical("process_crashed", exc_info=exc)
        return 1


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
    listener = _listen(settings)
    port = listener.getsockname()[1]
    first, second = stop or asyncio.Event(), asyncio.Event()
    gate = _Gate(app, first)
    connections = _Connections(gate, _config(settings))
    with _signals(first, second):
        server = await _accepting(connections, listener, settings)
        try:
            log.info("listening", host=settings.host, port=port)
            if on_listening is not None:
                on_listening(port)
            await first.wait()
            server.close()
            log.info("shutdown_begun", running=gate.running, grace_s=settings.shutdown_grace_s)
            await connections.close_idle()
            await _drain(drain)
            if not await connections.ended(settings.shutdown_grace_s, unless=second):
                log.warning("requests_cancelled", running=gate.running)
                gate.cancel_all()
                await connections.ended(_CLEANUP_S)
        finally:
            server.close()
            left_behind = connections.cancel_all()
    log.info("shutdown_finished", left_behind=left_behind)


@asynccontextmanager
async def serving_beside(app: ASGIApp, settings: ServerSettings) -> AsyncIterator[int]:
    """Serve a second application while the context is open: one whose answers are quick, as redirects are.

    It knows no signals; when the context ends its connections are closed, and what they do is cut off.

    Yields:
        The port listened on.

    Raises:
        OSError: The address can't be bound; the text names it.
    """
    listener = _listen(settings)
    connections = _Connections(app, _config(settings))
    server = await _accepting(connections, listener, settings)
    try:
        yield listener.getsockname()[1]
    finally:
        server.close()
        await connections.close_idle()
        connections.cancel_all()


async def _accepting(
    connections: "_Connections", listener: socket.socket, settings: ServerSettings
) -> asyncio.Server:
    secured = settings.tls is not None
    return await asyncio.start_server(
        connections.accept,
        sock=listener,
        backlog=_BACKLOG,
        ssl=settings.tls,
        ssl_handshake_timeout=_HANDSHAKE_S if secured else None,
        ssl_shutdown_timeout=_LINGER_S if secured else None,
    )


def _listen(settings: ServerSettings) -> socket.socket:
    """Bind and listen at once, so that from here on connections queue and the port is known."""
    host, port = settings.host, settings.port
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as exc:
        raise OSError(exc.errno, f"can't listen on {host} port {port}: {exc.strerror}") from exc
    with suppress(AttributeError):  # accepted connections inherit it
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(settings.send_timeout_s * 1000))
    return listener


def _config(settings: ServerSettings) -> Config:
    config = Config()
    config.include_server_header = False
    config.accesslog = None
    config.errorlog = logging.getLogger("hypercorn.error")
    config.keep_alive_timeout = settings.keep_alive_timeout_s
    config.keep_alive_max_requests = 100_000
    config.h11_max_incomplete_size = settings.max_header_bytes
    return config


async def _drain(drain: Callable[[], Awaitable[None] | None] | None) -> None:
    if drain is None:
        return
    try:
        async with asyncio.timeout(_CLEANUP_S):
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
class _Connections:
    """Accepts connections and knows those that are open."""

    def __init__(self, app: ASGIApp, config: Config) -> None:
        # The cast: Starlette's and hypercorn's ASGI types describe the same protocol with different classes.
        self._app = wrap_app(cast("ASGIFramework", app), config.wsgi_max_body_size, "asgi")
        self._config = config
        self._context = WorkerContext(max_requests=None)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._idle: set[_IdleTimer] = set()
        self._none_left = asyncio.Event()
        self._none_left.set()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends; what it raises ends nothing else."""
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._tasks.add(task)
        self._none_left.clear()
        try:
            await _Connection(self._app, self._config, self._context, reader, writer, self._idle)
        except asyncio.CancelledError:
            return  # by its own hand or by `cancel_all`; there is nobody above who would have to know
        except Exception as exc:  # noqa: BLE001 - a client that hypercorn does not expect; whoever it is, no trace
            reasons = [reason for reason in _leaves(exc) if not isinstance(reason, OSError)]
            if reasons:  # otherwise the client is merely gone
                structlog.get_logger().warning("connection_failed", reasons=reasons)
        finally:
            self._tasks.discard(task)
            if not self._tasks:
                self._none_left.set()

    async def close_idle(self) -> None:
        """Close the connections without a request, and the others as soon as theirs is answered."""
        await self._context.terminated.set()
        for timer in list(self._idle):
            timer.end()

    async def ended(self, timeout_s: float, *, unless: asyncio.Event | None = None) -> bool:
        """Wait until no connection is left; tell whether that came before the time was over, or the event."""
        events = [self._none_left] if unless is None else [self._none_left, unless]
        waits = [asyncio.create_task(event.wait()) for event in events]
        await asyncio.wait(waits, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()
        return self._none_left.is_set()

    def cancel_all(self) -> int:
        """Cancel the connections that are still there; return how many."""
        for task in self._tasks:
            task.cancel()
        return len(self._tasks)


def _leaves(exc: BaseException) -> list[BaseException]:
    """List the exceptions inside of nested groups."""
    if isinstance(exc, BaseExceptionGroup):
        return [leaf for each in exc.exceptions for leaf in _leaves(each)]
    return [exc]


@final
class _IdleTimer:
    """Ends a connection that stays idle: one timer where hypercorn starts two tasks after each request.

    Args:
        idle: The timers that run; whoever ends the service ends these connections at once.
        timeout_s: How long a connection may be idle.
        close: Closes the connection.
    """

    def __init__(
        self, idle: set["_IdleTimer"], timeout_s: float, close: Callable[[], Awaitable[None]]
    ) -> None:
        self._idle = idle
        self._timeout_s = timeout_s
        self._close = close
        self._timer: asyncio.TimerHandle | None = None
        self._closing: asyncio.Task[None] | None = None

    async def restart(self, *_: object) -> None:
        """Begin to wait, from now on."""
        await self.stop()
        self._timer = asyncio.get_running_loop().call_later(self._timeout_s, self.end)
        self._idle.add(self)

    async def stop(self) -> None:
        """The connection is busy, or closed."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._idle.discard(self)

    def end(self) -> None:
        """Close the connection now."""
        self._closing = asyncio.ensure_future(self._close())


class _Connection(TCPServer):
    """hypercorn's connection, which really ends once its protocol has closed it."""

    def __init__(
        self,
        app: AppWrapper,
        config: Config,
        context: WorkerContext,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        idle: set[_IdleTimer],
    ) -> None:
        super().__init__(app, asyncio.get_running_loop(), config, context, {}, reader, writer)
        timer = _IdleTimer(idle, config.keep_alive_timeout, self._initiate_server_close)
        self.idle_task = cast("AsyncioSingleTask", timer)  # used as one: restarted, and stopped
        self._task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._unsent = bytearray()

    @override
    async def protocol_send(self, event: Event) -> None:
        if isinstance(event, RawData) and self._can_take(len(event.data)):
            if not self._unsent:
                self.loop.call_soon(self._flush)
            self._unsent += event.data
            return
        self._flush()
        await super().protocol_send(event)
        if isinstance(event, Closed):
            self.loop.call_later(_LINGER_S, self._task.cancel)

    def _can_take(self, size: int) -> bool:
        """Tell whether a write needs no waiting; if not, hypercorn waits for the client."""
        waiting = self.writer.transport.get_write_buffer_size() + len(self._unsent)
        return waiting + size < _WRITE_BUFFER_BYTES

    def _flush(self) -> None:
        """Write what an answer's head, body and end left behind, in one go."""
        if self._unsent:
            self.writer.write(bytes(self._unsent))
            self._unsent.clear()


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
        if self._stop.is_set():
            scope[STOPPING] = True
        task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._tasks.add(task)
        try:
            await self._app(scope, receive, send)
        finally:
            self._tasks.discard(task)
