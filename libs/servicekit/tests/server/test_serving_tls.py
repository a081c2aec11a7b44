"""HTTPS, and a second application beside the first."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from servicekit.endpoint import json_response
from servicekit.server import ServerSettings, serve, serving_beside


@asynccontextmanager
async def serving(app: Any, stop: asyncio.Event, **more: Any) -> AsyncIterator[int]:
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    settings = ServerSettings(port=0, shutdown_grace_s=5, **more)
    task = asyncio.create_task(serve(app, settings, on_listening=listening.set_result, stop=stop))
    try:
        yield await asyncio.wait_for(listening, 30)
    finally:
        stop.set()
        async with asyncio.timeout(30):
            await task


@pytest.mark.asyncio
async def test_only_https_is_served_with_a_certificate(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
    make_endpoint: Callable[..., Any],
    make_app: Callable[..., Any],
) -> None:
    server, trusting = contexts
    async with (
        serving(make_app(make_endpoint("GET", "/a")), asyncio.Event(), tls=server) as port,
        httpx2.AsyncClient(verify=trusting, trust_env=False) as client,
    ):
        for _ in range(2):
            answer = await client.get(f"https://localhost:{port}/a")
            assert answer.json() == {"fine": True}
            assert answer.headers["Strict-Transport-Security"]
        with pytest.raises(httpx2.TransportError):
            await client.get(f"http://localhost:{port}/a")


@pytest.mark.asyncio
async def test_a_large_answer_arrives_whole_over_tls(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
    make_endpoint: Callable[..., Any],
    make_app: Callable[..., Any],
) -> None:
    async def large(_request: object) -> Any:
        return json_response("x" * 5_000_000)

    server, trusting = contexts
    async with (
        serving(make_app(make_endpoint("GET", "/a", large)), asyncio.Event(), tls=server) as port,
        httpx2.AsyncClient(verify=trusting, trust_env=False) as client,
    ):
        assert len((await client.get(f"https://localhost:{port}/a")).json()) == 5_000_000


@pytest.mark.asyncio
async def test_an_open_tls_connection_does_not_delay_shutdown(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
    make_endpoint: Callable[..., Any],
    make_app: Callable[..., Any],
) -> None:
    server, trusting = contexts
    stop = asyncio.Event()
    async with serving(make_app(make_endpoint("GET", "/a")), stop, tls=server) as port:
        reader, writer = await asyncio.open_connection("localhost", port, ssl=trusting)
        writer.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        stop.set()
        async with asyncio.timeout(30):
            await reader.read()
        writer.close()


@pytest.mark.asyncio
@pytest.mark.parametrize("asks", [True, False])
async def test_a_connection_opened_during_shutdown_does_not_delay_it(
    contexts: tuple[ssl.SSLContext, ssl.SSLContext],
    make_endpoint: Callable[..., Any],
    make_app: Callable[..., Any],
    start_server: Callable[..., Any],
    asks: bool,
) -> None:
    release = asyncio.Event()

    async def busy(_request: object) -> Any:
        await release.wait()
        return json_response({})

    server, trusting = contexts
    app = make_app(make_endpoint("GET", "/busy", busy), make_endpoint("GET", "/a"))
    async with start_server(app, tls=server, shutdown_grace_s=60) as running:
        waiting = await running.connect(trusting)
        await waiting.send(b"GET /busy HTTP/1.1\r\nHost: x\r\n\r\n")
        reader, late = await asyncio.open_connection("127.0.0.1", running.port)
        running.stop.set()
        await asyncio.sleep(0.2)
        await late.start_tls(trusting, server_hostname="localhost")
        if asks:
            late.write(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            assert (await reader.readline()).startswith(b"HTTP/1.1 503")
        release.set()
        assert (await waiting.answer())[0].startswith(b"HTTP/1.1 200")
        await running.ended(within_s=10)
        late.close()


@pytest.mark.asyncio
async def test_a_second_application_is_served_while_its_context_is_open(
    make_endpoint: Callable[..., Any], make_app: Callable[..., Any]
) -> None:
    app = make_app(make_endpoint("GET", "/a"))
    async with httpx2.AsyncClient(trust_env=False) as client:
        async with serving_beside(app, ServerSettings(port=0)) as port:
            assert (await client.get(f"http://127.0.0.1:{port}/a")).json() == {"fine": True}
        with pytest.raises(httpx2.TransportError):
            await client.get(f"http://127.0.0.1:{port}/a")


@pytest.mark.asyncio
async def test_a_taken_port_is_reported_for_the_second_application(make_app: Callable[..., Any]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        settings = ServerSettings(port=taken.getsockname()[1])
        with pytest.raises(OSError, match="can't listen on"):
            async with serving_beside(make_app(), settings):
                raise AssertionError
