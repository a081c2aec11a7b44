"""Connections whose client has gone, and the work that they waited for."""

import asyncio
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
import uvloop
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send
from typing_extensions import override

from servicekit.endpoint import json_response
from servicekit.errors import ServiceError
from servicekit.server.disconnects import STAYS_S
from servicekit.tasks import finish

pytestmark = pytest.mark.check

GET = b"GET /hang HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /hang HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"


class Handlers:
    """Handlers that wait for an event, and count."""

    def __init__(self) -> None:
        self.release = asyncio.Event()
        self.begun = self.finished = self.cancelled = 0
        self.shared: asyncio.Task[str] | None = None

    async def hang(self, _request: Request) -> Response:
        self.begun += 1
        try:
            await self.release.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.finished += 1
        return json_response("done")

    async def share(self, _request: Request) -> Response:
        if self.shared is None:
            self.shared = asyncio.create_task(self._work())
        self.begun += 1
        return json_response(await asyncio.shield(self.shared))

    async def _work(self) -> str:
        await self.release.wait()
        return "shared"

    async def protected(self, _request: Request) -> Response:
        self.begun += 1
        return json_response(await finish(self._work()))


async def become_true(condition: Callable[[], bool], within_s: float = 10 * STAYS_S) -> None:
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - what is waited for signals nothing
            await asyncio.sleep(0.01)


@pytest.fixture
def handlers() -> Handlers:
    return Handlers()


@pytest.fixture
def app(make_endpoint: Any, make_app: Any, handlers: Handlers) -> Any:
    return make_app(
        make_endpoint("GET", "/a"),
        make_endpoint("GET", "/hang", handlers.hang),
        make_endpoint("POST", "/hang", handlers.hang),
        make_endpoint("GET", "/shared", handlers.share),
        make_endpoint("GET", "/protected", handlers.protected),
    )


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "request_bytes", [b"", b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["silent", "served"]
)
async def test_a_connection_closed_by_the_client_is_closed_at_once(
    start_server: Any, app: Any, request_bytes: bytes
) -> None:
    async with start_server(app, keep_alive_timeout_s=60.0) as server:
        wire = await server.connect()
        await wire.send(request_bytes)
        if request_bytes:
            await wire.answer()
        wire.writer.write_eof()
        assert await wire.rest() == b""


@pytest.mark.asyncio
async def test_work_only_for_closed_connections_ends_with_them(
    start_server: Any, app: Any, handlers: Handlers, log_lines: Any
) -> None:
    async with start_server(app) as server:
        wires = [await server.connect() for _ in range(100)]
        for number, wire in enumerate(wires):
            await wire.send(GET * (1 + number % 3))  # some have sent the next request already
        await become_true(lambda: handlers.begun == 100)
        for number, wire in enumerate(wires):
            if number % 2:
                wire.writer.close()
            else:
                wire.writer.transport.abort()
        await become_true(lambda: handlers.cancelled == 100)
        await become_true(lambda: not [task for task in asyncio.all_tasks() if "_accept" in str(task)])
        assert handlers.begun == 100
    lines = [line for line in log_lines if line["event"] == "request_finished"]
    assert {(line["status"], line["client_gone"]) for line in lines} == {(499, True)}
    assert len(lines) == 100


@pytest.mark.asyncio
async def test_a_write_runs_to_its_end_after_a_disconnect(
    start_server: Any, app: Any, handlers: Handlers
) -> None:
    async with start_server(app) as server:
        wire = await server.connect()
        await wire.send(POST + GET)
        await become_true(lambda: handlers.begun == 1)
        wire.writer.close()
        await asyncio.sleep(1.5 * STAYS_S)
        assert handlers.cancelled == 0
        handlers.release.set()
        await become_true(lambda: handlers.finished == 1)
        await become_true(lambda: not [task for task in asyncio.all_tasks() if "_accept" in str(task)])


@pytest.mark.asyncio
async def test_work_shared_with_other_clients_continues(
    start_server: Any, app: Any, handlers: Handlers
) -> None:
    async with start_server(app) as server:
        leaving, staying = await server.connect(), await server.connect()
        for wire in (leaving, staying):
            await wire.send(b"GET /shared HTTP/1.1\r\nHost: x\r\n\r\n")
        await become_true(lambda: handlers.begun == 2)
        leaving.writer.close()
        await become_true(
            lambda: sum("_accept" in str(task) for task in asyncio.all_tasks()) == 1, 10 * STAYS_S
        )
        handlers.release.set()
        assert (await staying.answer())[1] == b'"shared"'


@pytest.mark.asyncio
async def test_work_that_protects_itself_finishes(start_server: Any, app: Any, handlers: Handlers) -> None:
    async with start_server(app) as server:
        wire = await server.connect()
        await wire.send(b"GET /protected HTTP/1.1\r\nHost: x\r\n\r\n")
        await become_true(lambda: handlers.begun == 1)
        wire.writer.close()
        await asyncio.sleep(1.5 * STAYS_S)
        assert [task for task in asyncio.all_tasks() if "_accept" in str(task)]
        handlers.release.set()
        await become_true(lambda: not [task for task in asyncio.all_tasks() if "_accept" in str(task)])


@pytest.mark.asyncio
async def test_a_half_closed_client_receives_its_responses(
    start_server: Any, app: Any, handlers: Handlers
) -> None:
    async with start_server(app) as server:
        wire = await server.connect()
        await wire.send(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
        wire.writer.write_eof()
        assert (await wire.answer())[0].startswith(b"HTTP/1.1 200")
        await become_true(lambda: handlers.begun == 1)
        handlers.release.set()
        assert (await wire.answer())[1] == b'"done"'
        assert await wire.rest() == b""


@pytest.mark.asyncio
async def test_requests_of_departed_clients_do_not_delay_shutdown(
    start_server: Any, app: Any, handlers: Handlers
) -> None:
    async with start_server(app, shutdown_grace_s=600) as server:
        wires = [await server.connect() for _ in range(50)]
        for wire in wires:
            await wire.send(GET + GET)
        await become_true(lambda: handlers.begun == 50)
        for wire in wires:
            wire.writer.close()
            await wire.writer.wait_closed()
        begun = time.monotonic()
        await server.ended(within_s=10 * STAYS_S)
        assert time.monotonic() - begun < 10 * STAYS_S
        assert handlers.cancelled == 50


@pytest.mark.asyncio
async def test_a_client_that_disconnects_during_shutdown_does_not_delay_it(
    start_server: Any, app: Any, handlers: Handlers
) -> None:
    async with start_server(app, shutdown_grace_s=600) as server:
        wire = await server.connect()
        await wire.send(GET)
        await become_true(lambda: handlers.begun == 1)
        server.stop.set()
        await asyncio.sleep(0.1)
        wire.writer.close()
        await server.ended(within_s=10 * STAYS_S)
        assert handlers.cancelled == 1


class Late(ServiceError):  # noqa: N818 - a refusal, as in errors.py
    """A failure that comes when nobody waits any more."""

    status = 502
    code = "late_failure"
    detail = "Falló tarde."


class Telling:
    """Handlers whose answer comes, or goes on, after the client has left."""

    def __init__(self, left: asyncio.Event) -> None:
        self.begun = asyncio.Event()
        self._left = left

    async def wait(self) -> None:
        self.begun.set()
        await self._left.wait()

    async def stream(self, request: Request) -> Response:
        async def chunks() -> AsyncIterator[bytes]:
            for number in range(100):
                yield b"x" * 10_000
                if number == 10:
                    await self.wait()

        return StreamingResponse(chunks(), media_type="text/csv")

    async def whole(self, _request: Request) -> Response:
        await self.wait()
        return Response(b"x" * 1_000_000)

    async def small(self, _request: Request) -> Response:
        await self.wait()
        return Response(b"x")

    async def file(self, _request: Request) -> Response:
        return _Chunks(self.wait)

    async def fails(self, _request: Request) -> Response:
        await self.wait()
        raise Late

    async def crashes(self, _request: Request) -> Response:
        await self.wait()
        raise RuntimeError("a fault of ours, whoever has left")


class _Chunks(Response):
    """An answer that takes no notice of clients that leave, as that of a job's file."""

    def __init__(self, wait: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self._wait = wait

    @override
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        for number in range(100):
            await send({"type": "http.response.body", "body": b"x" * 10_000, "more_body": True})
            if number == 10:
                await self._wait()
        await send({"type": "http.response.body", "body": b"", "more_body": False})


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("kind", ["stream", "whole", "small", "file", "fails", "crashes"])
def test_a_response_to_a_departed_client_logs_one_quiet_line(
    loop: Callable[[], asyncio.AbstractEventLoop],
    method: str,
    kind: str,
    start_server: Any,
    make_endpoint: Any,
    make_app: Any,
    log_lines: Any,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scene() -> None:
        left = asyncio.Event()
        telling = Telling(left)
        app = make_app(make_endpoint(method, "/answer", getattr(telling, kind)))
        async with start_server(app) as server:
            wire = await server.connect()
            await wire.send(f"{method} /answer HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".encode())
            await asyncio.wait_for(telling.begun.wait(), 30)
            linger = struct.pack("ii", 1, 0)
            wire.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            wire.writer.transport.abort()
            await asyncio.sleep(STAYS_S / 4)  # it has left, and is not given up yet
            left.set()
            await become_true(lambda: not [task for task in asyncio.all_tasks() if "_accept" in str(task)])

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(scene())
    lines = [line for line in log_lines if line["event"] not in ("listening", "shutdown_begun")]
    expected = ["request_crashed"] if kind == "crashes" else []
    assert [line["event"] for line in lines] == [*expected, "request_finished"]
    assert lines[-1]["client_gone"] is True
    assert not [record.getMessage() for record in caplog.records]
