"""Self-signed certificate, the default of a Service Layer."""

from __future__ import annotations

import ipaddress
import ssl
import tempfile
from datetime import timedelta
from pathlib import Path

import attrs
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from erpsim.company.clock import Clock

_LIFETIME = timedelta(days=365)


@attrs.frozen(kw_only=True)
class Certificate:
    """A certificate and its key.

    Args:
        certificate_pem: what a client has to trust.
        key_pem: kept out of `repr`.
    """

    certificate_pem: bytes
    key_pem: bytes = attrs.field(repr=False)

    def server_context(self) -> ssl.SSLContext:
        """Return a TLS 1.2+ context for a server with this certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        with tempfile.TemporaryDirectory() as folder:
            chain = Path(folder) / "server.pem"
            chain.touch(mode=0o600)
            chain.write_bytes(self.certificate_pem + self.key_pem)
            context.load_cert_chain(chain)
        return context


def self_signed(host: str, clock: Clock) -> Certificate:
    """Make a certificate for this host, `localhost` and the loopback addresses, valid for a year.

    Args:
        host: name or address the server is reached by.
        clock: source of the first day.
    """
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "erpsim")])
    now = clock.now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + _LIFETIME)
        .add_extension(x509.SubjectAlternativeName(_names(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Certificate(
        certificate_pem=certificate.public_bytes(serialization.Encoding.PEM),
        key_pem=key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
    )


def load_or_create(folder: Path, host: str, clock: Clock) -> Certificate:
    """Return the certificate in a folder, or create one for this host and store it there.

    Put your own certificate there before the start to choose names and authority.

    Args:
        folder: holds `certificate.pem`, with its intermediate ones, and `key.pem`.
        host: as for `self_signed`.
        clock: as for `self_signed`.

    Raises:
        OSError: the folder can't be read or written.
    """
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    if not certificate.exists():
        created = self_signed(host, clock)
        key.touch(mode=0o600)
        key.write_bytes(created.key_pem)
        certificate.write_bytes(created.certificate_pem)
    return Certificate(certificate_pem=certificate.read_bytes(), key_pem=key.read_bytes())


def _names(host: str) -> list[x509.GeneralName]:
    names: dict[str, x509.GeneralName] = {}
    for each in (host, "localhost", "127.0.0.1", "::1"):
        try:
            names[each] = x509.IPAddress(ipaddress.ip_address(each))
        except ValueError:
            names[each] = x509.DNSName(each)
    return list(names.values())
