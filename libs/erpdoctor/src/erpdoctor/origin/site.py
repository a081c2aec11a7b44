"""The address under which people reach a service. No I/O."""

from typing import Final
from urllib.parse import urlsplit

from attrs import evolve, frozen

from erpdoctor.network.reaching import Address

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
