"""TLS context of the server."""

import secrets
import ssl
import tempfile
from pathlib import Path

from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
)

from supplier_returns.certificates.files import CertificateFiles
from supplier_returns.certificates.loading import load_certificate


def create_server_context(files: CertificateFiles) -> ssl.SSLContext:
    """Create the TLS context: TLS 1.2 or later, HTTP/1.1.

    Raises:
        CertificateError: as in `load_certificate`.
        OSError: as in `use_certificate`.
    """
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    use_certificate(context, files)
    return context


def use_certificate(context: ssl.SSLContext, files: CertificateFiles) -> None:
    """Load the certificate of the configured files into a context. Open connections keep theirs.

    Python loads certificates only from PEM files. So a bundle is written for a moment to a temporary folder,
    encrypted and readable only by this user.

    Raises:
        CertificateError: as in `load_certificate`.
        OSError: there is no folder for temporary files.
    """
    certificate = load_certificate(files)
    if files.key is not None and files.certificate is not None:
        context.load_cert_chain(files.certificate, files.key)
        return
    passphrase = secrets.token_hex(32).encode()
    key = certificate.key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(passphrase)
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "certificate.pem"
        file.write_bytes(key + b"".join(each.public_bytes(Encoding.PEM) for each in certificate.chain))
        context.load_cert_chain(file, password=passphrase)
