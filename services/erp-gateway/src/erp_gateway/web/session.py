# ruff: noqa: N818 - refusals are plain nouns
"""The signed-in person as every feature sees them, and the refusals of a request without one."""

from datetime import datetime
from typing import Final, Protocol

from attrs import field, frozen

from servicekit.errors import ServiceError

_CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}


class SessionRequired(ServiceError):
    """There is no bearer token, or its text cannot be one of ours. Carries `WWW-Authenticate: Bearer`."""

    status = 401
    code = "session_required"
    detail = "Debe iniciar sesión."

    def __init__(self, detail: str | None = None) -> None:
        """Take another sentence for people, where this occurrence has one."""
        super().__init__(detail, headers=_CHALLENGE)


class SessionExpired(SessionRequired):
    """The token is not, or no longer, valid."""

    code = "session_expired"
    detail = "Su sesión terminó. Inicie sesión de nuevo."


class SessionReplaced(SessionRequired):
    """A newer login of the same user took the token's place; the sentence tells when."""

    code = "session_replaced"
    detail = "Su sesión se cerró porque se inició otra con su mismo usuario."


@frozen(kw_only=True)
class WebSession:
    """One signed-in web user.

    Attributes:
        web_user: the name exactly as the ERP stores it (`U_WEB_USER`).
        employee_id: `EmployeeID` of the employee.
        first_name: given name, may be empty.
        last_name: family name, may be empty.
        email: may be empty.
        signed_in_at: aware UTC time of the login.
        token_digest: SHA-256 of the bearer token; the token itself is kept nowhere.
    """

    web_user: str
    employee_id: int
    first_name: str
    last_name: str
    email: str
    signed_in_at: datetime
    token_digest: bytes = field(repr=False)

    @property
    def full_name(self) -> str:
        """First and last name with one blank between, without the empty ones."""
        return " ".join(part for part in (self.first_name, self.last_name) if part)


class SessionSource(Protocol):
    """What the guard asks; `people.auth.sessions.WebSessionStore` answers it."""

    def authenticate(self, token: str) -> WebSession:
        """Return the session of a bearer token and slide its timeout.

        Raises:
            SessionRequired: the text cannot be a token of this service.
            SessionExpired: the token is not, or no longer, valid.
            SessionReplaced: a newer login of the same user took its place.
        """
        ...


class LiveSessions(Protocol):
    """Who is signed in at this moment; `people.auth.sessions.WebSessionStore` knows it."""

    def find(self, web_user: str) -> WebSession | None:
        """Return the live session of a web user, named exactly as in the ERP."""
        ...
