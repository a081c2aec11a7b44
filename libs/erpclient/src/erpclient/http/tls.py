"""TLS rules for the connections to the ERP."""

import ssl
from pathlib import Path


def create_tls_context(*, ca_file: Path | None = None, verify: bool = True) -> ssl.SSLContext:
    """Make the TLS rules for the ERP: TLS 1.2 at least, the system's authorities and those of a file.

    Args:
        ca_file: more authorities, in PEM form; the Service Layer comes with a self-signed certificate.
        verify: ``False`` takes any certificate of any name.

    Raises:
        OSError: the file can't be read, or is no PEM file (``ssl.SSLError`` is an ``OSError``).
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if ca_file is not None:
        context.load_verify_locations(cafile=ca_file)
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
