"""Connections whose client has gone do not stay open until they have been idle for long enough."""

import asyncio
from typing import Any

import pytest

from servicekit.server import ServerSettings, serve


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "request_bytes", [b"", b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"], ids=["silent", "served"]
)
async def test_a_connection_that_the_client_ends_is_ended_at_once(
    make_endpoint: Any, make_app: Any, request_bytes: bytes
) -> None:
    listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    settings = ServerSettings(port=0, keep_alive_timeout_s=60.0)
    serving = asyncio.create_task(
        serve(make_app(make_endpoint("GET", "/a")), settings, on_listening=listening.set_result)
    )
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", await asyncio.wait_for(listening, 5))
        writer.write(request_bytes)
        if request_bytes:
            await reader.readuntil(b"\r\n\r\n")
        writer.write_eof()
        async with asyncio.timeout(5):
            await reader.read()  # until the server ends the connection, too
        writer.close()
    finally:
        serving.cancel()
        await asyncio.wait({serving}, timeout=5)
