"""Which addresses may be called, no I/O. They come from a table that users of the ERP may edit."""

import ipaddress
import re
from typing import Final

import yarl

from erpclient.tax_documents.errors import TaxServiceAddressRefused

MAX_LENGTH: Final = 1_000

_PLAIN: Final = re.compile(r"[A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=%]+")
"""What RFC 3986 lets an address hold; anything else is read differently by different programs."""


def check_address(url: str, allowed_hosts: frozenset[str]) -> None:
    """Let an address pass that a secret may be sent to.

    Args:
        url: as configured.
        allowed_hosts: names and IP addresses that it may have, in any letter case; empty for all.

    Raises:
        TaxServiceAddressRefused: no address; not ``https`` (``http`` passes for loopback addresses); with
            credentials or a fragment; or of a host that is not allowed.
    """
    if not _PLAIN.fullmatch(url) or len(url) > MAX_LENGTH:
        raise TaxServiceAddressRefused("is empty, too long or holds characters that no address has")
    try:
        address = yarl.URL(url, encoded=True)
        host, port = (address.host or "").lower(), address.port
    except ValueError as error:
        raise TaxServiceAddressRefused("is no address") from error
    if address.scheme not in ("http", "https") or not host or not port:
        raise TaxServiceAddressRefused("must begin with https:// and name a host")
    if address.raw_user is not None or address.raw_password is not None or "#" in url:
        raise TaxServiceAddressRefused("must hold neither a user nor a fragment")
    if address.scheme == "http" and not _is_loopback(host):
        raise TaxServiceAddressRefused("must begin with https://")
    if allowed_hosts and host not in {allowed.lower() for allowed in allowed_hosts}:
        raise TaxServiceAddressRefused("is of a host that is not among the allowed ones")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
