"""TLS rules for the connections to the ERP."""

import ssl
from pathlib import Path

from erpclient.http.authorities import load_authorities


def create_tls_context(*, ca_file: Path | None = None, verify: bool = True) -> ssl.SSLContext:
    """Create the TLS context for the ERP: TLS 1.2 or later, the system's authorities and those of a file.

    A server's own certificate in that file is enough without its issuer (as from Python 3.13 on): the Service
    Layer ships with its own certificate, and companies sign theirs without publishing the authority.

    Args:
        ca_file: more certificates to trust, a PEM file or a folder of them.
        verify: ``False`` accepts any certificate of any name.

    Raises:
        OSError: the file can't be read, or is not a PEM file (``ssl.SSLError`` is an ``OSError``).
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
