"""Subclasses of hypercorn's internals, which hypercorn does not document.

No setting, ASGI wrapper or proxy does the same: a connection must be a single object that its request, its
client or the shutdown can end, and the protocol rejects other versions, long heads and upgrades before there
is a request. `tests/server/hypercorn_parts.toml` names each part with its reason and its tests.
"""

import asyncio
import logging
from typing import Any, Final, cast, final

import h11
from hypercorn.asyncio.task_group import TaskGroup
from hypercorn.asyncio.tcp_server import TCPServer
from hypercorn.asyncio.worker_context import WorkerContext
from hypercorn.config import Config
from hypercorn.events import Closed, Event, RawData
from hypercorn.protocol.h11 import H11Protocol
from starlette.types import ASGIApp
from typing_extensions import override

from servicekit.server.disconnects import ClientDisconnects
from servicekit.server.idle_timer import IdleTimer
from servicekit.server.refusals import refusal
from servicekit.server.request_head import RequestReader
from servicekit.server.request_target import origin_form
from servicekit.server.settings import ServerSettings
from servicekit.server.slow_reader import SOCKET

LINGER_S: Final = 2.0
"""Longest wait for the client of a connection that the server closes."""

_LINGER_BYTES: Final = 1024 * 1024
_READ_BYTES: Final = 64 * 1024
_WRITE_BUFFER_BYTES: Final = 64 * 1024
_VERSION_UNSUPPORTED: Final = 505


@final
class Shared:
    """State shared by the connections of one listener.

    Args:
        app: handles their requests.
        settings: limits.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        self.app = app
        self.config = Config()
        self.config.include_server_header = False
        self.config.accesslog = None
        self.config.errorlog = logging.getLogger("hypercorn.error")
        self.config.keep_alive_timeout = settings.keep_alive_timeout_s
        self.config.keep_alive_max_requests = 100_000
        self.config.h11_max_incomplete_size = settings.max_header_bytes
        self.context = WorkerContext(max_requests=None)
        self.idle: set[IdleTimer] = set()
        self.leaving: set[ClientDisconnects] = set()

    async def close_idle(self) -> None:
        """Close idle connections, and the others as soon as their request is finished."""
        await self.context.terminated.set()
        for timer in list(self.idle):
            timer.end()
        for disconnects in list(self.leaving):
            disconnects.give_up()


class _VersionUnsupportedError(Exception):
    """A request of another major version than HTTP/1, among them the preface of HTTP/2."""


class _Http11(H11Protocol):
    """HTTP/1.1 only: upgrades are ignored, and the HTTP/2 preface is rejected."""

    @override
    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.connection = RequestReader(self.config.h11_max_incomplete_size)

    @override
    async def handle(self, event: Event) -> None:
        try:
            await super().handle(event)
        except _VersionUnsupportedError as error:
            await self._refuse(_VERSION_UNSUPPORTED, with_body=error.args != (b"HEAD",))
            await self.send(Closed())

    @override
    async def _check_protocol(self, event: h11.Request) -> None:
        if not event.http_version.startswith(b"1."):
            raise _VersionUnsupportedError(event.method)

    @override
    async def _create_stream(self, request: h11.Request) -> None:
        target = origin_form(request.target)
        headers = [header for header in request.headers if header[0] != b"upgrade"]
        if target != request.target or len(headers) < len(request.headers):
            request = h11.Request(
                method=request.method, target=target, headers=headers, http_version=request.http_version
            )
        await super()._create_stream(request)

    @override
    async def _send_error_response(self, status_code: int) -> None:
        await self._refuse(status_code)

    async def _refuse(self, status: int, *, with_body: bool = True) -> None:
        response = refusal(status, peer=self.client[0] if self.client else "", is_secured=self.ssl)
        await self._send_h11_event(
            h11.Response(status_code=response.status_code, headers=response.raw_headers)
        )
        if with_body:
            await self._send_h11_event(h11.Data(data=bytes(response.body)))
        await self._send_h11_event(h11.EndOfMessage())
        await self.send(_Refused())


class _Refused(Event):
    """The protocol has rejected the client."""


class Connection(TCPServer):
    """hypercorn's connection, for HTTP/1.1 only; it ends once its protocol has closed it.

    Args:
        shared: state of the listener.
        reader: input from the client.
        writer: output to the client.
    """

    def __init__(self, shared: Shared, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._loop = asyncio.get_running_loop()
        super().__init__(self._respond, self._loop, shared.config, shared.context, {}, reader, writer)
        self._timer = IdleTimer(
            shared.idle,
            shared.config.keep_alive_timeout,
            self._initiate_server_close,
            is_ending=shared.context.terminated.is_set,
        )
        self.idle_task = cast("Any", self._timer)  # used as hypercorn's own: restarted, and stopped
        self._task = cast("asyncio.Task[Any]", asyncio.current_task())
        self.disconnects = ClientDisconnects(shared.leaving, self._task.cancel)
        self._shared = shared
        self._unsent = bytearray()

    @override
    async def run(self) -> None:
        peer, own = self.writer.get_extra_info("peername"), self.writer.get_extra_info("sockname")
        try:
            async with TaskGroup(self._loop) as task_group:
                self._task_group = task_group
                protocol: Any = _Http11(
                    self._respond,
                    self._shared.config,
                    self._shared.context,
                    task_group,
                    cast("Any", {}),
                    self.writer.get_extra_info("sslcontext") is not None,
                    peer[:2] if peer else None,
                    own[:2] if own else None,
                    self.protocol_send,
                )
                self.protocol = protocol
                await self._timer.restart()
                await self._read_data()
        except OSError:
            pass  # the client is gone
        finally:
            await self._close()

    async def _respond(
        self, scope: Any, receive: Any, send: Any, sync_spawn: object, call_soon: object
    ) -> None:
        """Handle one request; hypercorn's types describe the same protocol as Starlette's."""
        del sync_spawn, call_soon  # for applications of another kind
        scope[SOCKET] = self.writer.get_extra_info("socket")
        self.disconnects.begin(scope)
        try:
            await self._shared.app(scope, receive, send)
        finally:
            self.disconnects.finish(scope)

    @override
    async def protocol_send(self, event: Event) -> None:
        if isinstance(event, RawData) and self.writer.is_closing():
            raise ConnectionResetError  # lets the application stop after a disconnect
        if isinstance(event, RawData) and self._can_take(len(event.data)):
            if not self._unsent:
                self._loop.call_soon(self._flush)
            self._unsent += event.data
            return
        self._flush()
        if isinstance(event, _Refused):
            await self._drain_input()
            return
        await super().protocol_send(event)
        if isinstance(event, Closed):
            self._loop.call_later(LINGER_S, self._task.cancel)

    def _can_take(self, size: int) -> bool:
        """Return whether a write fits the buffer; otherwise hypercorn waits for the client."""
        waiting = self.writer.transport.get_write_buffer_size() + len(self._unsent)
        return waiting + size < _WRITE_BUFFER_BYTES

    def _flush(self) -> None:
        if self._unsent and not self.writer.is_closing():
            self.writer.write(bytes(self._unsent))
        self._unsent.clear()

    async def _drain_input(self) -> None:
        """Read and drop the remaining input of a rejected client: closing at once would lose the response."""
        remaining = _LINGER_BYTES
        try:
            if self.writer.can_write_eof():
                self.writer.write_eof()
            async with asyncio.timeout(LINGER_S):
                while remaining > 0 and (data := await self.reader.read(_READ_BYTES)):
                    remaining -= len(data)
        except (OSError, RuntimeError, TimeoutError):
            pass  # The client is gone (uvloop raises RuntimeError for that) or does not read any more.
