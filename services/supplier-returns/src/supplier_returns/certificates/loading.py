"""Load and check the certificate that HTTPS is served with."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from attrs import frozen
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    pkcs12,
)

from servicekit.config import Secret
from supplier_returns.certificates.files import CertificateError, CertificateFiles


@frozen
class Certificate:
    """Usable certificate: its chain, starting with the server's own, and its key."""

    chain: tuple[x509.Certificate, ...]
    key: PrivateKeyTypes


def load_certificate(files: CertificateFiles) -> Certificate:
    """Read the configured files.

    Raises:
        CertificateError: a file is missing or has another format, or the passphrase is wrong.
    """
    if files.bundle is not None:
        return _load_bundle(files.bundle, files.passphrase)
    if files.key is None or files.certificate is None:
        raise ValueError("neither a bundle nor a pair of PEM files")
    return Certificate(_load_chain(files.certificate), _load_key(files.key))


def check_certificate(files: CertificateFiles, *, now: datetime) -> None:
    """Check that the configured files match each other and are valid now.

    Args:
        files: configured files.
        now: aware time.

    Raises:
        CertificateError: the files can't be used. The error names the setting.
    """
    certificate = load_certificate(files)
    setting = "HTTPS_CERT_PATH" if files.bundle is None else "HTTPS_PFX_PATH"
    leaf = certificate.chain[0]
    if now >= leaf.not_valid_after_utc:
        raise CertificateError(
            setting,
            f"the certificate expired on {leaf.not_valid_after_utc:%Y-%m-%d}",
            f"el certificado venció el {leaf.not_valid_after_utc:%Y-%m-%d}",
        )
    if now < leaf.not_valid_before_utc:
        raise CertificateError(
            setting,
            f"the certificate is valid only from {leaf.not_valid_before_utc:%Y-%m-%d} on",
            f"el certificado es válido recién desde el {leaf.not_valid_before_utc:%Y-%m-%d}",
        )
    if _public_bytes(leaf.public_key()) != _public_bytes(certificate.key.public_key()):
        raise CertificateError(
            "HTTPS_KEY_PATH" if files.bundle is None else setting,
            "the key does not belong to the certificate",
            "la clave no corresponde al certificado",
        )


def _load_bundle(path: Path, passphrase: Secret | None) -> Certificate:
    content = _read("HTTPS_PFX_PATH", path)
    password = None if passphrase is None else passphrase.reveal().encode()
    try:
        key, certificate, others = pkcs12.load_key_and_certificates(content, password)
    except ValueError as error:
        # The library raises one exception type for a wrong password and for other content.
        if "password" in str(error).lower():
            raise CertificateError(
                "HTTPS_PFX_PASSPHRASE", "does not open the bundle", "no abre el archivo PFX"
            ) from None
        raise CertificateError(
            "HTTPS_PFX_PATH", f"{str(path)!r} is no PFX bundle", f"{str(path)!r} no es un archivo PFX"
        ) from None
    if key is None or certificate is None:
        raise CertificateError(
            "HTTPS_PFX_PATH",
            f"{str(path)!r} holds no certificate with its key",
            f"{str(path)!r} no contiene un certificado con su clave",
        )
    return Certificate((certificate, *_in_order(certificate, others)), key)


def _in_order(leaf: x509.Certificate, others: Sequence[x509.Certificate]) -> tuple[x509.Certificate, ...]:
    """Return the chain from the leaf upwards. A bundle may contain it in any order."""
    by_subject = {other.subject: other for other in others}
    ordered: list[x509.Certificate] = []
    issuer = by_subject.pop(leaf.issuer, None)
    while issuer is not None:
        ordered.append(issuer)
        issuer = by_subject.pop(issuer.issuer, None)
    return tuple(ordered)


def _load_chain(path: Path) -> tuple[x509.Certificate, ...]:
    try:
        return tuple(x509.load_pem_x509_certificates(_read("HTTPS_CERT_PATH", path)))
    except ValueError:
        raise CertificateError(
            "HTTPS_CERT_PATH",
            f"{str(path)!r} holds no certificate in PEM form",
            f"{str(path)!r} no contiene un certificado en formato PEM",
        ) from None


def _load_key(path: Path) -> PrivateKeyTypes:
    content = _read("HTTPS_KEY_PATH", path)
    try:
        return load_pem_private_key(content, password=None)
    # The library raises a TypeError for an encrypted key without a password.
    except TypeError:
        raise CertificateError(
            "HTTPS_KEY_PATH",
            f"{str(path)!r} is encrypted; allowed: a plain key",
            f"{str(path)!r} está cifrada; se admite: una clave sin cifrar",
        ) from None
    except ValueError:
        raise CertificateError(
            "HTTPS_KEY_PATH",
            f"{str(path)!r} holds no private key in PEM form",
            f"{str(path)!r} no contiene una clave privada en formato PEM",
        ) from None


def _read(setting: str, path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CertificateError(
            setting,
            f"{str(path)!r} can't be read: {error.strerror}",
            f"{str(path)!r} no se puede leer: {error.strerror}",
        ) from None


def _public_bytes(key: object) -> bytes:
    encoded: bytes = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)  # type: ignore[attr-defined] # every type of public key has it, but not their union
    return encoded
