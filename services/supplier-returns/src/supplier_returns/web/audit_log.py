"""Who signed in and out, was not let in, executed, reprocessed and closed what, in the log.

The lines have the form and the names of the gateway's audit lines (docs/audit.md), so that one search finds
people in both services. There is no place in them for a password, nor for what a planning holds.
"""

from enum import StrEnum
from typing import Final

import structlog

_EVENT: Final = "AUDIT"

_log = structlog.get_logger(__name__)


class Action(StrEnum):
    """What somebody did."""

    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOGOUT = "logout"
    EXECUTE = "returns_execute"
    REPROCESS = "returns_reprocess"
    CLOSE = "planning_close"


class Result(StrEnum):
    """How it ended."""

    OK = "ok"
    DENIED = "denied"
    ERROR = "error"
    UNKNOWN = "unknown"


def audit(action: Action, result: Result, *, user: str | None, ip: str, **facts: object) -> None:
    """Tell of it; an address that is blocked for all has no user."""
    who = {"ip": ip} if user is None else {"user": user, "ip": ip}
    _log.info(_EVENT, action=action.value, result=result.value, **who, **facts)
