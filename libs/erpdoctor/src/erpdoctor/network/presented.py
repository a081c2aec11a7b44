"""The certificate that a server presents, whoever signed it, beside the authorities of a file."""

import asyncio
import hashlib
import ssl
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from attrs import frozen

from erpdoctor.network.certificates import moment_of
from erpdoctor.network.reaching import Address, open_stream
from servicekit.tls import trusting_alone

PRESENTED_S: Final = 3.0
"""How long looking at it may take: two connections to a server that has just answered."""

_NAME_LETTERS: Final = 60
_DAY: Final = "%Y-%m-%d"
_NAMED_BY: Final = ("commonName", "organizationName")
_WHATEVER_ITS_DAYS: Final = 0x200000
"""X509_V_FLAG_NO_CHECK_TIME, which `ssl` does not name."""

Name = tuple[tuple[tuple[str, str], ...], ...]
"""Of a person or authority, as `ssl` tells it."""


@frozen
class Certificate:
    """What a certificate tells; only its fingerprint where `ssl` would not read the rest.

    Attributes:
        fingerprint: its SHA-256, as openssl writes it.
        subject: whose it is.
        issuer: who signed it.
        since: its first moment.
        until: its last moment.
    """

    fingerprint: str
    subject: Name = ()
    issuer: Name = ()
    since: datetime | None = None
    until: datetime | None = None

    def is_valid(self, at: datetime) -> bool:
        """Tell whether a moment is known to lie within its days."""
        return self.since is not None and self.until is not None and self.since <= at <= self.until

    @staticmethod
    def of(der: bytes, told: Mapping[str, Any] | None) -> "Certificate":
        """Read a certificate; `told` is what `ssl` tells of it, if it does."""
        fingerprint = hashlib.sha256(der).digest().hex(":").upper()
        if not told:
            return Certificate(fingerprint)
        since, until = (moment_of(told[name]) for name in ("notBefore", "notAfter"))
        return Certificate(fingerprint, told["subject"], told["issuer"], since, until)


def authorities_in(file: Path) -> tuple[Certificate, ...]:
    """Return the authorities of a file."""
    context = trusting_alone(file)
    pairs = zip(context.get_ca_certs(binary_form=True), context.get_ca_certs(), strict=True)
    return tuple(Certificate.of(der, told) for der, told in pairs)


def is_named(presented: Certificate, authorities: tuple[Certificate, ...]) -> bool:
    """Tell whether one of the authorities has the name of who signed a certificate."""
    return bool(presented.issuer) and any(each.subject == presented.issuer for each in authorities)


def describe_presented(presented: Certificate, authorities: tuple[Certificate, ...], *, unknown: bool) -> str:
    """Say in Spanish what was presented and what would have been trusted besides the system's authorities.

    Args:
        presented: the server's.
        authorities: those of the file.
        unknown: whether none of them has signed it.
    """
    said = f"presenta un certificado SHA-256 {presented.fingerprint}"
    if presented.issuer:
        said += (
            f" de «{shown(presented.subject)}», emitido por «{shown(presented.issuer)}»,"
            f" válido del {presented.since:{_DAY}} al {presented.until:{_DAY}}"
        )
    held = ", ".join(
        f"«{shown(each.subject)}» hasta {each.until:{_DAY}}, SHA-256 {each.fingerprint}"
        for each in authorities
    )
    another = unknown and is_named(presented, authorities)
    same = "; mismo nombre y otra clave: es otro certificado" if another else ""
    return f"{said}; {f'el archivo tiene {held}' if held else 'no se indicó ninguna autoridad propia'}{same}"


def shown(name: Name) -> str:
    """Return what people call somebody."""
    words = {key: value for part in name for key, value in part}
    called = next((words[key] for key in _NAMED_BY if key in words), "sin nombre")
    return called if len(called) <= _NAME_LETTERS else f"{called[:_NAME_LETTERS]}…"


async def read_presented(address: Address) -> Certificate | None:
    """Return the certificate that a server presents, whoever signed it; None where it can't be had.

    The second connection trusts that certificate alone, whatever its days are, since `ssl` reads only what
    it has verified.
    """
    try:
        async with asyncio.timeout(PRESENTED_S):
            der, _ = await _greet(address, _believing(None))
            if der is None:
                return None
            try:
                return Certificate.of(der, (await _greet(address, _believing(der)))[1])
            except ssl.SSLError:  # not meant for servers, say
                return Certificate.of(der, None)
    except OSError:  # an ssl.SSLError and a timeout are ones
        return None


def _believing(der: bytes | None) -> ssl.SSLContext:
    context = trusting_alone(None)
    context.check_hostname = False
    if der is None:
        context.verify_mode = ssl.CERT_NONE
    else:
        context.load_verify_locations(cadata=der)
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _WHATEVER_ITS_DAYS
    return context


async def _greet(address: Address, context: ssl.SSLContext) -> tuple[bytes | None, Mapping[str, Any] | None]:
    _, writer = await open_stream(address, context)
    try:
        spoken: ssl.SSLObject = writer.get_extra_info("ssl_object")
        return spoken.getpeercert(binary_form=True), spoken.getpeercert()
    finally:
        writer.transport.abort()
