"""The head of a request: its size counts however it arrives, and empty lines before it do not matter."""

import asyncio
import json
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import json_response

LIMIT = 4096
START = b"GET /a HTTP/1.1\r\nHost: x\r\n"


def head_of(size: int) -> bytes:
    """Return a valid head of exactly that many bytes."""
    filled = START + b"X-Long: "
    return filled + b"y" * (size - len(filled) - len(b"\r\n\r\n")) + b"\r\n\r\n"


def many_headers(size: int) -> bytes:
    """Return a head of at least that many bytes in short lines."""
    return START + b"X-Short: y\r\n" * (size // 10) + b"\r\n"


LONG = {
    "one long header": head_of(LIMIT + 1),
    "many headers": many_headers(LIMIT),
    "spaces around a value": START + b"X:" + b" " * LIMIT + b"y" + b" " * LIMIT + b"\r\n\r\n",
    "folded lines": START + b"X: y\r\n" + b" y\r\n" * LIMIT + b"\r\n",
    "a long target": b"GET /a?" + b"y" * LIMIT + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    "empty lines": b"\r\n" * LIMIT + START + b"\r\n",
    "empty lines alone": b"\r\n" * LIMIT,
}


def check_refusal(head: bytes, body: bytes) -> None:
    assert head.startswith(b"HTTP/1.1 431"), head
    assert b"connection: close" in head.lower()
    assert json.loads(body)["code"] == "headers_too_large"


@pytest.mark.asyncio
@pytest.mark.parametrize("sent", LONG.values(), ids=LONG)
@pytest.mark.parametrize("pieces", [1, 5])
async def test_a_head_over_the_limit_answers_431_in_any_number_of_pieces(
    start_server: Any, make_endpoint: Any, make_app: Any, sent: bytes, pieces: int
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a")), max_header_bytes=LIMIT) as server:
        wire = await server.connect()
        size = -(-len(sent) // pieces)
        for start in range(0, len(sent), size):
            await wire.send(sent[start : start + size])
            await asyncio.sleep(0.01)
        check_refusal(*await wire.answer())
        assert await wire.rest() == b""


@pytest.mark.asyncio
@pytest.mark.parametrize("size", [LIMIT - 1, LIMIT])
async def test_a_head_up_to_the_limit_is_accepted_with_any_following_bytes(
    start_server: Any, make_endpoint: Any, make_app: Any, size: int
) -> None:
    app = make_app(make_endpoint("GET", "/a"), make_endpoint("POST", "/a"))
    async with start_server(app, max_header_bytes=LIMIT) as server:
        wire = await server.connect()
        body = b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n" + b"z" * 900
        await wire.send(body + head_of(size) + head_of(size) + body)
        for _ in range(4):
            assert (await wire.answer())[0].startswith(b"HTTP/1.1 200")


@pytest.mark.asyncio
async def test_the_limit_applies_to_the_second_of_two_pipelined_heads(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a")), max_header_bytes=LIMIT) as server:
        wire = await server.connect()
        await wire.send(START + b"\r\n" + head_of(LIMIT + 1))
        assert (await wire.answer())[0].startswith(b"HTTP/1.1 200")
        check_refusal(*await wire.answer())


@pytest.mark.asyncio
@pytest.mark.parametrize("blank", [b"\r\n", b"\n", b"\r\n\r\n", b"\n\r\n" * 20])
@pytest.mark.parametrize("pause", [False, True], ids=["at once", "byte by byte"])
async def test_empty_lines_before_a_request_are_ignored(
    start_server: Any, make_endpoint: Any, make_app: Any, blank: bytes, pause: bool
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a"), make_endpoint("POST", "/a"))) as server:
        wire = await server.connect()
        posted = b"POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
        # The line behind a body is what old browsers sent after a form (RFC 9112, 2.2).
        for request in (START + b"\r\n", posted + blank, posted):
            sent = blank + request
            for piece in (bytes([byte]) for byte in sent) if pause else (sent,):
                await wire.send(piece)
                await asyncio.sleep(0)
            head, _ = await wire.answer()
            assert head.startswith(b"HTTP/1.1 200"), head


@pytest.mark.asyncio
@pytest.mark.parametrize("version", [b"HTTP/1.0", b"HTTP/1.1\r\nConnection: close"])
@pytest.mark.parametrize("behind", [b"\r\n", b"\n", b" ", b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n", b"x" * 9000])
@pytest.mark.parametrize("pause", [False, True], ids=["at once", "later"])
async def test_bytes_after_the_last_request_of_a_connection_are_ignored(
    start_server: Any, make_endpoint: Any, make_app: Any, version: bytes, behind: bytes, pause: bool
) -> None:
    async def answer_late(_request: Request) -> Response:
        await asyncio.sleep(0.1)
        return json_response("done")

    app = make_app(make_endpoint("POST", "/a", answer_late))
    async with start_server(app) as server:
        wire = await server.connect()
        await wire.send(
            b"POST /a " + version + b"\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}" + behind * (not pause)
        )
        if pause:
            await asyncio.sleep(0.02)
            await wire.send(behind)
        head, body = await wire.answer()
        assert (head[:12], body) == (b"HTTP/1.1 200", b'"done"')
        assert await wire.rest() == b""


@pytest.mark.asyncio
@pytest.mark.parametrize("start", [b"\r", b" ", b" \r\n", b"\r\r\n", b"\t\n", b"\x00\r\n"])
async def test_other_leading_bytes_are_a_malformed_request(
    start_server: Any, make_endpoint: Any, make_app: Any, start: bytes
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a"))) as server:
        wire = await server.connect()
        head, body = await wire.ask(start + START.rstrip())
        assert head.startswith(b"HTTP/1.1 400"), head
        assert json.loads(body)["code"] == "bad_request"


@pytest.mark.asyncio
async def test_a_probe_of_http_1_0_needs_no_host(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a"))) as server:
        for line in (b"GET /a HTTP/1.0", b"GET /a HTTP/1.0\r\nHost:", b"GET /a HTTP/1.1\r\nHost:"):
            wire = await server.connect()
            head, _ = await wire.ask(line)
            assert head.startswith(b"HTTP/1.1 200"), (line, head)
        wire = await server.connect()
        assert (await wire.ask(b"GET http://elsewhere/a HTTP/1.0"))[0].startswith(b"HTTP/1.1 200")
        wire = await server.connect()
        assert (await wire.ask(b"GET http://elsewhere/a HTTP/1.1"))[0].startswith(b"HTTP/1.1 400")
