"""Servers that speak TLS with certificates made for a test."""

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

TWO = "two.example"
"""A name of the addresses 127.0.0.2 and 127.0.0.1, in this order."""

DAY = timedelta(days=1)
FOR_SERVERS, FOR_CLIENTS = ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH
Days = tuple[int, int]
Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
GOOD, GONE, TO_COME = (-400, 400), (-400, -30), (30, 400)


@asynccontextmanager
async def serving(handler: Handler, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Serve on 127.0.0.1 and give the port."""
    async with await asyncio.start_server(handler, "127.0.0.1", 0, ssl=context) as server:
        yield server.sockets[0].getsockname()[1]


async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Read a little, say nothing."""
    await reader.read(10)
    writer.close()


def chain(
    folder: Path, *, authority: Days, server: Days, use: x509.ObjectIdentifier = FOR_SERVERS
) -> tuple[Path, ssl.SSLContext]:
    """Make an authority's file, and how a server speaks TLS with a certificate of it; days from now."""
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    top = signed("Autoridad", "Autoridad", keys[0], keys[0], authority, is_authority=True)
    leaf = signed("sap", "Autoridad", keys[1], keys[0], server, is_authority=False, use=use)
    file, own = folder / "ca.pem", folder / "server.pem"
    file.write_bytes(top.public_bytes(Encoding.PEM))
    key = keys[1].private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    own.write_bytes(leaf.public_bytes(Encoding.PEM) + file.read_bytes() + key)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    return file, context


def signed(
    subject: str,
    issuer: str,
    key: ec.EllipticCurvePrivateKey,
    by: ec.EllipticCurvePrivateKey,
    days: Days,
    *,
    is_authority: bool,
    use: x509.ObjectIdentifier = FOR_SERVERS,
) -> x509.Certificate:
    """Make a certificate for 127.0.0.1 and `TWO`."""
    since, until = (datetime.now(UTC) + each * DAY for each in days)
    names = [x509.IPAddress(ipaddress.ip_address("127.0.0.1")), x509.DNSName(TWO)]
    return (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(until)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.ExtendedKeyUsage([use]), critical=False)
        .sign(by, hashes.SHA256())
    )
