"""A renewed certificate is served without a restart, and a broken one is not."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from structlog.testing import capture_logs

from erpsim.process.certificates import Certificate, self_signed
from servicekit.clock import SystemClock
from supplier_returns.certificates.files import CertificateFiles
from supplier_returns.certificates.renewal import CertificateRenewal
from supplier_returns.certificates.serving import create_server_context

pytestmark = pytest.mark.asyncio


def make() -> Certificate:
    return self_signed("localhost", SystemClock())


def write(path: Path, content: bytes, *, second: int) -> None:
    path.write_bytes(content)
    os.utime(path, (second, second))


class Served:
    """A TLS server with a certificate in two files, and its renewal."""

    def __init__(self, folder: Path) -> None:
        self.key, self.certificate = folder / "key.pem", folder / "cert.pem"
        self.first = make()
        self.write(self.first, second=1)
        files = CertificateFiles(key=self.key, certificate=self.certificate)
        self.context = create_server_context(files)
        self.renewal = CertificateRenewal(self.context, files, SystemClock())
        self.port = 0

    def write(self, made: Certificate, *, second: int) -> None:
        write(self.key, made.key_pem, second=second)
        write(self.certificate, made.certificate_pem, second=second)

    async def shown(self) -> bytes:
        """Return the certificate that a new connection gets, as PEM."""
        text = await asyncio.to_thread(ssl.get_server_certificate, ("127.0.0.1", self.port))
        return text.encode()


@pytest_asyncio.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    made = Served(tmp_path)

    async def close(_reader: Any, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(close, "127.0.0.1", 0, ssl=made.context) as server:
        made.port = server.sockets[0].getsockname()[1]
        yield made


async def test_new_connections_get_the_renewed_certificate(served: Served) -> None:
    assert await served.shown() == served.first.certificate_pem
    assert not await served.renewal.check()
    second = make()
    served.write(second, second=2)
    assert await served.renewal.check()
    assert await served.shown() == second.certificate_pem
    assert not await served.renewal.check()


async def test_a_key_without_its_certificate_keeps_the_old_one(served: Served) -> None:
    second = make()
    write(served.certificate, second.certificate_pem, second=2)
    with capture_logs() as lines:
        assert not await served.renewal.check()
        assert not await served.renewal.check()
    assert [line["event"] for line in lines] == ["certificate_not_renewed"]
    assert await served.shown() == served.first.certificate_pem
    write(served.key, second.key_pem, second=3)
    assert await served.renewal.check()
    assert await served.shown() == second.certificate_pem


async def test_a_missing_or_broken_file_keeps_the_old_certificate(served: Served) -> None:
    served.key.unlink()
    assert not await served.renewal.check()
    write(served.key, b"-----BEGIN", second=2)
    assert not await served.renewal.check()
    assert await served.shown() == served.first.certificate_pem
