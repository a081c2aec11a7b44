"""Checks and their findings, as values. Nothing here does I/O."""

from erpdoctor.checks.check import STEP_LIMIT_S, Check, Group
from erpdoctor.checks.common_causes import DEPENDS_ON, DOCTOR_BROKE, EVERYWHERE, NO_ANSWER_IN_TIME
from erpdoctor.checks.declared import Checks, declares_check
from erpdoctor.checks.finding import Cause, Figure, Finding, fail, ok, skipped, warn

__all__ = [
    "DEPENDS_ON",
    "DOCTOR_BROKE",
    "EVERYWHERE",
    "NO_ANSWER_IN_TIME",
    "STEP_LIMIT_S",
    "Cause",
    "Check",
    "Checks",
    "Figure",
    "Finding",
    "Group",
    "declares_check",
    "fail",
    "ok",
    "skipped",
    "warn",
]
