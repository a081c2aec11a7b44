"""What stands between people's browsers and a service: its origin, seen from outside as a browser sees it."""

from erpdoctor.origin.asking import Asker, NoAnswerError, Reply
from erpdoctor.origin.checks import OriginTarget, answered, origin_checks, token_check
from erpdoctor.origin.site import Site

__all__ = [
    "Asker",
    "NoAnswerError",
    "OriginTarget",
    "Reply",
    "Site",
    "answered",
    "origin_checks",
    "token_check",
]
