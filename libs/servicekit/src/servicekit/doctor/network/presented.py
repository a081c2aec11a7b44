"""What a server presents that nobody trusted has signed, held against the authorities of a file, in words."""

import asyncio
import hashlib
import ssl
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from servicekit.doctor.network.reaching import Address

PRESENTED_S: Final = 3.0
"""How long looking at it may take: two connections to a server that has just answered."""

_NAME_LETTERS: Final = 60
_PRINT_OCTETS: Final = 8
_NAMED_BY: Final = ("commonName", "organizationName")

Name = tuple[tuple[tuple[str, str], ...], ...]
"""Of a person or authority, as `ssl` tells it."""


@frozen
class Certificate:
    """What a certificate tells; only its fingerprint where `ssl` would not read the rest.

    Attributes:
        fingerprint: the beginning of its SHA-256, as openssl writes it.
        subject: whose it is.
        issuer: who signed it.
        since: its first day.
        until: its last day.
    """

    fingerprint: str
    subject: Name = ()
    issuer: Name = ()
    since: str = ""
    until: str = ""

    @staticmethod
    def of(der: bytes, told: Mapping[str, Any] | None) -> "Certificate":
        """Read a certificate; `told` is what `ssl` tells of it, if it does."""
        octets = hashlib.sha256(der).digest()[:_PRINT_OCTETS]
        fingerprint = f"{octets.hex(':').upper()}:…"
        if not told:
            return Certificate(fingerprint)
        since, until = (_day(str(told[name])) for name in ("notBefore", "notAfter"))
        return Certificate(fingerprint, told["subject"], told["issuer"], since, until)


def authorities_in(file: Path) -> tuple[Certificate, ...]:
    """Return the authorities of a file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(file)
    pairs = zip(context.get_ca_certs(binary_form=True), context.get_ca_certs(), strict=True)
    return tuple(Certificate.of(der, told) for der, told in pairs)


def is_named(presented: Certificate, authorities: tuple[Certificate, ...]) -> bool:
    """Tell whether one of the authorities has the name of who signed a certificate."""
    return bool(presented.issuer) and any(each.subject == presented.issuer for each in authorities)


def told_of(presented: Certificate, authorities: tuple[Certificate, ...]) -> str:
    """Say in Spanish what was presented and what would have been trusted besides the system's authorities."""
    said = f"presenta un certificado SHA-256 {presented.fingerprint}"
    if presented.issuer:
        said += (
            f" de «{shown(presented.subject)}», emitido por «{shown(presented.issuer)}»,"
            f" válido del {presented.since} al {presented.until}"
        )
    held = ", ".join(
        f"«{shown(each.subject)}» hasta {each.until}, SHA-256 {each.fingerprint}" for each in authorities
    )
    same = "; mismo nombre y otra clave: es otro certificado" if is_named(presented, authorities) else ""
    return f"{said}; el archivo tiene {held or 'ninguna autoridad'}{same}"


def shown(name: Name) -> str:
    """Return what people call somebody."""
    words = {key: value for part in name for key, value in part}
    called = next((words[key] for key in _NAMED_BY if key in words), "sin nombre")
    return called if len(called) <= _NAME_LETTERS else f"{called[:_NAME_LETTERS]}…"


async def look_at_presented(address: Address) -> Certificate | None:
    """Return the certificate that a server presents, whoever signed it; None where it can't be had.

    The second connection trusts that certificate alone, since `ssl` reads only what it has verified.
    """
    try:
        async with asyncio.timeout(PRESENTED_S):
            der, _ = await _greet(address, _believing(None))
            if der is None:
                return None
            try:
                return Certificate.of(der, (await _greet(address, _believing(der)))[1])
            except ssl.SSLError:  # expired, say
                return Certificate.of(der, None)
    except OSError:  # an ssl.SSLError and a timeout are ones
        return None


def _believing(der: bytes | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    if der is None:
        context.verify_mode = ssl.CERT_NONE
    else:
        context.load_verify_locations(cadata=der)
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


async def _greet(address: Address, context: ssl.SSLContext) -> tuple[bytes | None, Mapping[str, Any] | None]:
    _, writer = await asyncio.open_connection(
        address.host, address.port, ssl=context, server_hostname=address.host
    )
    try:
        spoken: ssl.SSLObject = writer.get_extra_info("ssl_object")
        return spoken.getpeercert(binary_form=True), spoken.getpeercert()
    finally:
        writer.transport.abort()


def _day(told: str) -> str:
    return f"{datetime.fromtimestamp(ssl.cert_time_to_seconds(told), UTC):%Y-%m-%d}"
