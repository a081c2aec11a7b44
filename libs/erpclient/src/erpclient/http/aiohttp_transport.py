"""The transport over aiohttp."""

import asyncio
import socket
import ssl
from typing import Final

import aiohappyeyeballs
import aiohttp
import yarl

from erpclient.errors import TOO_LARGE, ErpTimeout, ErpUnreachable, Phase
from erpclient.http.messages import HttpReply, HttpRequest, Sink, StreamedBody
from erpclient.http.network_errors import (
    TRANSLATED,
    ConnectionLostError,
    find_network_code,
    translate,
)
from erpclient.http.tls import create_tls_context
from erpclient.settings import ErpSettings

KEEP_ALIVE_S: Final = 4.0
"""Lifetime of an idle connection: less than the 5 s after which Apache closes it by default."""

NEXT_ADDRESS_S: Final = 0.25
"""Delay before the next address of a name is tried in parallel (RFC 8305)."""

# Keeps aiohttp from adding a content type to a POST without one. Not passed for a GET, which never gets one:
# it would cost 3 % of the call.
_NO_TYPE_OF_ITS_OWN: Final = ("Content-Type",)


class AiohttpTransport:
    """A transport over aiohttp, open between :meth:`open` and :meth:`aclose`.

    It stores no cookies, follows no redirects, uses no proxy and never sends twice. Reads share connections.
    A write gets a new one: a server may close a kept-alive connection at any moment, and then it is unknown
    whether it has read the write.

    Args:
        tls: TLS context for ``https`` addresses; by default that of :func:`create_tls_context`.
        connect_timeout_s: longest time for a connection, at most half of a request's whole time.
        max_reply_bytes: largest body that is read, counted unpacked.
        create_socket: creates the socket of one connection attempt to a resolved address; may raise
            :class:`AddressRefusedError`, which :meth:`send` then raises.
    """

    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        connect_timeout_s: float = 10.0,
        max_reply_bytes: int = 32 * 1024 * 1024,
        create_socket: aiohttp.SocketFactoryType | None = None,
    ) -> None:
        self._tls = tls or create_tls_context()
        self._connect_timeout_s = connect_timeout_s
        self._max_reply_bytes = max_reply_bytes
        self._create_socket = create_socket
        self._keep_alive_session: aiohttp.ClientSession | None = None
        self._single: aiohttp.ClientSession | None = None
        self._timeouts: dict[float, aiohttp.ClientTimeout] = {}

    async def open(self) -> None:
        """Prepare the transport without connecting."""
        self._keep_alive_session = self._open_session(keep=True)
        self._single = self._open_session(keep=False)

    def _open_session(self, *, keep: bool) -> aiohttp.ClientSession:
        connector = aiohttp.TCPConnector(
            limit=0,  # the queue counts
            ssl=self._tls,
            force_close=not keep,
            keepalive_timeout=KEEP_ALIVE_S if keep else None,
            happy_eyeballs_delay=NEXT_ADDRESS_S,
            socket_factory=self._create_socket,
        )
        return aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            middlewares=(_send_once,),
            trust_env=False,
        )

    async def send(self, request: HttpRequest) -> HttpReply:
        """As :meth:`Transport.send`."""
        session = self._single if request.fresh else self._keep_alive_session
        if session is None:
            raise RuntimeError("the transport is not open")
        headers, body = request.headers, request.body
        if isinstance(body, StreamedBody):
            headers = {**headers, "Content-Length": str(body.size)}
        try:
            async with session.request(
                request.method,
                yarl.URL(request.url, encoded=True),
                headers=headers,
                data=body.chunks() if isinstance(body, StreamedBody) else body,
                allow_redirects=False,
                skip_auto_headers=None if request.method == "GET" else _NO_TYPE_OF_ITS_OWN,
                timeout=self._timeout(request.timeout_s),
            ) as response:
                content, fault = await self._read_body(response, request.sink if response.ok else None)
                response_headers = response.headers
                return HttpReply(
                    response.status,
                    response_headers.get("Content-Type", ""),
                    response_headers.get("ETag"),
                    tuple(response_headers.getall("Set-Cookie", ())),
                    content,
                    fault,
                    response_headers,
                )
        except TRANSLATED as error:
            raise translate(error) from error

    async def probe(self, url: str, timeout_s: float) -> None:
        """As :meth:`Transport.probe`."""
        address = yarl.URL(url, encoded=True)
        tls = address.scheme == "https"
        try:
            async with asyncio.timeout(timeout_s):
                addresses = await asyncio.get_running_loop().getaddrinfo(
                    address.host, address.port, type=socket.SOCK_STREAM
                )
                # As for requests, try the next address after a delay if one does not respond. uvloop's
                # `create_connection` does not support this.
                wire = await aiohappyeyeballs.start_connection(addresses, happy_eyeballs_delay=NEXT_ADDRESS_S)
                _, writer = await asyncio.open_connection(
                    sock=wire, ssl=self._tls if tls else None, server_hostname=address.host if tls else None
                )
        except TimeoutError as error:
            raise ErpTimeout(Phase.CONNECT) from error
        except OSError as error:
            raise ErpUnreachable(find_network_code(error), Phase.CONNECT) from error
        writer.transport.abort()

    async def aclose(self) -> None:
        """As :meth:`Transport.aclose`."""
        for session in (self._keep_alive_session, self._single):
            if session is not None:
                await session.close()

    async def _read_body(
        self, response: aiohttp.ClientResponse, sink: Sink | None
    ) -> tuple[bytes, str | None]:
        chunks: list[bytes] = []
        size = 0
        try:
            while chunk := await response.content.readany():
                if sink is not None:
                    sink(chunk)
                    continue
                size += len(chunk)
                if size > self._max_reply_bytes:
                    response.close()
                    return b"", TOO_LARGE
                chunks.append(chunk)
        except aiohttp.ClientPayloadError:
            return b"", "truncated"
        return b"".join(chunks), None

    def _timeout(self, timeout_s: float) -> aiohttp.ClientTimeout:
        timeout = self._timeouts.get(timeout_s)
        if timeout is None:
            # Connecting gets at most half of the time, so that its timeout differs from that of the request.
            connect_s = min(self._connect_timeout_s, timeout_s / 2)
            timeout = aiohttp.ClientTimeout(total=timeout_s, connect=connect_s, ceil_threshold=float("inf"))
            self._timeouts[timeout_s] = timeout
        return timeout


async def _send_once(
    request: aiohttp.ClientRequest, send: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """Stop aiohttp from silently sending a GET again when its connection ends: callers must learn of it."""
    try:
        return await send(request)
    except (aiohttp.ClientConnectorError, TimeoutError):
        raise
    except aiohttp.ClientConnectionError as error:
        raise ConnectionLostError from error


def create_transport(settings: ErpSettings) -> AiohttpTransport:
    """Create the transport for the settings, not yet open.

    Raises:
        OSError: the settings' ``ca_file`` can't be read, or is not a PEM file.
    """
    tls = None
    if settings.url.startswith("https:"):
        tls = create_tls_context(ca_file=settings.ca_file, verify=settings.verify_tls)
    return AiohttpTransport(
        tls=tls, connect_timeout_s=settings.connect_timeout_s, max_reply_bytes=settings.max_reply_bytes
    )
