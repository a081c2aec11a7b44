"""HTTP/1.1 and nothing else: what asks for another protocol is answered in this one, or refused."""

import asyncio
import json
import ssl
import time
from typing import Any

import h2.config
import h2.connection
import pytest

from servicekit.server import ServerSettings, serving_beside

UPGRADES = {
    "websocket": b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "h2c": b"Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
    "h2c with broken settings": b"Upgrade: h2c\r\nHTTP2-Settings: AAA",
    "something else": b"Upgrade: TLS/1.3, chat/2\r\nConnection: keep-alive, upgrade",
}


def http2_opening(streams: int = 1) -> bytes:
    """The preface, the settings and some requests, as a client with prior knowledge sends them."""
    client = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
    client.initiate_connection()
    for _ in range(streams):
        client.send_headers(
            client.get_next_available_stream_id(),
            [(":method", "GET"), (":scheme", "http"), (":authority", "x"), (":path", "/a")],
            end_stream=True,
        )
    return client.data_to_send()


def check_refusal(answer: bytes) -> None:
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.lower().splitlines()
    assert lines[0] == b"http/1.1 505 "
    assert b"connection: close" in lines
    assert b"content-type: application/problem+json" in lines
    problem = json.loads(body)
    assert (problem["code"], problem["status"]) == ("http_version_unsupported", 505)


@pytest.mark.asyncio
@pytest.mark.parametrize("upgrade", UPGRADES.values(), ids=UPGRADES)
@pytest.mark.parametrize("method", [b"GET", b"POST"])
async def test_an_upgrade_is_answered_as_an_ordinary_request(
    start_server: Any, make_endpoint: Any, make_app: Any, upgrade: bytes, method: bytes
) -> None:
    app = make_app(make_endpoint("GET", "/a"), make_endpoint("POST", "/a"))
    async with start_server(app) as server:
        wire = await server.connect()
        for _ in range(2):
            head, body = await wire.ask(method + b" /a HTTP/1.1\r\nHost: x\r\n" + upgrade)
            assert head.startswith(b"HTTP/1.1 200")
            assert b"upgrade" not in head.lower()
            assert json.loads(body) == {"fine": True}


@pytest.mark.asyncio
async def test_bytes_after_an_ignored_upgrade_are_the_next_request(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a"))) as server:
        wire = await server.connect()
        first = b"GET /a HTTP/1.1\r\nHost: x\r\n" + UPGRADES["websocket"] + b"\r\n\r\n"
        await wire.send(first + b"GET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        assert (await wire.answer())[0].startswith(b"HTTP/1.1 200")
        assert (await wire.answer())[0].startswith(b"HTTP/1.1 404")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "opening",
    [
        http2_opening(),
        b"PRI * HTTP/2.0\r\n\r\n",
        b"GET /a HTTP/2.0\r\nHost: x\r\n\r\n",
        b"GET /a HTTP/3.0\r\n\r\n",
    ],
    ids=["HTTP/2 frames", "the preface alone", "HTTP/2.0 in words", "HTTP/3.0 in words"],
)
async def test_any_other_http_version_gets_505_and_is_disconnected(
    start_server: Any, make_endpoint: Any, make_app: Any, log_lines: Any, opening: bytes
) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a"))) as server:
        wire = await server.connect()
        await wire.send(opening)
        check_refusal(await wire.rest())
    (line,) = [line for line in log_lines if line["event"] == "request_refused"]
    assert (line["status"], line["code"], line["peer"]) == (505, "http_version_unsupported", "127.0.0.1")


@pytest.mark.asyncio
async def test_a_refused_head_has_no_body(start_server: Any, make_app: Any) -> None:
    async with start_server(make_app()) as server:
        wire = await server.connect()
        await wire.send(b"HEAD /a HTTP/2.0\r\nHost: x\r\n\r\n")
        answer = await wire.rest()
    assert answer.startswith(b"HTTP/1.1 505")
    assert answer.endswith(b"\r\n\r\n")


@pytest.mark.asyncio
async def test_http_1_0_is_still_answered(start_server: Any, make_endpoint: Any, make_app: Any) -> None:
    async with start_server(make_app(make_endpoint("GET", "/a"))) as server:
        wire = await server.connect()
        await wire.send(b"GET /a HTTP/1.0\r\n\r\n")
        answer = await wire.rest()
    assert answer.startswith(b"HTTP/1.1 200")
    assert answer.endswith(b'{"fine":true}')


@pytest.mark.asyncio
@pytest.mark.parametrize("server_offers", [None, ["h2", "http/1.1"]], ids=["nothing", "h2"])
async def test_over_tls_only_http_1_1_is_offered(
    start_server: Any, make_endpoint: Any, make_app: Any, contexts: Any, server_offers: list[str] | None
) -> None:
    own, trusting = contexts
    if server_offers is not None:
        own.set_alpn_protocols(server_offers)
    chosen = {}
    async with start_server(make_app(make_endpoint("GET", "/a")), tls=own) as server:
        for offered in (["h2", "http/1.1"], ["http/1.1"], ["h2"]):
            trusting.set_alpn_protocols(offered)
            wire = await server.connect(trusting)
            chosen[tuple(offered)] = negotiated(wire.writer)
            if offered == ["h2"]:
                await wire.send(http2_opening())
                check_refusal(await wire.rest())
            else:
                assert (await wire.ask(b"GET /a HTTP/1.1\r\nHost: x"))[0].startswith(b"HTTP/1.1 200")
    assert chosen == {("h2", "http/1.1"): "http/1.1", ("http/1.1",): "http/1.1", ("h2",): None}


def negotiated(writer: asyncio.StreamWriter) -> str | None:
    secured: ssl.SSLObject = writer.get_extra_info("ssl_object")
    return secured.selected_alpn_protocol()


@pytest.mark.asyncio
async def test_a_second_listener_speaks_http_1_1_only_as_well(make_endpoint: Any, make_app: Any) -> None:
    async with serving_beside(make_app(make_endpoint("GET", "/a")), ServerSettings(port=0)) as port:
        upgrade = b"GET /a HTTP/1.1\r\nHost: x\r\n" + UPGRADES["h2c"].replace(b"Upgrade, ", b"close, ")
        for sent, begins in (
            (http2_opening(), b"HTTP/1.1 505"),
            (upgrade + b"\r\n\r\n", b"HTTP/1.1 200"),
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            answer = await asyncio.wait_for(reader.read(), 60)
            assert answer.startswith(begins)
            assert b" 101 " not in answer
            writer.close()


@pytest.mark.asyncio
async def test_many_http_2_clients_leave_no_task(
    start_server: Any, make_endpoint: Any, make_app: Any
) -> None:
    begun = asyncio.Event()

    async def hang(_request: object) -> Any:
        begun.set()
        await asyncio.sleep(600)

    async with start_server(make_app(make_endpoint("GET", "/a", hang)), shutdown_grace_s=60) as server:
        for _ in range(20):
            wire = await server.connect()
            await wire.send(http2_opening(streams=100))
        for wire in server.wires:
            wire.writer.transport.abort()
        began = time.monotonic()
        await server.ended(within_s=30)
        assert time.monotonic() - began < 30
        assert not begun.is_set()
        names = [str(task.get_coro()) for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        assert [name for name in names if "_accept" in name or "hang" in name] == []
