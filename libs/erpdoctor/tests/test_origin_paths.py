"""What becomes of a zero byte in a key: arriving or refused is well, hidden is not."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from erpdoctor.checks import Finding, Group
from erpdoctor.origin.asking import Site
from erpdoctor.origin.checks import OriginTarget
from erpdoctor.origin.probing import KEYS, PROBE, ProbeChecks

pytestmark = pytest.mark.asyncio

ECHO = {"client": "", "peer": "", "scheme": "http", "host": "", "prefix": "", "forwarded": [], "bodyBytes": 0}
OF_SERVICE = b"Server-Timing: total;dur=1\r\n"


def answer_of(status: int, target: str = "", headers: bytes = b"") -> bytes:
    body = json.dumps({**ECHO, "target": target}).encode() if status == 200 else b"{}"
    head = f"HTTP/1.1 {status} x\r\nContent-Length: {len(body)}\r\n".encode()
    return head + headers + b"\r\n" + body


@asynccontextmanager
async def proxy(zero: bytes) -> AsyncIterator[Site]:
    """Tell every key as it came, but answer so where one holds a zero byte."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = (await reader.readuntil(b"\r\n\r\n")).split()[1].decode()
        writer.write(zero if "%00" in target else answer_of(200, target, OF_SERVICE))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield Site.of(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.touch(0o600)
    file.write_text("token")
    return file


async def judged(zero: bytes, file: Path) -> Finding:
    async with proxy(zero) as site:
        token, path, *_ = ProbeChecks(
            OriginTarget(site=site),
            Group("origin", "docs/doctor.md#origin"),
            token_file=file,
            trusted_proxies=(),
            max_body_bytes=1,
            wait_s=0,
        ).checks()
        await token.look()
        return await path.look()


@pytest.mark.parametrize(
    ("zero", "told"),
    [
        (answer_of(200, f"{PROBE}/A%00B", OF_SERVICE), "passed"),
        (answer_of(400), "refused"),
        (answer_of(403), "refused"),
        (answer_of(400, headers=OF_SERVICE), "refused"),
    ],
    ids=["arrives", "refused by the proxy", "forbidden by the proxy", "refused by the service"],
)
async def test_a_zero_byte_that_arrives_or_is_refused_is_well(
    zero: bytes, told: str, token_file: Path
) -> None:
    finding = await judged(zero, token_file)
    assert finding.cause is None
    assert finding.figures == {"keys": len(KEYS) + 1, "zero": told}


@pytest.mark.parametrize(
    "zero",
    [answer_of(200, f"{PROBE}/AB"), answer_of(200, f"{PROBE}/A"), answer_of(404, headers=OF_SERVICE)],
    ids=["taken out", "cut off", "another address"],
)
async def test_a_zero_byte_that_is_hidden_is_named(zero: bytes, token_file: Path) -> None:
    finding = await judged(zero, token_file)
    assert finding.cause is not None
    assert finding.cause.code == "zero_byte_changed"
