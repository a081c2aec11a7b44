"""Answers that may be read slowly: the system lets the application decide, and only for those."""

import asyncio
import socket
from typing import Any

import pytest
import uvloop
from starlette.types import Receive, Scope, Send

from servicekit.server.serving import serve
from servicekit.server.settings import ServerSettings
from servicekit.server.slow_reader import SOCKET, allow_slow_reader

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="the system can't do it"),
]

PIECE = 64 * 1024
SIZE = 160 * PIECE
SEND_TIMEOUT_S = 0.5


async def answer(send: Send) -> None:
    headers = [(b"content-length", b"%d" % SIZE)]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    for _ in range(SIZE // PIECE):
        await send({"type": "http.response.body", "body": b"x" * PIECE, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def paced(scope: Scope, _receive: Receive, send: Send) -> None:
    """Answer everything, and what is asked for as `/slow` at its own pace."""
    if scope["path"] != "/slow":
        await answer(send)
        return
    with allow_slow_reader(scope):
        await answer(send)


async def read_after_a_pause(port: int, path: str) -> int:
    """Return how much comes to a client that takes nothing at first; -1 where the connection is dropped."""
    loop = asyncio.get_running_loop()
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
        client.setblocking(False)
        await loop.sock_connect(client, ("127.0.0.1", port))
        await loop.sock_sendall(
            client, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        )
        await asyncio.sleep(6 * SEND_TIMEOUT_S)
        received = 0
        try:
            while data := await loop.sock_recv(client, 65536):
                received += len(data)
        except ConnectionResetError:
            return -1
        return received


@pytest.mark.parametrize(("path", "arrives"), [("/slow", True), ("/other", False)])
async def test_only_a_self_paced_response_exceeds_the_send_timeout(path: str, arrives: bool) -> None:
    stop = asyncio.Event()
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    settings = ServerSettings(port=0, send_timeout_s=SEND_TIMEOUT_S)
    task = asyncio.create_task(serve(paced, settings, on_listening=listening.set_result, stop=stop))
    received = await read_after_a_pause(await listening, path)
    stop.set()
    await task
    assert (received > SIZE) is arrives


async def test_a_self_paced_response_buffers_little_in_the_kernel() -> None:
    held: dict[str, int] = {}

    async def counted(scope: Scope, receive: Receive, send: Send) -> None:
        async def count(message: Any) -> None:
            await send(message)
            held[scope["path"]] = held.get(scope["path"], 0) + len(message.get("body", b""))

        await paced(scope, receive, count)

    stop = asyncio.Event()
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve(counted, ServerSettings(port=0), on_listening=listening.set_result, stop=stop)
    )
    port = await listening
    loop = asyncio.get_running_loop()
    unread: dict[str, int] = {}
    for path in ("/slow", "/other"):
        with socket.socket() as client:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16384)
            client.setblocking(False)
            await loop.sock_connect(client, ("127.0.0.1", port))
            await loop.sock_sendall(client, f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await asyncio.sleep(1)
            unread[path] = held[path]
    stop.set()
    await task
    assert unread["/slow"] < 600_000 < unread["/other"]


async def test_the_connection_is_as_before_when_the_answer_is_sent() -> None:
    option = (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT)
    with socket.socket() as connection:
        connection.setsockopt(*option, 700)
        with allow_slow_reader({SOCKET: connection}):
            assert connection.getsockopt(*option) == 0
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT) > 0
        assert connection.getsockopt(*option) == 700
        assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT) == 0


async def test_a_self_paced_response_needs_no_open_socket() -> None:
    closed = socket.socket()
    closed.close()
    done: list[Any] = []
    for scope in ({}, {SOCKET: None}, {SOCKET: closed}):
        with allow_slow_reader(scope):
            done.append(scope)
    assert len(done) == 3


async def test_a_closed_connection_is_released_on_the_serving_loop() -> None:
    done: list[str] = []

    async def leave() -> None:
        left = asyncio.Event()

        def take(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.close()
            left.set()

        async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
            _, client = await asyncio.open_connection(*server.sockets[0].getsockname())
            await left.wait()
            connection = client.get_extra_info("socket")
            for moment in ("is left", "was left"):
                with allow_slow_reader({SOCKET: connection}):
                    client.transport.abort()
                    await asyncio.sleep(0.05)
                done.append(moment)

    def serve_on_its_own_thread() -> None:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(leave())

    await asyncio.to_thread(serve_on_its_own_thread)
    assert done == ["is left", "was left"]
