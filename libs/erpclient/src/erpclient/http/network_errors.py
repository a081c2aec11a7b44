"""Errors of sockets and aiohttp, translated into those of the client."""

import errno
import re
import socket
import ssl
from typing import Final

import aiohttp

from erpclient.errors import ErpReplyUnreadable, ErpTimeout, ErpUnreachable, Phase

_NETWORK_CODES: Final = {
    errno.ECONNREFUSED: "ECONNREFUSED",
    errno.EHOSTUNREACH: "EHOSTUNREACH",
    errno.ENETUNREACH: "ENETUNREACH",
    errno.ETIMEDOUT: "ETIMEDOUT",
}

_ERRNO_IN_TEXT: Final = re.compile(r"\[Errno ([0-9]{1,4})\]")


class AddressRefusedError(OSError):
    """The owner of a transport does not allow connections to this address."""


class ConnectionLostError(Exception):
    """The connection ended before a reply. Not a subclass of the errors after which aiohttp sends again."""


TRANSLATED: Final = (TimeoutError, aiohttp.ClientError, ConnectionLostError)
"""Errors of a request that :func:`translate` knows."""


def translate(error: Exception) -> Exception:
    """Return an error of a request as :meth:`erpclient.http.transport.Transport.send` raises it."""
    if isinstance(error, aiohttp.ClientConnectorError):
        return _connect_error(error)
    if isinstance(error, TimeoutError):
        is_connecting = isinstance(error, aiohttp.ConnectionTimeoutError)
        return ErpTimeout(Phase.CONNECT if is_connecting else Phase.ANSWER)
    if isinstance(error, ConnectionLostError | aiohttp.ClientConnectionError):
        return ErpUnreachable("ECONNRESET", Phase.ANSWER)
    return ErpReplyUnreadable("not HTTP")


def _connect_error(error: aiohttp.ClientConnectorError) -> Exception:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return ErpUnreachable("CERT", Phase.CONNECT)
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return ErpUnreachable("ENOTFOUND", Phase.CONNECT)
    if isinstance(error.os_error, AddressRefusedError):
        return error.os_error
    return ErpUnreachable(find_network_code(error.os_error), Phase.CONNECT)


def find_network_code(error: OSError) -> str:
    """Map a connection error to a code of :class:`ErpUnreachable`."""
    if isinstance(error, ssl.SSLError):
        return "CERT"
    if isinstance(error, socket.gaierror):
        return "ENOTFOUND"
    number = error.errno
    if number is None:  # asyncio's sum of several addresses' errors, each with its number in the text
        in_text = _ERRNO_IN_TEXT.search(str(error))
        number = int(in_text[1]) if in_text else 0
    return _NETWORK_CODES.get(number, "ECONNRESET")
