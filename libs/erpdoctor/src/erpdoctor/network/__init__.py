"""What stands between this host and an HTTP service: name, port, TLS, an answer, its clock, its speed."""

from erpdoctor.network.certificates import CertificateFacts, Trouble, trouble_of
from erpdoctor.network.checks import Peer, ServerAnswer, network_checks
from erpdoctor.network.reaching import Address, open_stream

__all__ = [
    "Address",
    "CertificateFacts",
    "Peer",
    "ServerAnswer",
    "Trouble",
    "network_checks",
    "open_stream",
    "trouble_of",
]
