"""Origin of a request: client address, scheme and host. Forwarded headers count from trusted proxies only."""

import re
from collections.abc import Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final, NamedTuple

from starlette.types import Scope

from servicekit.config.parsers import Network
from servicekit.request_log.rare_warning import RareWarning

_HOST: Final = re.compile(r"[A-Za-z0-9._-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")
_PREFIX: Final = re.compile(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+){1,8}")
_BRACKETED: Final = re.compile(r"\[([^\]]*)\](?::[0-9]+)?")
_IPV4_WITH_PORT: Final = re.compile(r"([0-9.]+):[0-9]+")
_MAX_HOPS: Final = 32
FORWARDED: Final = (
    b"x-forwarded-for",
    b"x-forwarded-proto",
    b"x-forwarded-host",
    b"x-forwarded-prefix",
    b"forwarded",
)


class Origin(NamedTuple):
    """Origin of a request as the client sees it; see `RequestFacts` for the fields."""

    client_ip: str
    scheme: str
    host: str
    prefix: str


def _address(text: str) -> IPv4Address | IPv6Address | None:
    """Read an address as written by proxies (`1.2.3.4`, `1.2.3.4:56`, `[::1]:56`, `::1`); None if invalid."""
    text = text.strip()
    match = _BRACKETED.fullmatch(text) or _IPV4_WITH_PORT.fullmatch(text)
    try:
        address = ip_address(match[1] if match else text)
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


class OriginReader:
    """Reads the origin of requests.

    With a trusted peer the client is the right-most address of `X-Forwarded-For` that is not trusted itself,
    and `X-Forwarded-Proto`, `-Host`, `-Prefix` count where well-formed. From any other peer these headers are
    ignored, and a warning is logged at most once a minute.

    Args:
        trusted: the proxies.
    """

    def __init__(self, trusted: Sequence[Network]) -> None:
        self._trusted = trusted
        self._warn = RareWarning("forwarded_headers_ignored")
        self._normalise = lru_cache(maxsize=4096)(self._parse)

    def read(self, scope: Scope, headers: dict[bytes, bytes]) -> Origin:
        """Return the origin of a request.

        Args:
            scope: of the request.
            headers: its headers by name.
        """
        peer = scope.get("client")
        client_ip, is_trusted = self._normalise(peer[0]) if peer else ("", False)
        host = _matching(_HOST, headers.get(b"host"))
        if not is_trusted:
            if any(name in headers for name in FORWARDED):
                self._warn(setting="TRUSTED_PROXIES", peer=client_ip)
            return Origin(client_ip, scope["scheme"], host, "")
        for hop in _hops(scope) if b"x-forwarded-for" in headers else ():
            forwarded_ip, is_trusted = self._normalise(hop)
            if not forwarded_ip:  # not an address: trust ends at the proxy before it
                break
            client_ip = forwarded_ip
            if not is_trusted:
                break
        proto = headers.get(b"x-forwarded-proto", b"").rpartition(b",")[2].strip().lower()
        return Origin(
            client_ip,
            proto.decode("ascii") if proto in {b"http", b"https"} else scope["scheme"],
            _matching(_HOST, headers.get(b"x-forwarded-host")) or host,
            _matching(_PREFIX, headers.get(b"x-forwarded-prefix")),
        )

    def _parse(self, text: str) -> tuple[str, bool]:
        """Return an address in canonical form and whether it is trusted; empty if invalid."""
        address = _address(text)
        if address is None:
            return "", False
        return str(address), any(address in network for network in self._trusted)


def _hops(scope: Scope) -> list[str]:
    lines = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
    return b",".join(lines).decode("latin-1").split(",")[: -_MAX_HOPS - 1 : -1]


@lru_cache(maxsize=1024)
def _matching(pattern: re.Pattern[str], value: bytes | None) -> str:
    text = (value or b"").decode("latin-1").strip()
    return text if pattern.fullmatch(text) else ""
