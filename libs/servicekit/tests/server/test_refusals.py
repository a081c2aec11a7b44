"""Malformed HTTP/1.1 is rejected with a problem document and the common headers."""

import json
from typing import Any

import pytest

pytestmark = pytest.mark.check

REFUSED = {
    "no HTTP": (b"nonsense\r\n\r\n", 400, "bad_request"),
    "no Host": (b"GET /a HTTP/1.1\r\n\r\n", 400, "bad_request"),
    "NUL": (b"GET /a\x00 HTTP/1.1\r\nHost: x\r\n\r\n", 400, "bad_request"),
    "negative length": (b"GET /a HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400, "bad_request"),
    "head too large": (
        b"GET /a HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 900_000,
        431,
        "headers_too_large",
    ),
    "unknown encoding": (
        b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        501,
        "transfer_encoding_unsupported",
    ),
    "another version": (b"GET /a HTTP/2.0\r\nHost: x\r\n\r\n", 505, "http_version_unsupported"),
}
COMMON = {
    b"cache-control": b"no-store",
    b"content-security-policy": b"default-src 'none'; frame-ancestors 'none'",
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
    b"content-type": b"application/problem+json",
    b"connection": b"close",
}


@pytest.mark.asyncio
@pytest.mark.parametrize(("sent", "status", "code"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("secured", [False, True], ids=["HTTP", "HTTPS"])
async def test_a_protocol_error_has_the_standard_body_and_headers(
    start_server: Any,
    make_endpoint: Any,
    make_app: Any,
    log_lines: Any,
    contexts: Any,
    sent: bytes,
    status: int,
    code: str,
    secured: bool,
) -> None:
    own, trusting = contexts
    app = make_app(make_endpoint("GET", "/a"))
    async with start_server(app, tls=own if secured else None) as server:
        wire = await server.connect(trusting if secured else None)
        await wire.send(sent)
        head, _, body = (await wire.rest()).partition(b"\r\n\r\n")
    first, *lines = head.splitlines()
    headers = {name.lower(): value for name, _, value in (line.partition(b": ") for line in lines)}
    assert first.startswith(b"HTTP/1.1 %d" % status)
    assert COMMON.items() <= headers.items()
    assert b"server" not in headers
    assert (b"strict-transport-security" in headers) is secured
    problem = json.loads(body)
    assert (problem["status"], problem["code"], problem["message"]) == (status, code, problem["detail"])
    assert headers[b"x-request-id"].decode() == problem["requestId"]
    (line,) = [line for line in log_lines if line["event"] == "request_refused"]
    assert (line["status"], line["code"], line["request_id"]) == (status, code, problem["requestId"])


@pytest.mark.asyncio
async def test_a_malformed_chunked_body_is_refused(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    async def read(request: Any) -> Any:
        await request.body()
        raise AssertionError

    async with start_server(make_app(make_endpoint("POST", "/a", read))) as server:
        wire = await server.connect()
        await wire.send(b"POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        head, _, body = (await wire.rest()).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400")
    assert json.loads(body)["code"] == "bad_request"
