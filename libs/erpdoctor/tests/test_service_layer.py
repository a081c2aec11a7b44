"""Requests without a session: a Service Layer, a proxy in front of it, another server, or no server
answers.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from erpclient import ErpSettings
from erpdoctor.inspection.inspection import Inspection
from erpdoctor.network.checks import Peer
from erpdoctor.service_layer.server import probe_server

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """Give the address of a server that says one thing and hangs up."""

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(say, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/b1s/v1"


def http(status: int, kind: str, body: bytes) -> bytes:
    head = f"HTTP/1.1 {status} x\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


JSON = "application/json"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (http(401, JSON, b'{"error":{"code":301,"message":{"value":"no"}}}'), (Peer.EXPECTED, True)),
        (http(502, "text/html", b"<html>proxy error</html>"), (Peer.GATEWAY, True)),
        (http(200, JSON, b'{"hello":"world"}'), (Peer.OTHER, True)),
        (b"SSH-2.0-OpenSSH_9.2\r\n", (Peer.OTHER, False)),
        (b"", (Peer.NOBODY, False)),
    ],
    ids=["service layer", "web server", "another service", "no http", "hangs up"],
)
async def test_the_kind_of_server_is_reported(answer: bytes, told: tuple[Peer, bool]) -> None:
    async with (
        answering(answer) as url,
        Inspection(ErpSettings(url, timeout_s=5)) as inspection,
    ):
        probe = await probe_server(inspection)
    assert (probe.peer, bool(probe.headers)) == told
