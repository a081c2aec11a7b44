"""Causes that any check of the Service Layer may find."""

from collections.abc import Mapping
from typing import Final

from erpclient import ErpError, ErpTimeout, ErpUnreachable
from erpdoctor.checks import NO_ANSWER_IN_TIME, Cause, fail

UNEXPECTED: Final = fail(
    "unexpected_answer",
    "El Service Layer respondió algo que no se esperaba.",
    english="A response that does not follow the protocol, in any check of this group.",
    remedy="Revise si un intermediario cambia sus respuestas; si no, pruebe esa lectura en el ERP.",
    english_remedy="Check whether a proxy changes its responses; if not, try that read in the ERP.",
)
FAULTS: Final[Mapping[type[Exception], Cause]] = {
    ErpTimeout: NO_ANSWER_IN_TIME,
    ErpUnreachable: NO_ANSWER_IN_TIME,
    ErpError: UNEXPECTED,
}
"""Findings of checks without a usable reply."""
