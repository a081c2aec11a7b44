# ruff: noqa: N818 - refusals are plain nouns
"""The session of a signed-in person, and the errors of requests without one."""

from datetime import datetime
from typing import Final

from attrs import field, frozen

from erp_gateway.values.web_user import WebUser
from servicekit.errors import ServiceError

_CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}


class SessionRequired(ServiceError):
    """The bearer token is missing or malformed."""

    status = 401
    code = "session_required"
    detail = "Debe iniciar sesión."

    def __init__(self, detail: str | None = None) -> None:
        """Replace the sentence for people."""
        super().__init__(detail, headers=_CHALLENGE)


class SessionExpired(SessionRequired):
    """The token is not valid, or no longer: see
    [Sessions across restarts](docs/reliability.md#sessions-across-restarts).
    """

    code = "session_expired"
    detail = "Su sesión terminó. Inicie sesión de nuevo."


class SessionReplaced(SessionRequired):
    """A newer login of the same user ended the session."""

    code = "session_replaced"
    detail = "Su sesión se cerró porque se inició otra con su mismo usuario."


@frozen(kw_only=True)
class WebSession:
    """The session of a web user.

    Attributes:
        user: the web user.
        signed_in_at: aware UTC time of the login.
        token_digest: SHA-256 of the bearer token. The token itself is not stored.
    """

    user: WebUser
    signed_in_at: datetime
    token_digest: bytes = field(repr=False)
