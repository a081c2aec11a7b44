"""Decide which employee a name means, and whether a session may continue."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from erp_gateway.values.user_names import is_reserved
from erp_gateway.values.web_user import WebUser
from servicekit.config import Secret


class LoginFailure(StrEnum):
    """Reasons of a failed login. Only the audit has the reason; the client always gets the same text."""

    UNKNOWN_USER = "unknown_user"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - an audit word, not a password
    INACTIVE = "inactive"
    AMBIGUOUS_USER = "ambiguous_user"
    RESERVED_USER = "reserved_user"
    THROTTLED = "throttled"


class SessionEnd(StrEnum):
    """Reasons why the gateway itself ends a session after a lookup. Only the audit has the reason."""

    UNKNOWN_USER = "unknown_user"
    INACTIVE = "inactive"
    AMBIGUOUS_USER = "ambiguous_user"
    RESERVED_USER = "reserved_user"
    EMPLOYEE_CHANGED = "employee_changed"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - an audit word, not a password


_WITHOUT_ACTIVE_EMPLOYEE: Final = frozenset(
    {
        LoginFailure.UNKNOWN_USER.value,
        LoginFailure.INACTIVE.value,
        LoginFailure.AMBIGUOUS_USER.value,
        LoginFailure.RESERVED_USER.value,
    }
)


def has_active_employee(reason: LoginFailure | SessionEnd) -> bool:
    """Return True if exactly one active employee has the name, although the login or session was rejected."""
    return reason.value not in _WITHOUT_ACTIVE_EMPLOYEE


@frozen(kw_only=True)
class Employee:
    """An employee record that matched a web user's name."""

    user: WebUser
    stored_password: Secret = field(repr=False)
    active: bool


@frozen(kw_only=True)
class Candidates:
    """The employees that matched a name; `complete` is False if the ERP had more than it returned."""

    employees: Sequence[Employee]
    complete: bool = True


def choose_employee(web_user: str, candidates: Candidates) -> Employee | LoginFailure:
    """Return the one active employee whose name is exactly `web_user`, or why there is none.

    Depending on its database, the ERP ignores letter case or trailing blanks in a comparison, so the names
    are compared again here. A reserved name never belongs to an employee, whatever the ERP returns.
    """
    if is_reserved(web_user):
        return LoginFailure.RESERVED_USER
    matches = [employee for employee in candidates.employees if employee.user.name == web_user]
    active = [employee for employee in matches if employee.active]
    if not candidates.complete or len(active) > 1:
        return LoginFailure.AMBIGUOUS_USER
    if active:
        return active[0]
    return LoginFailure.INACTIVE if matches else LoginFailure.UNKNOWN_USER


def find_session_end(
    web_user: str, employee_id: int, candidates: Candidates, *, is_same_password: Callable[[Secret], bool]
) -> SessionEnd | None:
    """Return why the session of an employee must end, or None if it may continue.

    Args:
        web_user: the session's user.
        employee_id: the employee who signed in.
        candidates: the employees that match the name now.
        is_same_password: returns True for the stored password that the session began with.
    """
    chosen = choose_employee(web_user, candidates)
    if not isinstance(chosen, Employee):
        return SessionEnd(chosen.value)
    if chosen.user.employee_id != employee_id:
        return SessionEnd.EMPLOYEE_CHANGED
    return None if is_same_password(chosen.stored_password) else SessionEnd.PASSWORD_CHANGED
