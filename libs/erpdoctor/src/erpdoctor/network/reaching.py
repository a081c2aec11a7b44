"""Reaches for another host: its name, its port, its TLS."""

import asyncio
import errno
import re
import ssl
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from attrs import frozen

from erpdoctor.network.certificates import CertificateFacts, moment_of

REACH_S: Final = 4.0
"""Connect timeout: shorter than a step, so that silence has its own cause."""

NEXT_ADDRESS_S: Final = 0.25
"""Delay before the next address of a name is tried in parallel (RFC 8305)."""

_NUMBER: Final = re.compile(r"\[Errno ([0-9]{1,4})\]")


@frozen
class Address:
    """Address of a service.

    Attributes:
        host: name or address, without brackets.
        port: its port.
        tls: whether it is reached by https.
    """

    host: str
    port: int
    tls: bool

    @staticmethod
    def of(url: str) -> "Address":
        """Return the address in an http(s) URL."""
        parts = urlsplit(url)
        tls = parts.scheme == "https"
        return Address(parts.hostname or "", parts.port or (443 if tls else 80), tls)

    @property
    def shown(self) -> str:
        """For the terminal."""
        return f"{self.host}:{self.port}"

    @property
    def is_here(self) -> bool:
        """True if the address belongs to this machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


async def resolve_host(address: Address) -> tuple[str, ...]:
    """Return the addresses of a name.

    Raises:
        OSError: the name has none.
    """
    infos = await asyncio.get_running_loop().getaddrinfo(address.host, address.port, type=1)
    return tuple(dict.fromkeys(str(each[4][0]) for each in infos))


async def open_stream(
    address: Address, context: ssl.SSLContext | None = None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the first of a name's addresses that responds, as browsers and HTTP clients do.

    It needs asyncio's own event loop, which every doctor uses: uvloop does not support the delay.

    Args:
        address: host and port.
        context: TLS context; None for plain connections.

    Raises:
        ConnectionRefusedError: no listener at any of its addresses.
        ssl.SSLError: no trust, or no TLS.
        OSError: no connection.
    """
    try:
        return await asyncio.open_connection(
            address.host,
            address.port,
            ssl=context,
            server_hostname=None if context is None else address.host,
            happy_eyeballs_delay=NEXT_ADDRESS_S,
        )
    except OSError as error:
        # For several addresses asyncio raises one combined error whose text alone has the single errors. An
        # address without a route from this host, as for IPv6, proves nothing about the port.
        numbers = {int(number) for number in _NUMBER.findall(str(error))} - {errno.ENETUNREACH}
        if error.errno is None and numbers == {errno.ECONNREFUSED}:
            raise ConnectionRefusedError(str(error)) from error
        raise


async def connect(address: Address) -> None:
    """Connect and disconnect.

    Raises:
        ConnectionRefusedError: no listener.
        OSError: no connection; a `TimeoutError` for silence, as behind most firewalls.
    """
    async with asyncio.timeout(REACH_S):
        _, writer = await open_stream(address)
    writer.transport.abort()


async def shake_hands(address: Address, context: ssl.SSLContext) -> CertificateFacts | None:
    """Open and close a TLS connection; None if the context verifies nothing.

    Raises:
        ssl.SSLError: no trust, or no TLS.
        ConnectionResetError: the other side closed the connection during the handshake.
        OSError: no connection.
    """
    _, writer = await open_stream(address, context)
    try:
        peer_certificate = writer.get_extra_info("peercert")
        version = str(writer.get_extra_info("ssl_object").version())
        return (
            CertificateFacts(moment_of(peer_certificate["notAfter"]), version) if peer_certificate else None
        )
    finally:
        writer.transport.abort()
