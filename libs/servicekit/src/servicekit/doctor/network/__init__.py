"""What stands between this host and an HTTP service: name, port, TLS, an answer, its clock, its speed."""

from servicekit.doctor.network.certificates import CertificateFacts, Trouble, trouble_of
from servicekit.doctor.network.checks import Knock, Peer, network_checks
from servicekit.doctor.network.reaching import Address, open_stream

__all__ = [
    "Address",
    "CertificateFacts",
    "Knock",
    "Peer",
    "Trouble",
    "network_checks",
    "open_stream",
    "trouble_of",
]
