"""Who signed in, who was not let in and who signed out, in the log.

The lines have the form and the names of the gateway's audit lines (docs/audit.md), so that one search finds
people in both services. There is no place in them for a password.
"""

from enum import StrEnum
from typing import Final

import structlog

_EVENT: Final = "AUDIT"

_log = structlog.get_logger(__name__)


class SignInAction(StrEnum):
    """What happened."""

    LOGIN = "login"
    LOGIN_FAILED = "login_failed"
    LOGOUT = "logout"


class LoginFailure(StrEnum):
    """Why somebody was not let in; the ERP does not tell whether user or password is wrong."""

    INVALID_CREDENTIALS = "invalid_credentials"
    THROTTLED = "throttled"


def log_login(user: str, ip: str) -> None:
    """Tell that somebody signed in."""
    _log.info(_EVENT, action=SignInAction.LOGIN.value, result="ok", user=user, ip=ip)


def log_login_failed(user: str | None, ip: str, reason: LoginFailure) -> None:
    """Tell that somebody was not let in; a blocked address has no user."""
    facts = {"ip": ip} if user is None else {"user": user, "ip": ip}
    _log.info(_EVENT, action=SignInAction.LOGIN_FAILED.value, result="denied", reason=reason.value, **facts)


def log_logout(user: str, ip: str) -> None:
    """Tell that somebody signed out."""
    _log.info(_EVENT, action=SignInAction.LOGOUT.value, result="ok", user=user, ip=ip)
