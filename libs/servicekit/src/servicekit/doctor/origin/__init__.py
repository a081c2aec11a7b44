"""What stands between people's browsers and a service: its origin, seen from outside as a browser sees it."""

from servicekit.doctor.origin.asking import Asker, NoAnswerError, Reply
from servicekit.doctor.origin.checks import AskedOrigin, answered, origin_checks, token_check
from servicekit.doctor.origin.site import Site

__all__ = [
    "AskedOrigin",
    "Asker",
    "NoAnswerError",
    "Reply",
    "Site",
    "answered",
    "origin_checks",
    "token_check",
]
