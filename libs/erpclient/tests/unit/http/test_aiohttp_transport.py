"""The transport on real sockets: what leaves, what comes back, and what goes wrong between."""

import asyncio
import contextlib
import errno
import gzip
import os
import socket
import ssl
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
import uvloop
from aiohttp.client_reqrep import ConnectionKey
from aioresponses import aioresponses
from scripted_erp import DROP, RESET, Answer, Call, ScriptedErp
from tls_files import server_context, write_certificate

from erpclient import (
    ErpError,
    ErpReplyUnreadable,
    ErpTimeout,
    ErpUnreachable,
    HttpReply,
    HttpRequest,
    Outcome,
    Phase,
)
from erpclient.http.aiohttp_transport import AiohttpTransport
from erpclient.http.tls import create_tls_context

LIMIT = 256 * 1024


@contextlib.asynccontextmanager
async def open_transport(
    *, tls: ssl.SSLContext | None = None, connect_timeout_s: float = 5.0, max_reply_bytes: int = LIMIT
) -> AsyncIterator[AiohttpTransport]:
    transport = AiohttpTransport(
        tls=tls, connect_timeout_s=connect_timeout_s, max_reply_bytes=max_reply_bytes
    )
    await transport.open()
    try:
        yield transport
    finally:
        await transport.aclose()


@pytest_asyncio.fixture
async def transport() -> AsyncIterator[AiohttpTransport]:
    async with open_transport() as opened:
        yield opened


def request(
    erp: ScriptedErp,
    target: str = "/ping/",
    *,
    method: str = "GET",
    body: bytes | None = None,
    fresh: bool = False,
    timeout_s: float = 5.0,
) -> HttpRequest:
    """A request to ``/ping/``, which the server answers without a session, unless told otherwise."""
    url = f"{erp.url.removesuffix('/b1s/v1')}{target}"
    return HttpRequest(method, url, {"Accept-Encoding": "gzip"}, body, timeout_s=timeout_s, fresh=fresh)


@pytest.fixture
def free_port() -> Iterator[int]:
    """A port on which nobody listens."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield held.getsockname()[1]


@pytest.mark.asyncio
async def test_a_closed_transport_does_not_send() -> None:
    transport = AiohttpTransport()
    with pytest.raises(RuntimeError, match="not open"):
        await transport.send(HttpRequest("GET", "http://127.0.0.1/", {}))
    await transport.aclose()


@pytest.mark.asyncio
async def test_status_headers_and_body_are_returned(erp: ScriptedErp, transport: AiohttpTransport) -> None:
    cookies = [("Set-Cookie", "B1SESSION=a;HttpOnly;"), ("Set-Cookie", "ROUTEID=.node1; path=/b1s")]
    erp.script(
        Answer(201, b'{"a" : 1.10}\n', [*cookies, ("ETag", 'W/"A"')], "application/json;charset=utf-8")
    )
    assert await transport.send(request(erp)) == HttpReply(
        201,
        "application/json;charset=utf-8",
        'W/"A"',
        ("B1SESSION=a;HttpOnly;", "ROUTEID=.node1; path=/b1s"),
        b'{"a" : 1.10}\n',
    )


@pytest.mark.parametrize(
    "target",
    [
        "/b1s/v1/Items('A%2F1')?$filter=ItemName%20eq%20%27x%27%27y%27&$top=5",
        "/b1s/v1/Items('%25%23%3F%2B%C3%B1%2527')",
        "/b1s/v1/Items('a%2Fb')/../Login",
        "/b1s/v1/Items(Code='AK',Type=-3)?$select=A,B&$orderby=A%20desc",
        "/b1s/v1//Items('%2e%2e')?",
    ],
)
@pytest.mark.asyncio
async def test_the_target_is_sent_unchanged(
    erp: ScriptedErp, transport: AiohttpTransport, target: str
) -> None:
    await transport.send(request(erp, target))
    assert erp.calls[0].target == target.removesuffix("?")


@pytest.mark.parametrize(
    ("method", "body"), [("GET", None), ("POST", None), ("POST", b'{"a":1.10}'), ("PATCH", b"{}")]
)
@pytest.mark.asyncio
async def test_the_transport_adds_no_header_the_service_layer_rejects(
    erp: ScriptedErp, transport: AiohttpTransport, method: str, body: bytes | None
) -> None:
    await transport.send(request(erp, method=method, body=body))
    headers = erp.calls[0].headers
    assert not {"expect", "cookie", "content-type", "transfer-encoding"} & set(headers)
    assert headers["accept-encoding"] == "gzip"
    assert headers.get("content-length", "0") == str(len(body or b""))
    assert erp.calls[0].body == (body or b"")


@pytest.mark.asyncio
async def test_response_cookies_are_not_sent_automatically(
    erp: ScriptedErp, transport: AiohttpTransport
) -> None:
    erp.script(Answer(200, b"{}", [("Set-Cookie", "B1SESSION=a; path=/")]))
    for _ in range(2):
        await transport.send(request(erp))
    assert "cookie" not in erp.calls[1].headers


@pytest.mark.asyncio
async def test_cookies_set_by_hand_reach_a_host_that_is_an_ip_address(
    erp: ScriptedErp, transport: AiohttpTransport
) -> None:
    sent = request(erp)
    sent.headers["Cookie"] = "B1SESSION=a; ROUTEID=.node1"
    await transport.send(sent)
    assert erp.calls[0].cookies == {"B1SESSION": "a", "ROUTEID": ".node1"}


@pytest.mark.asyncio
async def test_reads_share_a_connection_and_fresh_requests_each_have_their_own(
    erp: ScriptedErp, transport: AiohttpTransport
) -> None:
    for fresh in (False, False, True, True, False):
        await transport.send(request(erp, fresh=fresh))
    kept = [call.connection for call in erp.calls]
    assert kept[0] == kept[1] == kept[4]
    assert len(set(kept)) == 3


@pytest.mark.asyncio
async def test_a_redirect_is_not_followed(erp: ScriptedErp, transport: AiohttpTransport) -> None:
    erp.script(Answer(302, b"", [("Location", "/elsewhere")]))
    assert (await transport.send(request(erp))).status == 302
    assert len(erp.calls) == 1


@pytest.mark.parametrize("answer", [DROP, RESET], ids=["drop", "reset"])
@pytest.mark.parametrize("method", ["GET", "POST", "PATCH"])
@pytest.mark.asyncio
async def test_a_lost_connection_is_reported_without_a_silent_retry(
    erp: ScriptedErp, transport: AiohttpTransport, method: str, answer: Answer
) -> None:
    await transport.send(request(erp))
    erp.script(answer)
    with pytest.raises(ErpUnreachable) as caught:
        await transport.send(request(erp, method=method, body=None if method == "GET" else b"{}"))
    assert (caught.value.network_code, caught.value.phase) == ("ECONNRESET", Phase.ANSWER)
    assert caught.value.outcome is Outcome.UNKNOWN
    assert len(erp.calls) == 2


@pytest.mark.asyncio
async def test_a_write_uses_no_connection_that_the_server_closes(
    erp: ScriptedErp, transport: AiohttpTransport
) -> None:
    """The server hangs up on a connection's second request, as one does whose keep-alive just ended."""
    observed: set[int] = set()

    async def handler(call: Call) -> Answer:
        if call.connection in observed:
            return DROP
        observed.add(call.connection)
        return Answer(200, b"{}")

    erp.handler = handler
    await transport.send(request(erp))
    for _ in range(5):
        assert (await transport.send(request(erp, method="POST", body=b"{}", fresh=True))).status == 200
    with pytest.raises(ErpUnreachable):
        await transport.send(request(erp))


@pytest.mark.asyncio
async def test_a_refused_connection_leaves_the_call_not_done(
    transport: AiohttpTransport, free_port: int
) -> None:
    url = f"http://127.0.0.1:{free_port}/b1s/v1"
    for attempt in (
        transport.send(HttpRequest("POST", url, {}, b"{}", fresh=True)),
        transport.probe(url, 5.0),
    ):
        with pytest.raises(ErpUnreachable) as caught:
            await attempt
        assert (caught.value.network_code, caught.value.phase) == ("ECONNREFUSED", Phase.CONNECT)
        assert caught.value.outcome is Outcome.NOT_DONE


@pytest.mark.asyncio
async def test_a_refused_name_with_several_addresses_is_reported(
    transport: AiohttpTransport, free_port: int
) -> None:
    url = f"http://localhost:{free_port}/b1s/v1"
    for attempt in (transport.send(HttpRequest("GET", url, {})), transport.probe(url, 5.0)):
        with pytest.raises(ErpUnreachable) as caught:
            await attempt
        assert caught.value.network_code == "ECONNREFUSED"


@pytest.mark.asyncio
async def test_an_unknown_host_name_is_reported(transport: AiohttpTransport) -> None:
    url = "http://no-such-host.invalid:50000/b1s/v1"
    for attempt in (transport.send(HttpRequest("GET", url, {})), transport.probe(url, 5.0)):
        with pytest.raises(ErpUnreachable) as caught:
            await attempt
        assert (caught.value.network_code, caught.value.phase) == ("ENOTFOUND", Phase.CONNECT)


@contextlib.contextmanager
def deaf_port(host: str = "127.0.0.1", port: int = 0) -> Iterator[int]:
    """A port whose queue of connections is full, so that one more attempt hangs."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind((host, port))
        listener.listen(0)
        address = listener.getsockname()
        for _ in range(4):
            filler = stack.enter_context(socket.socket())
            filler.setblocking(False)
            filler.connect_ex(address)
        yield address[1]


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.asyncio
async def test_a_connect_timeout_differs_from_a_reply_timeout(fresh: bool) -> None:
    with deaf_port() as port:
        url = f"http://127.0.0.1:{port}/b1s/v1"
        async with open_transport(connect_timeout_s=60.0) as transport:
            started = time.monotonic()
            with pytest.raises(ErpTimeout) as caught:
                await transport.send(HttpRequest("POST", url, {}, b"{}", timeout_s=0.4, fresh=fresh))
            assert time.monotonic() - started < 20
            assert (caught.value.phase, caught.value.outcome) == (Phase.CONNECT, Outcome.NOT_DONE)
            with pytest.raises(ErpTimeout) as caught:
                await transport.probe(url, 0.1)
            assert caught.value.phase is Phase.CONNECT


async def reach_the_second_address() -> int:
    """Send to a name whose first address is silent, then probe it; return the status that came."""
    async with ScriptedErp() as erp:
        port = urlsplit(erp.url).port
        assert port is not None

        async def two_addresses(host: str, *_: Any, **__: Any) -> list[Any]:
            hosts = ("127.0.0.2", "127.0.0.1") if host == "two.example" else (host,)
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in hosts]

        erp.script(Answer(200, b"{}"))
        with deaf_port("127.0.0.2", port):
            asyncio.get_running_loop().getaddrinfo = two_addresses  # type: ignore[assignment, method-assign]  # DNS
            async with open_transport() as transport:
                url = f"http://two.example:{port}/ping/"
                reply = await transport.send(HttpRequest("GET", url, {}, timeout_s=20.0))
                await transport.probe(url, 3.0)
        return reply.status


@pytest.mark.parametrize("loop_factory", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_silent_address_does_not_stop_requests_or_probes_to_the_next(
    loop_factory: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """A gateway whose probes hung where its requests do not would never come back."""
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        assert runner.run(reach_the_second_address()) == 200


async def no_answer(call: Call) -> Answer:
    await asyncio.sleep(30)
    raise AssertionError


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.asyncio
async def test_a_missing_response_leaves_the_outcome_unknown(
    erp: ScriptedErp, transport: AiohttpTransport, fresh: bool
) -> None:
    erp.handler = no_answer
    with pytest.raises(ErpTimeout) as caught:
        await transport.send(request(erp, method="POST", body=b"{}", fresh=fresh, timeout_s=2.0))
    assert (caught.value.phase, caught.value.outcome) == (Phase.ANSWER, Outcome.UNKNOWN)


@pytest.mark.asyncio
async def test_a_body_that_stops_in_the_middle_runs_out_of_time(
    erp: ScriptedErp, transport: AiohttpTransport
) -> None:
    erp.script(Answer(raw=b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"))
    with pytest.raises(ErpTimeout) as caught:
        await transport.send(request(erp, timeout_s=2.0))
    assert caught.value.phase is Phase.ANSWER


@pytest.mark.parametrize(
    "raw",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nzzzz",
    ],
    ids=["length", "chunked", "no gzip"],
)
@pytest.mark.asyncio
async def test_a_truncated_body_keeps_its_status_and_reports_the_truncation(
    erp: ScriptedErp, transport: AiohttpTransport, raw: bytes
) -> None:
    erp.script(Answer(raw=raw, close=True))
    reply = await transport.send(request(erp))
    assert (reply.status, reply.body, reply.fault) == (200, b"", "truncated")
    erp.script(Answer(200, b"{}"))
    assert (await transport.send(request(erp))).body == b"{}"


@pytest.mark.parametrize(
    "raw",
    [
        b"220 smtp.example ESMTP\r\n",
        b"HTTP/9.9 hello\r\n\r\n",
        b"\x16\x03\x01\x00\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nq\r\n",
    ],
)
@pytest.mark.asyncio
async def test_a_reply_that_is_not_http_is_unreadable(
    erp: ScriptedErp, transport: AiohttpTransport, raw: bytes
) -> None:
    erp.script(Answer(raw=raw, close=True))
    with pytest.raises(ErpReplyUnreadable):
        await transport.send(request(erp))


@pytest.mark.parametrize("size", [LIMIT, LIMIT + 1])
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.asyncio
async def test_bodies_are_read_up_to_the_limit_counted_unpacked(
    erp: ScriptedErp, transport: AiohttpTransport, size: int, packed: bool
) -> None:
    body = b"x" * size
    headers = [("Content-Encoding", "gzip")] if packed else []
    erp.script(Answer(200, gzip.compress(body) if packed else body, headers))
    reply = await transport.send(request(erp))
    if size <= LIMIT:
        assert (reply.body, reply.fault) == (body, None)
    else:
        assert (reply.body, reply.fault) == (b"", "too large")
    erp.script(Answer(200, b"{}"))
    assert (await transport.send(request(erp))).body == b"{}"


@pytest.mark.parametrize("kind", ["gzip bomb", "endless"])
@pytest.mark.asyncio
async def test_a_body_far_over_the_limit_uses_little_memory(
    erp: ScriptedErp, transport: AiohttpTransport, kind: str
) -> None:
    if kind == "gzip bomb":
        bomb = gzip.compress(bytes(200 * 1024 * 1024), 9)
        answer = Answer(200, bomb, [("Content-Encoding", "gzip")])
    else:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        answer = Answer(raw=head + (b"10000\r\n" + b"x" * 65536 + b"\r\n") * 64, close=True)
    erp.script(answer)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        reply = await transport.send(request(erp))
        peak = tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()
    assert reply.fault == "too large"
    assert peak < 24 * LIMIT
    erp.script(Answer(200, b"{}"))
    assert (await transport.send(request(erp))).body == b"{}"
    assert erp.calls[1].connection != erp.calls[0].connection


@pytest.mark.asyncio
async def test_a_dripping_peer_is_bounded_by_the_total_timeout(
    erp: ScriptedErp, transport: AiohttpTransport
) -> None:
    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.02)
        writer.transport.abort()

    async with await asyncio.start_server(drip, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        started = time.monotonic()
        with pytest.raises(ErpTimeout):
            await transport.send(HttpRequest("GET", f"http://127.0.0.1:{port}/", {}, timeout_s=0.3))
        assert time.monotonic() - started < 20


async def exchange(erp: ScriptedErp, tls: ssl.SSLContext) -> None:
    async with open_transport(tls=tls) as transport:
        await transport.probe(erp.url, 5.0)
        assert (await transport.send(request(erp))).status == 200


async def failure(erp: ScriptedErp, tls: ssl.SSLContext) -> list[tuple[str, Phase]]:
    """Return the failures of a request and a probe."""
    found = []
    async with open_transport(tls=tls) as transport:
        for attempt in (transport.send(request(erp)), transport.probe(erp.url, 5.0)):
            with pytest.raises(ErpUnreachable) as caught:
                await attempt
            found.append((caught.value.network_code, caught.value.phase))
    return found


@pytest.mark.asyncio
async def test_a_certificate_of_the_extra_file_is_trusted(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path)
    async with ScriptedErp(tls=server_context(certificate)) as erp:
        await exchange(erp, create_tls_context(ca_file=certificate))


@pytest.mark.parametrize("trouble", ["unknown", "other host", "expired", "not yet"])
@pytest.mark.asyncio
async def test_a_certificate_that_does_not_prove_the_host_is_refused(tmp_path: Path, trouble: str) -> None:
    certificate = write_certificate(
        tmp_path,
        address="127.0.0.2" if trouble == "other host" else "127.0.0.1",
        days={"expired": (-9, -1), "not yet": (1, 9)}.get(trouble, (-1, 1)),
    )
    trusted = write_certificate(tmp_path, name="trusted") if trouble == "unknown" else certificate
    async with ScriptedErp(tls=server_context(certificate)) as erp:
        tls = create_tls_context(ca_file=trusted)
        assert await failure(erp, tls) == [("CERT", Phase.CONNECT)] * 2
        assert erp.calls == []


@pytest.mark.asyncio
async def test_without_verification_any_certificate_will_do(tmp_path: Path) -> None:
    certificate = write_certificate(tmp_path, address="127.0.0.2", days=(-9, -1))
    async with ScriptedErp(tls=server_context(certificate)) as erp:
        await exchange(erp, create_tls_context(verify=False))


@pytest.mark.asyncio
async def test_a_server_without_tls_is_reported() -> None:
    async def speak_plainly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(speak_plainly, "127.0.0.1", 0) as server:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with open_transport(tls=create_tls_context()) as transport:
            for attempt in (transport.send(HttpRequest("GET", url, {})), transport.probe(url, 5.0)):
                with pytest.raises(ErpUnreachable) as caught:
                    await attempt
                assert (caught.value.network_code, caught.value.phase) == ("CERT", Phase.CONNECT)


@pytest.mark.asyncio
async def test_a_probe_without_its_own_tls_rules_checks_certificates(tmp_path: Path) -> None:
    async with (
        ScriptedErp(tls=server_context(write_certificate(tmp_path))) as erp,
        open_transport() as transport,
    ):
        with pytest.raises(ErpUnreachable) as caught:
            await transport.probe(erp.url, 5.0)
        assert caught.value.network_code == "CERT"


KEY = ConnectionKey(
    "10.0.0.1", 50000, is_ssl=True, ssl=True, proxy=None, proxy_auth=None, proxy_headers_hash=None
)


def connector_error(number: int) -> aiohttp.ClientConnectorError:
    return aiohttp.ClientConnectorError(KEY, OSError(number, os.strerror(number)))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (connector_error(errno.EHOSTUNREACH), ErpUnreachable("EHOSTUNREACH", Phase.CONNECT)),
        (connector_error(errno.ENETUNREACH), ErpUnreachable("ENETUNREACH", Phase.CONNECT)),
        (connector_error(errno.ETIMEDOUT), ErpUnreachable("ETIMEDOUT", Phase.CONNECT)),
        (connector_error(errno.EMFILE), ErpUnreachable("ECONNRESET", Phase.CONNECT)),
        (aiohttp.SocketTimeoutError(), ErpTimeout(Phase.ANSWER)),
        (aiohttp.ServerTimeoutError(), ErpTimeout(Phase.ANSWER)),
        (aiohttp.ClientConnectionResetError("Cannot write"), ErpUnreachable("ECONNRESET", Phase.ANSWER)),
        (aiohttp.ClientConnectionError("Failed to send"), ErpUnreachable("ECONNRESET", Phase.ANSWER)),
        (aiohttp.ClientPayloadError(), ErpReplyUnreadable("not HTTP")),
        (aiohttp.InvalidURL("x"), ErpReplyUnreadable("not HTTP")),
    ],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.asyncio
async def test_errors_of_aiohttp_that_no_socket_provokes_have_their_meaning(
    transport: AiohttpTransport, error: Exception, expected: ErpError
) -> None:
    url = "https://10.0.0.1:50000/b1s/v1/Items"
    with aioresponses() as network:
        network.get(url, exception=error)
        with pytest.raises(type(expected)) as caught:
            await transport.send(HttpRequest("GET", url, {}))
    assert vars(caught.value) == vars(expected)
    assert caught.value.args == expected.args
    assert caught.value.__cause__ is error
