"""Faults of certificates by OpenSSL's number, and facts of valid ones. No I/O."""

import ssl
from datetime import UTC, datetime
from enum import Enum
from typing import Final

from attrs import frozen


class Trouble(Enum):
    """Reasons why a TLS connection failed."""

    EXPIRED = "certificate_expired"
    NOT_YET_VALID = "certificate_not_yet_valid"
    OTHER_NAME = "certificate_other_name"
    UNKNOWN_AUTHORITY = "certificate_authority_unknown"
    NO_TLS = "no_tls"
    """The other side speaks something else, or another version, or hangs up."""


_TROUBLES: Final = {
    9: Trouble.NOT_YET_VALID,  # X509_V_ERR_CERT_NOT_YET_VALID
    10: Trouble.EXPIRED,  # X509_V_ERR_CERT_HAS_EXPIRED
    62: Trouble.OTHER_NAME,  # X509_V_ERR_HOSTNAME_MISMATCH
    64: Trouble.OTHER_NAME,  # X509_V_ERR_IP_ADDRESS_MISMATCH
}


def trouble_of(error: ssl.SSLError | ConnectionResetError) -> Trouble:
    """Classify a failed handshake; an unclassified fault of a chain is an untrusted authority.

    A server that closes the connection during the handshake does not speak TLS.
    """
    if not isinstance(error, ssl.SSLCertVerificationError):
        return Trouble.NO_TLS
    return _TROUBLES.get(error.verify_code, Trouble.UNKNOWN_AUTHORITY)


@frozen
class CertificateFacts:
    """Facts of a verified certificate.

    Attributes:
        until: its last moment.
        version: of TLS, as `TLSv1.3`.
    """

    until: datetime
    version: str


def moment_of(certificate_time: object) -> datetime:
    """Parse a time as `ssl` writes it."""
    return datetime.fromtimestamp(ssl.cert_time_to_seconds(str(certificate_time)), UTC)
