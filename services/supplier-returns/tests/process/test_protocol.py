"""HTTP/1.1 alone on every port, over TLS too; request targets in every form; who tells the origin."""

import asyncio
import json
import os
import ssl
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from erpsim.company.clock import SystemClock
from erpsim.process.certificates import self_signed
from servicekit.testing.ports import free_port

START_S = 60.0
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
UPGRADES = (
    b"Connection: close, Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
    b"Connection: close, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13",
)


@asynccontextmanager
async def serving(folder: Path, **settings: str) -> AsyncIterator[int]:
    """Run the service without an ERP; yields its port."""
    port = free_port()
    kept = {
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
        env=kept | environ | settings, cwd=folder, stdout=asyncio.subprocess.PIPE,
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


async def exchange(port: int, sent: bytes, tls: ssl.SSLContext | None = None) -> tuple[bytes, bytes]:
    """Send bytes on a connection of their own; return head and body of all that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1" if tls is None else "localhost", port, ssl=tls)
    try:
        writer.write(sent)
        async with asyncio.timeout(60):
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
        return head, body
    finally:
        writer.close()


@pytest.mark.asyncio
async def test_no_port_changes_the_protocol(tmp_path: Path) -> None:
    made = self_signed("localhost", SystemClock())
    (tmp_path / "cert.pem").write_bytes(made.certificate_pem)
    (tmp_path / "key.pem").write_bytes(made.key_pem)
    plain, metrics = free_port(), free_port()
    settings = {
        "HTTPS_CERT_PATH": str(tmp_path / "cert.pem"),
        "HTTPS_KEY_PATH": str(tmp_path / "key.pem"),
        "HTTP_REDIRECT_PORT": str(plain),
        "METRICS_PORT": str(metrics),
    }
    trusting = ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))
    async with serving(tmp_path, **settings) as port:
        for offered in (["h2"], ["h2", "http/1.1"]):
            trusting.set_alpn_protocols(offered)
            for at, path, tls, status in (
                (port, b"/api/health", trusting, 200),
                (plain, b"/api/health", None, 301),
                (metrics, b"/metrics", None, 200),
            ):
                for upgrade in UPGRADES:
                    ask = b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + upgrade + b"\r\n\r\n"
                    head, _ = await exchange(at, ask, tls)
                    assert head.startswith(b"HTTP/1.1 %d" % status), head
                    assert b"\r\nserver:" not in head.lower()
                head, body = await exchange(at, PREFACE, tls)
                assert head.startswith(b"HTTP/1.1 505"), head
                assert json.loads(body)["code"] == "http_version_unsupported"


@pytest.mark.asyncio
async def test_a_target_in_absolute_form_counts_as_its_path_and_query(tmp_path: Path) -> None:
    async with serving(tmp_path) as port:
        for line, status, code in (
            (b"GET https://elsewhere.example:443/api/health", 200, None),
            (b"GET http://elsewhere.example/api/auth/me?x=1", 401, "session_required"),
            (b"GET http://elsewhere.example/nada", 404, "not_found"),
            (b"OPTIONS *", 400, "bad_request"),
            (b"CONNECT elsewhere.example:443", 400, "bad_request"),
        ):
            sent = line + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            head, body = await exchange(port, sent)
            assert head.startswith(b"HTTP/1.1 %d" % status), body
            assert json.loads(body).get("code") == code
        root = b"GET http://elsewhere.example HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        head, body = await exchange(port, root)
        assert head.startswith(b"HTTP/1.1 200")
        assert body.startswith(b"<!doctype html>")


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
async def test_whose_page_may_change_something_is_told_by_host_and_not_by_the_target(
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
