"""Errors of sockets and aiohttp, translated into those of the client."""

import errno
import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
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


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise errors of the block as those of :meth:`erpclient.http.transport.Transport.send`."""
    try:
        yield
    except aiohttp.ConnectionTimeoutError as error:
        raise ErpTimeout(Phase.CONNECT) from error
    except TimeoutError as error:
        raise ErpTimeout(Phase.ANSWER) from error
    except aiohttp.ClientConnectorCertificateError as error:
        raise ErpUnreachable("CERT", Phase.CONNECT) from error
    except aiohttp.ClientConnectorDNSError as error:
        raise ErpUnreachable("ENOTFOUND", Phase.CONNECT) from error
    except aiohttp.ClientConnectorError as error:
        if isinstance(error.os_error, AddressRefusedError):
            raise error.os_error from error
        raise ErpUnreachable(find_network_code(error.os_error), Phase.CONNECT) from error
    except (ConnectionLostError, aiohttp.ClientConnectionError) as error:
        raise ErpUnreachable("ECONNRESET", Phase.ANSWER) from error
    except aiohttp.ClientError as error:
        raise ErpReplyUnreadable("not HTTP") from error


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
