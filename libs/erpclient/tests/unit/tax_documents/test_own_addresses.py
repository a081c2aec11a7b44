"""Which addresses reach this host, in every notation, and that a connection to them is refused."""

import socket

import pytest

from erpclient.tax_documents.own_addresses import OwnAddressError, create_foreign_socket, is_own_address

OWN = [
    "127.0.0.1",
    "127.200.3.4",
    "0.0.0.0",
    "0.1.2.3",
    "::1",
    "::",
    "::1%1",
    "0:0:0:0:0:0:0:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:0.0.0.0",
    "::127.0.0.1",
    "64:ff9b::127.0.0.1",
    "2002:7f00:1::",
    "fe80::1",
    "fe80::1%eth0",
    "fe80::1%2",
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "64:ff9b::a9fe:a9fe",
]


def interface_addresses() -> list[str]:
    """Return what this machine's own name and routes say; none on a machine without a network."""
    found = {str(each[4][0]) for each in socket.getaddrinfo(socket.gethostname(), None)}
    for family, far in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            try:
                probe.connect((far, 9))
            except OSError:
                continue
            found.add(str(probe.getsockname()[0]))
    return sorted(found)


@pytest.mark.parametrize("address", OWN)
def test_loopback_unspecified_and_link_local_addresses_are_own(address: str) -> None:
    assert is_own_address(address)


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "10.254.253.252", "2001:db8::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "224.0.0.1"]
)
def test_public_and_private_network_addresses_are_not_own_addresses(address: str) -> None:
    assert not is_own_address(address)


def test_the_broadcast_address_is_not_an_own_address() -> None:
    # A datagram to the broadcast address needs a permission that the probe does not ask for.
    assert not is_own_address("255.255.255.255")


def test_addresses_of_interfaces_are_own() -> None:
    for address in interface_addresses():
        assert is_own_address(address), address
        if ":" not in address:
            assert is_own_address(f"::ffff:{address}"), address
            assert is_own_address(f"::ffff:{address}%1"), address
        elif "%" not in address:
            assert is_own_address(f"{address}%1"), address


@pytest.mark.parametrize("text", ["", "localhost", "2130706433", "0x7f.1", "127.1", "127.0.0.01", "[::1]"])
def test_invalid_addresses_are_distinguished(text: str) -> None:
    with pytest.raises(ValueError, match="does not appear to be"):
        is_own_address(text)


@pytest.mark.parametrize("place", [*OWN, "2130706433", "127.1", "localhost"])
def test_a_socket_to_an_own_address_is_refused(place: str) -> None:
    with pytest.raises(OwnAddressError):
        create_foreign_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", (place, 443)))


def test_a_socket_to_a_foreign_address_is_created() -> None:
    with create_foreign_socket((socket.AF_INET, socket.SOCK_STREAM, 0, "", ("8.8.8.8", 443))) as made:
        assert made.family is socket.AF_INET
