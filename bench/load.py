"""Load generator: a few keep-alive connections, each with one request in flight, on raw asyncio protocols.

A request costs about 20 microseconds here, so the server under test is measured and not the generator.
"""

import asyncio
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import cast

from typing_extensions import override

_LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
_CHUNKED = re.compile(rb"\r\ntransfer-encoding:\s*chunked", re.IGNORECASE)


class BadAnswerError(RuntimeError):
    """The server answered neither 200 nor 201, or closed the connection."""


@dataclass(frozen=True)
class LoadResult:
    """Result of one burst of load: total seconds, and seconds of each response."""

    elapsed_s: float
    latencies_s: tuple[float, ...]

    @property
    def per_second(self) -> float:
        """Answers a second."""
        return len(self.latencies_s) / self.elapsed_s

    def quantile_ms(self, share: float) -> float:
        """Latency in milliseconds that `share` (0 to 1) of the answers did not exceed."""
        ordered = sorted(self.latencies_s)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000


class LoadConnection(asyncio.Protocol):
    """One connection: sends the next request as soon as the last response is complete."""

    def __init__(
        self, requests: Iterator[bytes], done: asyncio.Future[None], latencies_s: list[float]
    ) -> None:
        self._requests = requests
        self._done = done
        self._latencies_s = latencies_s
        self._received = bytearray()
        self._needed: int | None = None
        self._sent_at = 0.0
        self._transport: asyncio.Transport | None = None

    @override
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport; `start` sends the first request."""
        # cast: uvloop's transports are not asyncio's classes
        self._transport = cast("asyncio.Transport", transport)

    def start(self) -> None:
        """Send the first request."""
        self._send_next()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        """Fail if responses are missing."""
        if not self._done.done():
            self._done.set_exception(BadAnswerError(f"connection closed: {exc}"))

    @override
    def data_received(self, data: bytes) -> None:
        """Collect one response."""
        received = self._received
        received += data
        if self._needed is None and not self._read_head():
            return
        assert self._needed is not None
        complete = received.endswith(b"\r\n0\r\n\r\n") if self._needed < 0 else len(received) >= self._needed
        if complete:
            self._latencies_s.append(time.perf_counter() - self._sent_at)
            received.clear()
            self._needed = None
            self._send_next()

    def _read_head(self) -> bool:
        received = self._received
        end = received.find(b"\r\n\r\n")
        if end < 0:
            return False
        if not received.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201")):
            self._fail(bytes(received[:600]).decode(errors="replace"))
            return False
        length = _LENGTH.search(received, 0, end + 2)
        if length is not None:
            self._needed = end + 4 + int(length.group(1))
        elif _CHUNKED.search(received, 0, end + 2):
            self._needed = -1
        else:
            self._fail("an answer without a length")
            return False
        return True

    def _fail(self, reason: str) -> None:
        if not self._done.done():
            self._done.set_exception(BadAnswerError(reason))
        assert self._transport is not None
        self._transport.abort()

    def _send_next(self) -> None:
        assert self._transport is not None
        request = next(self._requests, None)
        if request is None:
            if not self._done.done():
                self._done.set_result(None)
            self._transport.close()
            return
        self._sent_at = time.perf_counter()
        self._transport.write(request)


async def send(port: int, requests: Iterator[bytes], *, connections: int) -> LoadResult:
    """Send all requests over so many connections and return the times.

    Raises:
        BadAnswerError: an answer was neither 200 nor 201, or a connection was closed early.
    """
    loop = asyncio.get_running_loop()
    latencies_s: list[float] = []
    finished = [loop.create_future() for _ in range(connections)]
    opened = []
    for done in finished:
        make = partial(LoadConnection, requests, done, latencies_s)
        _, connection = await loop.create_connection(make, "127.0.0.1", port)
        opened.append(connection)
    started = time.perf_counter()
    for connection in opened:
        connection.start()
    await asyncio.gather(*finished)
    return LoadResult(time.perf_counter() - started, tuple(latencies_s))


def post_request(path: str, body: bytes, *, token: str | None = None) -> bytes:
    """Return a POST of JSON as bytes."""
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n{authorization}"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def get_request(path: str, *, token: str | None = None) -> bytes:
    """Return a GET as bytes; the path is already percent-encoded."""
    authorization = f"Authorization: Bearer {token}\r\n" if token else ""
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: application/json\r\n{authorization}\r\n".encode()
    )
