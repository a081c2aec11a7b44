"""Request and response bodies of sign-in, sessions and the list of people."""

from datetime import datetime

from attrs import field, frozen

from erp_gateway.people.auth.directory import Person
from servicekit.erp.sign_in_fields import check_password, check_user_name


@frozen(kw_only=True)
class LoginBody:
    """Request body of a login."""

    username: str = field(validator=check_user_name)
    password: str = field(validator=check_password, repr=False)


@frozen(kw_only=True)
class UserAnswer:
    """The signed-in user."""

    web_user: str
    employee_id: int
    first_name: str
    last_name: str
    full_name: str
    email: str
    is_admin: bool
    allowed_paths: tuple[str, ...]


@frozen(kw_only=True)
class CompanyAnswer:
    """The company that the service works with; its days are those of `timezone`."""

    database: str
    name: str
    timezone: str


@frozen(kw_only=True)
class LoginAnswer:
    """The bearer token and its user; `expires_in` is in seconds."""

    token: str = field(repr=False)
    expires_in: int
    user: UserAnswer
    company: CompanyAnswer


@frozen(kw_only=True)
class LiveSessionAnswer:
    """One live session. A web user has at most one."""

    web_user: str
    employee_id: int
    full_name: str
    signed_in_at: datetime
    used_at: datetime
    expires_at: datetime


@frozen(kw_only=True)
class LiveSessionsAnswer:
    """All live sessions."""

    items: tuple[LiveSessionAnswer, ...]


@frozen(kw_only=True)
class PeopleAnswer:
    """All employees with a web user."""

    items: tuple[Person, ...]
