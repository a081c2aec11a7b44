"""TLS rules for the connections to the ERP."""

import ssl
from pathlib import Path

from erpclient.http.authorities import load_authorities


def create_tls_context(*, ca_file: Path | None = None, verify: bool = True) -> ssl.SSLContext:
    """Make the TLS rules for the ERP: TLS 1.2 at least, the system's authorities and those of a file.

    A server's own certificate in that file is enough, whoever signed it (as from Python 3.13 on): the Service
    Layer comes with a certificate of its own, and companies sign theirs without publishing the authority.

    Args:
        ca_file: more certificates to trust, a PEM file or a folder of them.
        verify: ``False`` takes any certificate of any name.

    Raises:
        OSError: the file can't be read, or is no PEM file (``ssl.SSLError`` is an ``OSError``).
    """
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    if ca_file is not None:
        load_authorities(context, ca_file)
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
