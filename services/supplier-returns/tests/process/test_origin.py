"""Origin check of writing requests: it uses the Host header, whatever form the request target has."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from servicekit.testing.ports import free_port

START_S = 60.0


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[int]:
    """Run the service without an ERP and yield its port."""
    port = free_port()
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name in ("PATH", "HOME", "LANG") or name.startswith("COVERAGE")
    }
    environ = {
        "CONFIG_FILE": os.devnull,
        "ENVIRONMENT": "test",
        "PORT": str(port),
        "SL_URL": f"http://127.0.0.1:{free_port()}/b1s/v1",
        "SL_COMPANY_DB": "SBO_DEMO",
        "DB_TYPE": "HANA",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "supplier_returns", "serve",
        env=inherited | environ, cwd=folder, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    try:
        async with asyncio.timeout(START_S):
            while json.loads(await process.stdout.readline())["event"] != "listening":
                pass
        yield port
    finally:
        process.terminate()
        async with asyncio.timeout(START_S):
            await process.communicate()
    assert process.returncode == 0


async def exchange(port: int, sent: bytes) -> tuple[bytes, bytes]:
    """Send bytes on a new connection. Return the head and the body of the reply."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(sent)
        async with asyncio.timeout(60):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        return head, body
    finally:
        writer.close()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("target", "origin", "code"),
    [
        (b"http://evil.example/api/auth/login", b"http://evil.example", "origin_forbidden"),
        (b"http://evil.example/api/auth/login", b"http://own.example", "upstream_unreachable"),
        (b"/api/auth/login", b"http://own.example", "upstream_unreachable"),
    ],
    ids=["the target's site", "our own", "our own, in origin form"],
)
async def test_the_host_header_and_not_the_target_decides_which_pages_may_write(
    tmp_path: Path, target: bytes, origin: bytes, code: str
) -> None:
    body = b'{"usuario":"manager","clave":"erpsim"}'
    head = (
        b"POST " + target + b" HTTP/1.1\r\nHost: own.example\r\nConnection: close\r\nOrigin: " + origin
        + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    )  # fmt: skip
    async with serving(tmp_path) as port:
        _, answer = await exchange(port, head + body)
    assert json.loads(answer)["code"] == code
