"""What stands between people's browsers and a service: its origin, seen from outside as a browser sees it."""

from erpdoctor.origin.asking import Asker, NoAnswerError, Reply, Site
from erpdoctor.origin.checks import OriginTarget, origin_checks, token_check
from erpdoctor.origin.probing import ProbeChecks

__all__ = [
    "Asker",
    "NoAnswerError",
    "OriginTarget",
    "ProbeChecks",
    "Reply",
    "Site",
    "origin_checks",
    "token_check",
]
