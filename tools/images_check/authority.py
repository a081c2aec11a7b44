"""A private certificate authority, as companies have one, and the certificates that it issues."""

import ipaddress
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_DAYS = 30


class Authority:
    """Issues certificates under a root of its own."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("Autoridad de prueba")
        constraints = x509.BasicConstraints(ca=True, path_length=0)
        root = _begun(self._name, self._name, self._key.public_key()).add_extension(
            constraints, critical=True
        )
        self.certificate_pem = _as_pem(root.sign(self._key, hashes.SHA256()))

    def issue(self, folder: Path, *names: str) -> int:
        """Put a new key and its certificate for these names into a folder, each file at once.

        Returns:
            The certificate's serial number.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = (
            _begun(_named(names[0]), self._name, key.public_key())
            .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        for name, content in (("key.pem", private), ("certificate.pem", _as_pem(certificate))):
            beside = folder / f"{name}.new"
            beside.write_bytes(content)
            beside.chmod(0o644)  # users of containers, each with an id of its own, must read them
            beside.replace(folder / name)
        return certificate.serial_number

    def trusting(self) -> ssl.SSLContext:
        """Return the context of a client that trusts only this authority."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=self.certificate_pem.decode())
        return context


def serial_shown(port: int) -> int:
    """Return the serial number of the certificate that a port on loopback shows new connections."""
    pem = ssl.get_server_certificate(("127.0.0.1", port), timeout=10)
    return x509.load_pem_x509_certificate(pem.encode()).serial_number


def _begun(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_DAYS))
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _as_pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
