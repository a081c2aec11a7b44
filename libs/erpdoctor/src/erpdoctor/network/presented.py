"""The certificate that a server presents, compared with the authorities of a file."""

import asyncio
import hashlib
import re
import ssl
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from erpclient.http.authorities import certificate_files, load_authorities
from erpdoctor.network.certificates import moment_of
from erpdoctor.network.reaching import Address, open_stream
from servicekit.tls import trusting_alone

PRESENTED_S: Final = 3.0
"""Timeout for reading the certificate: two connections to a server that has just replied."""

_NAME_LETTERS: Final = 60
_MOST_NAMES: Final = 10
_NAME_KINDS: Final = ("DNS", "IP Address")
_PEM: Final = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
_DAY: Final = "%Y-%m-%d"
_NAMED_BY: Final = ("commonName", "organizationName")
# X509_V_FLAG_NO_CHECK_TIME, which `ssl` does not name.
_WHATEVER_ITS_DAYS: Final = 0x200000

Name = tuple[tuple[tuple[str, str], ...], ...]
"""Name of a person or authority as returned by `ssl`."""


@frozen
class Certificate:
    """Facts of a certificate; only its fingerprint if `ssl` can't read the rest.

    Attributes:
        der: the certificate itself.
        subject: its owner.
        issuer: its issuer.
        since: its first moment.
        until: its last moment.
        names: the host names and addresses that it is valid for.
    """

    der: bytes = field(repr=False)
    subject: Name = ()
    issuer: Name = ()
    since: datetime | None = None
    until: datetime | None = None
    names: tuple[str, ...] = ()

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the certificate, as openssl writes it."""
        return hashlib.sha256(self.der).digest().hex(":").upper()

    @property
    def is_self_signed(self) -> bool:
        """True if subject and issuer are equal."""
        return self.subject == self.issuer

    def is_valid(self, at: datetime) -> bool:
        """Return whether a moment is within its validity."""
        return self.since is not None and self.until is not None and self.since <= at <= self.until

    @staticmethod
    def of(der: bytes, fields: Mapping[str, Any] | None) -> "Certificate":
        """Read a certificate; `fields` come from `ssl`, if available."""
        if not fields:
            return Certificate(der)
        since, until = (moment_of(fields[name]) for name in ("notBefore", "notAfter"))
        return Certificate(der, fields["subject"], fields["issuer"], since, until, _names_of(fields))


def authorities_in(place: Path) -> tuple[Certificate, ...]:
    """Return the authorities of a file, or of the files of a folder."""
    context = trusting_alone(None)
    load_authorities(context, place)
    # `ssl` lists only authorities, and the file may contain a server's own certificate.
    by_der = dict(zip(context.get_ca_certs(binary_form=True), context.get_ca_certs(), strict=True))
    texts = (file.read_text(encoding="utf-8", errors="replace") for file in certificate_files(place))
    ders = (ssl.PEM_cert_to_DER_cert(pem) for text in texts for pem in _PEM.findall(text))
    return tuple(Certificate.of(der, by_der.get(der)) for der in dict.fromkeys((*ders, *by_der)))


def _names_of(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names in a certificate; the common name only counts without others."""
    alternative = tuple(str(value) for kind, value in fields.get("subjectAltName", ()) if kind in _NAME_KINDS)
    common = (value for part in fields["subject"] for key, value in part if key == "commonName")
    return alternative or tuple(common)


def is_named(presented: Certificate, authorities: tuple[Certificate, ...]) -> bool:
    """Return whether one of the authorities has the name of a certificate's issuer."""
    return bool(presented.issuer) and any(each.subject == presented.issuer for each in authorities)


def describe_presented(presented: Certificate, authorities: tuple[Certificate, ...], *, unknown: bool) -> str:
    """Describe in Spanish the presented certificate and the trusted authorities of the file.

    Args:
        presented: the server's.
        authorities: those of the file.
        unknown: whether none of them issued it.
    """
    sentence = f"presenta un certificado SHA-256 {presented.fingerprint}"
    if presented.issuer:
        sentence += (
            f" de «{shown(presented.subject)}», emitido por «{shown(presented.issuer)}»,"
            f" válido del {presented.since:{_DAY}} al {presented.until:{_DAY}}"
        )
    listed = ", ".join(_in_file(each) for each in authorities)
    another = unknown and is_named(presented, authorities)
    same = "; mismo nombre y otra clave: es otro certificado" if another else ""
    trusted = f"el archivo tiene {listed}" if listed else "no se indicó ninguna autoridad propia"
    return f"{sentence}; {trusted}{same}"


def _in_file(authority: Certificate) -> str:
    digest = f"SHA-256 {authority.fingerprint}"
    if authority.until is None:
        return digest
    return f"«{shown(authority.subject)}» hasta {authority.until:{_DAY}}, {digest}"


def shown(name: Name) -> str:
    """Return the displayed name of a subject or issuer."""
    words = {key: value for part in name for key, value in part}
    called = next((words[key] for key in _NAMED_BY if key in words), "sin nombre")
    return called if len(called) <= _NAME_LETTERS else f"{called[:_NAME_LETTERS]}…"


def names_shown(presented: Certificate) -> str:
    """List the names that a certificate is valid for, the first ten."""
    names = ", ".join(presented.names[:_MOST_NAMES])
    more = len(presented.names) - _MOST_NAMES
    return f"{names} y {more} más" if more > 0 else names or "ninguno"


async def read_presented(address: Address) -> Certificate | None:
    """Return the certificate that a server presents, trusted or not, or None if unavailable.

    The second connection trusts only that certificate, even if it has expired, because `ssl` only parses
    certificates that it has verified.
    """
    try:
        async with asyncio.timeout(PRESENTED_S):
            der, _ = await _greet(address, _believing(None))
            if der is None:
                return None
            try:
                return Certificate.of(der, (await _greet(address, _believing(der)))[1])
            except ssl.SSLError:  # for example a certificate that is not meant for servers
                return Certificate.of(der, None)
    except OSError:  # ssl.SSLError and TimeoutError are OSErrors too
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
        tls: ssl.SSLObject = writer.get_extra_info("ssl_object")
        return tls.getpeercert(binary_form=True), tls.getpeercert()
    finally:
        writer.transport.abort()
