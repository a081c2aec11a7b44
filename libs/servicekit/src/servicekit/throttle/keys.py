"""Forms under which users and addresses are counted."""

import ipaddress
import unicodedata
from typing import Final

from servicekit.visible_text import remove_invisible

_IPV6_SUBSCRIBER_BITS: Final = 64  # a subscriber can use any address of such a prefix


def key_of_user(user: str) -> str:
    """Return the form under which a typed name is counted: variants of one name are one key.

    Letter case, compatibility forms (full-width letters, ligatures), invisible characters and blanks around
    the name make no difference.
    """
    folded = unicodedata.normalize("NFKC", remove_invisible(user)).casefold()
    return remove_invisible(unicodedata.normalize("NFKC", folded)).strip()


def key_of_address(address: str) -> str:
    """Return the form under which an address is counted; an invalid address counts as it is."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv4Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return str(ipaddress.ip_network((ip.packed, _IPV6_SUBSCRIBER_BITS), strict=False))
