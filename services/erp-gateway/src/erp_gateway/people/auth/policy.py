"""Decide which employee a name means, and whether a session may continue."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from erp_gateway.values.user_names import is_reserved
from erp_gateway.values.web_user import WebUser
from servicekit.config import Secret


class LoginFailure(StrEnum):
    """Why a login failed; stands in the audit only, the client sees one text for all."""

    UNKNOWN_USER = "unknown_user"
    WRONG_PASSWORD = "wrong_password"  # noqa: S105 - a word of the audit, not a password
    INACTIVE = "inactive"
    AMBIGUOUS_USER = "ambiguous_user"
    RESERVED_USER = "reserved_user"
    THROTTLED = "throttled"


class SessionEnd(StrEnum):
    """Why the gateway itself ends a session: what the ERP says of its employee by now. In the audit only."""

    UNKNOWN_USER = "unknown_user"
    INACTIVE = "inactive"
    AMBIGUOUS_USER = "ambiguous_user"
    RESERVED_USER = "reserved_user"
    EMPLOYEE_CHANGED = "employee_changed"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - a word of the audit, not a password


_SAYS_INACTIVE: Final = frozenset(
    {
        LoginFailure.UNKNOWN_USER.value,
        LoginFailure.INACTIVE.value,
        LoginFailure.AMBIGUOUS_USER.value,
        LoginFailure.RESERVED_USER.value,
    }
)


def says_active(reason: LoginFailure | SessionEnd) -> bool:
    """Return whether exactly one active employee has the name, although the sign-in or the session failed."""
    return reason.value not in _SAYS_INACTIVE


@frozen(kw_only=True)
class Employee:
    """One employee that the ERP answered for a web user's name."""

    user: WebUser
    stored_password: Secret = field(repr=False)
    active: bool


@frozen(kw_only=True)
class Candidates:
    """What the ERP found: `complete` is False when there were more than it answered."""

    employees: Sequence[Employee]
    complete: bool = True


def choose_employee(web_user: str, candidates: Candidates) -> Employee | LoginFailure:
    """Return the one active employee whose name is exactly `web_user`, or why there is none.

    Depending on its database the ERP compares without regard to letter case or blanks at the end, so the
    names are compared here once more. A name of the service itself is nobody's, whatever the ERP answers.
    """
    if is_reserved(web_user):
        return LoginFailure.RESERVED_USER
    named = [employee for employee in candidates.employees if employee.user.name == web_user]
    active = [employee for employee in named if employee.active]
    if not candidates.complete or len(active) > 1:
        return LoginFailure.AMBIGUOUS_USER
    if active:
        return active[0]
    return LoginFailure.INACTIVE if named else LoginFailure.UNKNOWN_USER


def find_session_end(
    web_user: str, employee_id: int, candidates: Candidates, *, is_same_password: Callable[[Secret], bool]
) -> SessionEnd | None:
    """Return why the session of an employee may not go on, or None when it may.

    Args:
        web_user: the session's user.
        employee_id: the employee who signed in.
        candidates: what the ERP answers for that name now.
        is_same_password: whether a stored password is the one with which the session began.
    """
    chosen = choose_employee(web_user, candidates)
    if not isinstance(chosen, Employee):
        return SessionEnd(chosen.value)
    if chosen.user.employee_id != employee_id:
        return SessionEnd.EMPLOYEE_CHANGED
    return None if is_same_password(chosen.stored_password) else SessionEnd.PASSWORD_CHANGED
