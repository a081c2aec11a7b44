"""Whose word about the client counts."""

from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from servicekit.request_log.forwarded import Origin, OriginReader

TRUSTED = tuple(map(ip_network, ("10.0.0.0/8", "fd00::/8")))


def origin(peer: str | None, *forwarded_for: str, **headers: str) -> Origin:
    lines = [(b"host", b"service:3000"), *((b"x-forwarded-for", each.encode()) for each in forwarded_for)]
    lines += [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope: dict[str, Any] = {
        "client": None if peer is None else (peer, 4711),
        "scheme": "http",
        "headers": lines,
    }
    return OriginReader(TRUSTED).read(scope, dict(lines))


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "client_ip"),
    [
        ("203.0.113.9", (), "203.0.113.9"),
        ("203.0.113.9", ("198.51.100.1",), "203.0.113.9"),
        ("10.0.0.1", (), "10.0.0.1"),
        ("10.0.0.1", ("",), "10.0.0.1"),
        ("10.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("10.0.0.1", ("1.1.1.1, 198.51.100.1",), "198.51.100.1"),
        ("10.0.0.1", ("1.1.1.1, 198.51.100.1, 10.9.9.9",), "198.51.100.1"),
        ("10.0.0.1", ("1.1.1.1", "198.51.100.1", "10.9.9.9"), "198.51.100.1"),
        ("10.0.0.1", ("10.1.1.1, 10.2.2.2",), "10.1.1.1"),
        ("10.0.0.1", ("198.51.100.1, nonsense, 10.9.9.9",), "10.9.9.9"),
        ("10.0.0.1", ("198.51.100.1:5678",), "198.51.100.1"),
        ("10.0.0.1", ("[2001:db8::1]:5678",), "2001:db8::1"),
        ("10.0.0.1", ("2001:DB8::1",), "2001:db8::1"),
        ("10.0.0.1", ("::ffff:198.51.100.1",), "198.51.100.1"),
        ("::ffff:10.0.0.1", ("198.51.100.1",), "198.51.100.1"),
        ("fd00::1", ("198.51.100.1",), "198.51.100.1"),
        ("/tmp/socket", ("198.51.100.1",), ""),
        (None, ("198.51.100.1",), ""),
    ],
)
def test_the_client_is_the_rightmost_untrusted_address(
    peer: str | None, forwarded_for: tuple[str, ...], client_ip: str
) -> None:
    assert origin(peer, *forwarded_for).client_ip == client_ip


def test_a_trusted_proxy_provides_scheme_host_and_prefix() -> None:
    result = {
        "x_forwarded_proto": "https",
        "x_forwarded_host": "shop.example.com:8080",
        "x_forwarded_prefix": "/devoluciones",
    }
    assert origin("10.0.0.1", **result) == Origin(
        "10.0.0.1", "https", "shop.example.com:8080", "/devoluciones"
    )
    assert origin("203.0.113.9", **result) == Origin("203.0.113.9", "http", "service:3000", "")


@pytest.mark.parametrize("proto", ["", "ftp", "javascript", "https, ftp"])
def test_only_http_and_https_are_schemes(proto: str) -> None:
    assert origin("10.0.0.1", x_forwarded_proto=proto).scheme == "http"


def test_the_scheme_of_the_nearest_proxy_is_used() -> None:
    assert origin("10.0.0.1", x_forwarded_proto="http, HTTPS").scheme == "https"


@pytest.mark.parametrize("host", ["", "a b", "a/b", "user@a", "a:123456", "[::1", "a\\b", "ñ"])
def test_a_malformed_forwarded_host_is_ignored(host: str) -> None:
    assert origin("10.0.0.1", x_forwarded_host=host).host == "service:3000"


@pytest.mark.parametrize("host", ["a", "a.example.com", "127.0.0.1:8080", "[::1]:8080", "a_b-c"])
def test_a_well_formed_forwarded_host_is_used(host: str) -> None:
    assert origin("10.0.0.1", x_forwarded_host=host).host == host


@pytest.mark.parametrize("prefix", ["/..", "/../x", "/x/..", "/x/../y", "/.", "/x/./y", "/%2e%2e"])
def test_a_prefix_with_dot_segments_is_ignored(prefix: str) -> None:
    assert origin("10.0.0.1", x_forwarded_prefix=prefix).prefix == ""


@pytest.mark.parametrize("prefix", ["/.x", "/...", "/x..y", "/a.b/c-d/~e"])
def test_a_prefix_may_contain_dots(prefix: str) -> None:
    assert origin("10.0.0.1", x_forwarded_prefix=prefix).prefix == prefix


@pytest.mark.parametrize("prefix", ["", "/", "x", "/x/", "//x", "/x y", '/x"><script>', "/x;y", "/a" * 9])
def test_a_malformed_prefix_is_ignored(prefix: str) -> None:
    assert origin("10.0.0.1", x_forwarded_prefix=prefix).prefix == ""


@given(st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace").decode("latin-1")))
def test_forwarded_headers_of_an_untrusted_peer_are_ignored(text: str) -> None:
    result = {"x_forwarded_proto": text, "x_forwarded_host": text, "x_forwarded_prefix": text}
    assert origin("203.0.113.9", text, **result) == Origin("203.0.113.9", "http", "service:3000", "")


@given(st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace").decode("latin-1")))
def test_forwarded_values_are_safe_in_a_log_line(text: str) -> None:
    result = {"x_forwarded_proto": text, "x_forwarded_host": text, "x_forwarded_prefix": text}
    read = origin("10.0.0.1", text, **result)
    assert all(part.isprintable() for part in (read.client_ip, read.scheme, read.host, read.prefix))


def test_a_very_long_forwarded_chain_is_not_followed_to_its_end() -> None:
    assert origin("10.0.0.1", ",".join(["203.0.113.7"] + ["10.1.1.1"] * 5000)).client_ip == "10.1.1.1"
