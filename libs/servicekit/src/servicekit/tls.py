"""TLS contexts for outgoing connections."""

import ssl
from pathlib import Path


def trusting(authorities: Path | None) -> ssl.SSLContext:
    """Create a context for TLS 1.2 or newer that trusts the system's authorities and those of a file.

    Raises:
        OSError: the file can't be read, or contains no certificate (`ssl.SSLError` is one).
    """
    context = ssl.create_default_context()
    context.minimum_version = (
        ssl.TLSVersion.TLSv1_2
    )  # explicit, because older Python versions allow less by default
    if authorities is not None:
        context.load_verify_locations(authorities)
    return context


def trusting_alone(authorities: Path | None) -> ssl.SSLContext:
    """Create a context that trusts only the authorities of a file, if given.

    Raises:
        OSError: as `trusting`.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if authorities is not None:
        context.load_verify_locations(authorities)
    return context
