"""Audit lines in the log: sign-ins, refusals, executions, reprocessings and closings.

The lines have the form and the names of the gateway's audit lines (docs/audit.md), so that one search finds a
user in both services. They have no field for a password or for the content of a planning.
"""

from enum import StrEnum
from typing import Final

import structlog

_EVENT: Final = "AUDIT"

_log = structlog.get_logger(__name__)


class Action(StrEnum):
    """Audited action."""

    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOGOUT = "logout"
    EXECUTE = "returns_execute"
    REPROCESS = "returns_reprocess"
    CLOSE = "planning_close"


class Result(StrEnum):
    """Outcome of an action."""

    OK = "ok"
    DENIED = "denied"
    ERROR = "error"
    UNKNOWN = "unknown"


def audit(action: Action, result: Result, *, user: str | None, ip: str, **facts: object) -> None:
    """Write an audit line. A blocked address has no user."""
    identity = {"ip": ip} if user is None else {"user": user, "ip": ip}
    _log.info(_EVENT, action=action.value, result=result.value, **identity, **facts)
