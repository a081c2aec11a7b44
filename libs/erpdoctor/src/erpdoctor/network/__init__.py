"""What stands between this host and an HTTP service: name, port, TLS, an answer, its clock, its speed."""

from erpdoctor.network.certificates import CertificateFacts, Trouble, trouble_of
from erpdoctor.network.checks import NetworkChecks, Peer, ServerAnswer
from erpdoctor.network.reaching import Address, open_stream

__all__ = [
    "Address",
    "CertificateFacts",
    "NetworkChecks",
    "Peer",
    "ServerAnswer",
    "Trouble",
    "open_stream",
    "trouble_of",
]
