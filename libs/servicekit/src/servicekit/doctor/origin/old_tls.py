"""Whether a server still takes TLS 1.0 or 1.1: a greeting written out, as libraries no longer offer them."""

import asyncio
import os
from typing import Final

from servicekit.doctor.network import Address, open_stream

OLD_VERSIONS: Final = {"TLSv1.0": 0x0301, "TLSv1.1": 0x0302}

_HANDSHAKE: Final = 22
_CLIENT_HELLO: Final = 1
_SERVER_HELLO: Final = 2
_CIPHERS: Final = bytes.fromhex("c009 c00a c013 c014 0033 0039 002f 0035 c008 c012 0016 000a 00ff")
"""Those of the old versions, by ECDSA and RSA; the last says that secure renegotiation is known."""

_GROUPS: Final = bytes.fromhex("000a 0008 0006 001d 0017 0018")
_POINTS: Final = bytes.fromhex("000b 0002 0100")


def client_hello(host: str, version: int) -> bytes:
    """Write the greeting of a client that knows no later version (RFC 4346, section 7.4.1.2)."""
    # An address is no name: RFC 6066 allows names alone.
    name = b"" if host.replace(".", "").isdigit() or ":" in host else host.encode("idna")
    names = _sized(b"\x00" + _sized(name, 2), 2) if name else b""
    extensions = _GROUPS + _POINTS + (b"\x00\x00" + _sized(names, 2) if names else b"")
    body = (
        version.to_bytes(2)
        + os.urandom(32)
        + _sized(b"", 1)  # no session to go on with
        + _sized(_CIPHERS, 2)
        + _sized(b"\x00", 1)  # no compression
        + _sized(extensions, 2)
    )
    return bytes([_HANDSHAKE, 3, 1]) + _sized(bytes([_CLIENT_HELLO]) + _sized(body, 3), 2)


def accepts(answer: bytes, version: int) -> bool:
    """Tell whether the first bytes of an answer are a server's greeting in this version."""
    return (
        len(answer) >= 11  # noqa: PLR2004 - the record's head, the message's, and the version
        and answer[0] == _HANDSHAKE
        and answer[5] == _SERVER_HELLO
        and int.from_bytes(answer[9:11]) == version
    )


async def takes_version(address: Address, version: int) -> bool:
    """Greet and hang up.

    Raises:
        OSError: no connection.
    """
    reader, writer = await open_stream(address)
    try:
        writer.write(client_hello(address.host, version))
        return accepts(await reader.readexactly(11), version)
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return False
    finally:
        writer.transport.abort()


def _sized(content: bytes, octets: int) -> bytes:
    return len(content).to_bytes(octets) + content
