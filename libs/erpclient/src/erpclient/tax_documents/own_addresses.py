"""Detects IP addresses of this host, whose own services a request must not reach."""

import ipaddress
import socket
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final

from erpclient.http.network_errors import AddressRefusedError

IPAddress = IPv4Address | IPv6Address
_THIS_HOST: Final = (ipaddress.ip_network("0.0.0.0/8"), ipaddress.ip_network("127.0.0.0/8"))
# IPv4-compatible addresses (RFC 4291, 2.5.5.1), `::` and `::1` among them.
_COMPATIBLE: Final = ipaddress.ip_network("::/96")
_TRANSLATED: Final = ipaddress.ip_network("64:ff9b::/96")
_ANY_PORT: Final = 9


class OwnAddressError(AddressRefusedError):
    """A connection would go to this host itself."""

    def __init__(self) -> None:
        super().__init__("an address of this host")


def is_own_address(text: str) -> bool:
    """Return whether an IP address reaches this host.

    Loopback and unspecified addresses do, in IPv6 also if embedded, and so do those of the host's interfaces.
    In a container these are the container's. Link-local addresses count as own: they only reach the host, its
    neighbours and the metadata service of a cloud.

    Raises:
        ValueError: the text is no IP address.
    """
    address = _unwrapped(ipaddress.ip_address(text))
    if isinstance(address, IPv4Address) and any(address in network for network in _THIS_HOST):
        return True
    if address.is_loopback or address.is_unspecified or address.is_link_local:
        return True
    return _is_of_an_interface(address)


def create_foreign_socket(addr_info: tuple[Any, ...]) -> socket.socket:
    """Create the socket of one connection attempt, as aiohttp's `socket_factory`.

    The check uses the address of the attempt itself, so no second name resolution happens in between. An
    unusual spelling of an address, which the system would resolve later, is rejected too.

    Raises:
        OwnAddressError: the attempt would reach this host.
    """
    family, kind, protocol, _, place = addr_info
    try:
        is_own = is_own_address(str(place[0]))
    except ValueError:
        is_own = True
    if is_own:
        raise OwnAddressError
    return socket.socket(family, kind, protocol)


def _unwrapped(address: IPAddress) -> IPAddress:
    if isinstance(address, IPv4Address):
        return address
    plain = IPv6Address(int(address))  # an address with a scope equals no other address
    embedded = plain.ipv4_mapped or plain.sixtofour
    if embedded is not None:
        return embedded
    if plain in _TRANSLATED or (plain in _COMPATIBLE and not plain.is_loopback and not plain.is_unspecified):
        return IPv4Address(int(plain) & 0xFFFF_FFFF)
    return plain


def _is_of_an_interface(address: IPAddress) -> bool:
    """Return whether the system would send a packet to this address from the address itself."""
    # Nothing is sent. Binding would be unreliable: with `net.ipv4.ip_nonlocal_bind`, as on hosts that share a
    # floating address, any address can be bound.
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), _ANY_PORT))
            source = str(probe.getsockname()[0])
    except OSError:  # no route: no connection either
        return False
    return ipaddress.ip_address(source) == address
