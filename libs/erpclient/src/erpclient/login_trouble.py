"""Reasons of failed logins, as reported by the ERP."""

from enum import Enum
from typing import Final

from erpclient.errors import ErpError, ErpLoginRejected, ErpServerError, ErpTimeout, ErpUnreachable
from erpclient.http.login import COMPANY_ERROR, company_number, is_directory_trouble

# DI API codes for an unknown company database.
_UNKNOWN_COMPANY: Final = frozenset({-132, -5027})
# DI API codes of missing licences and of too many users.
_NO_LICENCE: Final = frozenset({-8007, -8009, -8010, -118, -104})
# A locked user (captured).
_LOCKED: Final = 100000055


class LoginTrouble(Enum):
    """Reasons why a login failed."""

    REFUSED = "login_refused"
    """User or password are wrong; older builds report a locked user this way, too."""
    USER_LOCKED = "user_locked"
    UNKNOWN_COMPANY = "company_unknown"
    NO_DIRECTORY = "company_directory"
    """The System Landscape Directory, in which the Service Layer looks up companies, does not list this
    one.
    """
    NO_LICENCE = "no_licence"
    COMPANY_CLOSED = "company_not_opened"
    """The company could not be opened for a reason that may pass."""
    SILENT = "login_without_answer"
    UNREADABLE = "login_unreadable"
    """Another server replied. Without the ERP's code, a refusal proves nothing about user and password."""


def login_trouble(error: ErpError) -> LoginTrouble:
    """Classify a failed login."""
    if isinstance(error, ErpLoginRejected) and error.code is None and not error.text:
        return LoginTrouble.UNREADABLE
    if isinstance(error, ErpLoginRejected | ErpServerError):
        return _trouble_of_code(error)
    if isinstance(error, ErpTimeout | ErpUnreachable):
        return LoginTrouble.SILENT
    return LoginTrouble.UNREADABLE


def _trouble_of_code(error: ErpLoginRejected | ErpServerError) -> LoginTrouble:
    if error.code == _LOCKED:
        return LoginTrouble.USER_LOCKED
    if is_directory_trouble(error.text):
        return LoginTrouble.NO_DIRECTORY
    number = company_number(error.text) if error.code == COMPANY_ERROR else None
    if number in _UNKNOWN_COMPANY:
        return LoginTrouble.UNKNOWN_COMPANY
    if number in _NO_LICENCE:
        return LoginTrouble.NO_LICENCE
    return LoginTrouble.REFUSED if isinstance(error, ErpLoginRejected) else LoginTrouble.COMPANY_CLOSED
