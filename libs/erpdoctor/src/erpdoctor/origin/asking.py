"""Asks an origin over HTTP/1.1 as a browser would, byte for byte: nothing may tidy up a path on its way."""

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import h11
import msgspec
from attrs import define, evolve, field, frozen

from erpdoctor.network.reaching import Address, open_stream
from servicekit.config.secret import Secret

ALLOWED: Final = (
    "--origin must be like https://erp.example.com, with a path where the service has one, and nothing else"
)


@frozen
class Site:
    """Where people reach a service.

    Attributes:
        url: as it was given.
        address: host, port and whether it is https.
        authority: what `Host` says: the host, and the port where it is not the scheme's own.
        prefix: the path below which the service lies, "" or `/x`.
    """

    url: str
    address: Address
    authority: str
    prefix: str

    @staticmethod
    def of(url: str) -> "Site":
        """Read an address.

        Raises:
            ValueError: it is none, or says more than scheme, host, port and path.
        """
        parts = urlsplit(url)
        plain = url.isascii() and url.isprintable() and " " not in url
        named = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
        if not plain or not named or parts.query or parts.fragment:
            raise ValueError(ALLOWED)
        try:
            address = Address.of(url)
        except ValueError:  # of the port
            raise ValueError(ALLOWED) from None
        own_port = 443 if address.tls else 80
        host = f"[{address.host}]" if ":" in address.host else address.host
        authority = host if address.port == own_port else f"{host}:{address.port}"
        return Site(url, address, authority, parts.path.rstrip("/"))

    @property
    def scheme(self) -> str:
        """`http` or `https`."""
        return "https" if self.address.tls else "http"

    @property
    def root(self) -> "Site":
        """The same origin without a path."""
        return evolve(self, url=f"{self.scheme}://{self.authority}", prefix="")


MOST_BYTES: Final = 256 * 1024
"""More of an answer's body is not read."""

_READ: Final = 16 * 1024
_CONTINUE: Final = 100
_SERVICES_OWN: Final = "server-timing"
"""A header that the service puts on every answer, its refusals too, and a proxy on none of its own."""


class NoAnswerError(Exception):
    """The connection was not made, or ended before there was an answer."""


@frozen(kw_only=True)
class Reply:
    """An answer.

    Attributes:
        status: its status; 100 where the other side asked for the body that was announced.
        headers: by name in small letters; the values of a repeated one with commas between.
        body: its first 256 KiB.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def is_of_service(self) -> bool:
        """Whether the service itself gave it, and no proxy."""
        return _SERVICES_OWN in self.headers

    @property
    def is_refusal(self) -> bool:
        """Whether somebody found fault with the request."""
        return 400 <= self.status < 500  # noqa: PLR2004 - HTTP's range for it

    def member(self, name: str) -> object:
        """Return a member of the body, where that is a JSON object which has it; else None."""
        try:
            told = msgspec.json.decode(self.body)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return None
        return told.get(name) if isinstance(told, dict) else None


@define(eq=False, repr=False)
class Asker:
    """Asks one origin, each time on a connection of its own. Follows no redirect.

    Args:
        site: where it is.
        context: how TLS is trusted.
        token: of whom it asks; only sent with `as_person`.
    """

    site: Site
    _context: ssl.SSLContext
    _token: Secret | None = None

    async def ask(
        self,
        path: str,
        *,
        body: bytes | None = None,
        headers: Iterable[tuple[str, str]] = (),
        as_person: bool = False,
    ) -> Reply:
        """Send a GET, or a POST with a body of JSON; wait for the answer as long as it takes.

        Args:
            path: below the site's prefix, percent-encoded; it goes out as it is.
            body: what to post.
            headers: further ones.
            as_person: whether the token goes with it.

        Raises:
            NoAnswerError: there was no answer, or no whole one.
        """
        sent = [*headers]
        if body is not None:
            sent += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
        async with self._connected() as wire:
            await wire.send("GET" if body is None else "POST", path, self._headers(sent, as_person), body)
            return await wire.answer()

    async def announce(self, path: str, length: int) -> Reply:
        """Say that a body of so many bytes will come, send none of it, and return what is said to that.

        Raises:
            NoAnswerError: nothing was said.
        """
        sent = [
            ("Content-Length", str(length)),
            ("Expect", "100-continue"),
            ("Content-Type", "application/json"),
        ]
        async with self._connected() as wire:
            await wire.send("POST", path, self._headers(sent, as_person=False), None)
            return await wire.head()

    async def listen(self, path: str) -> AsyncIterator[tuple[float, bytes]]:
        """Ask for events as the token's person; yield each piece of the answer with the second it came at.

        Raises:
            NoAnswerError: there was no answer, or no good one, or it broke off.
        """
        headers = self._headers([("Accept", "text/event-stream")], as_person=True)
        async with self._connected() as wire:
            await wire.send("GET", path, headers, None)
            head = await wire.head()
            if head.status != 200:  # noqa: PLR2004 - an HTTP status
                raise NoAnswerError(f"HTTP {head.status}")
            async for piece in wire.pieces():
                yield time.monotonic(), piece

    def _headers(self, further: Iterable[tuple[str, str]], as_person: bool) -> list[tuple[str, str]]:
        headers = [("Host", self.site.authority), ("Connection", "close"), ("Accept-Encoding", "identity")]
        if as_person and self._token is not None:
            headers.append(("Authorization", f"Bearer {self._token.reveal()}"))
        return [*headers, *further]

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator["_Wire"]:
        address = self.site.address
        try:
            reader, writer = await open_stream(address, self._context if address.tls else None)
        except OSError as error:
            raise NoAnswerError(type(error).__name__) from None
        try:
            yield _Wire(reader, writer, self.site.prefix)
        except (OSError, h11.RemoteProtocolError) as error:
            raise NoAnswerError(type(error).__name__) from None
        finally:
            writer.transport.abort()


@define(eq=False, repr=False)
class _Wire:
    """One connection, for one request."""

    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter
    _prefix: str
    _protocol: h11.Connection = field(init=False, factory=lambda: h11.Connection(h11.CLIENT))

    async def send(self, method: str, path: str, headers: list[tuple[str, str]], body: bytes | None) -> None:
        """Send a request's head, and its body where it has one now."""
        request = h11.Request(method=method, target=f"{self._prefix}{path}", headers=headers)
        self._writer.write(self._protocol.send(request) or b"")
        if body is not None:
            self._writer.write(self._protocol.send(h11.Data(data=body)) or b"")
            try:
                await self._writer.drain()
            except OSError:
                return  # refused half-way: the answer is there to be read
        await self._writer.drain()

    async def answer(self) -> Reply:
        """Return the whole answer."""
        head = await self.head()
        body = b""
        async for piece in self.pieces():
            body += piece
            if len(body) > MOST_BYTES:
                break
        return Reply(status=head.status, headers=head.headers, body=body[:MOST_BYTES])

    async def head(self) -> Reply:
        """Return status and headers; of `100 Continue`, too."""
        while True:
            event = await self._event()
            if isinstance(event, h11.Response | h11.InformationalResponse):
                if event.status_code >= 200 or event.status_code == _CONTINUE:  # noqa: PLR2004 - a final one
                    return Reply(status=event.status_code, headers=_joined(event.headers))
            elif not isinstance(event, h11.Data):
                raise NoAnswerError("nothing")

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes."""
        while isinstance(event := await self._event(), h11.Data):
            yield bytes(event.data)
        if not isinstance(event, h11.EndOfMessage):
            raise NoAnswerError("broken off")

    async def _event(self) -> object:
        while (event := self._protocol.next_event()) is h11.NEED_DATA:
            self._protocol.receive_data(await self._reader.read(_READ))
        return event


def _joined(headers: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name, value = raw_name.decode("latin-1"), raw_value.decode("latin-1")
        found[name] = f"{found[name]}, {value}" if name in found else value
    return found
