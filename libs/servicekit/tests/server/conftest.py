"""A server inside the test's own event loop, spoken to byte by byte; certificates for it."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from starlette.types import ASGIApp

from servicekit.server import ServerSettings, serve


@attrs.define
class Wire:
    """One connection to a server."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def send(self, data: bytes) -> None:
        """Send bytes."""
        self.writer.write(data)
        await self.writer.drain()

    async def ask(self, head: bytes) -> tuple[bytes, bytes]:
        """Send a request's head, each line of it, and return head and body of the answer."""
        await self.send(head + b"\r\n\r\n")
        return await self.answer()

    async def answer(self) -> tuple[bytes, bytes]:
        """Return head and body of the next answer."""
        async with asyncio.timeout(60):
            head = await self.reader.readuntil(b"\r\n\r\n")
            lines = (line.partition(b": ") for line in head.lower().splitlines())
            length = next(int(value) for name, _, value in lines if name == b"content-length")
            return head, await self.reader.readexactly(length)

    async def rest(self) -> bytes:
        """Return what comes until the server closes the connection."""
        async with asyncio.timeout(60):
            return await self.reader.read()


@attrs.define
class Running:
    """A server that runs in this event loop."""

    port: int
    task: asyncio.Task[None]
    stop: asyncio.Event
    wires: list[Wire] = attrs.field(factory=list)

    async def connect(self, tls: ssl.SSLContext | None = None) -> Wire:
        """Open a connection; it is closed with the server."""
        host = "127.0.0.1" if tls is None else "localhost"
        self.wires.append(Wire(*await asyncio.open_connection(host, self.port, ssl=tls)))
        return self.wires[-1]

    async def ended(self, within_s: float = 10) -> None:
        """Stop the server and wait for its end."""
        self.stop.set()
        async with asyncio.timeout(within_s):
            await self.task


StartServer = Callable[..., AbstractAsyncContextManager[Running]]


@pytest.fixture
def start_server() -> StartServer:
    """Serve an application while a block runs."""

    @asynccontextmanager
    async def start(app: ASGIApp, **more: Any) -> AsyncIterator[Running]:
        listening: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        stop = asyncio.Event()
        settings = ServerSettings(port=0, **more)
        task = asyncio.create_task(serve(app, settings, on_listening=listening.set_result, stop=stop))
        running = Running(await asyncio.wait_for(listening, 30), task, stop)
        try:
            yield running
        finally:
            for wire in running.wires:
                wire.writer.close()
                with suppress(OSError):
                    await wire.writer.wait_closed()
            task.cancel()
            await asyncio.wait({task}, timeout=10)

    return start


@pytest.fixture
def contexts(tmp_path: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a certificate for localhost, and a client's that trusts it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path / "server.pem"
    file.write_bytes(
        certificate.public_bytes(Encoding.PEM)
        + key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(file)
    return server, ssl.create_default_context(cafile=str(file))
