"""What signing in takes, and what is told of the signed-in."""

from datetime import datetime
from typing import Final

from attrs import Attribute, field, frozen

from erpclient.odata import InvalidLiteral, quote_string
from servicekit.endpoint import InvalidValue

MAX_USER_NAME_CHARS: Final = 254
MAX_PASSWORD_CHARS: Final = 1024
MAX_LOGIN_BYTES: Final = 16 * 1024
"""Name and password at their longest, with every character escaped."""


def _check_user_name(_body: object, _field: "Attribute[str]", value: str) -> None:
    if not value.strip() or len(value) > MAX_USER_NAME_CHARS:
        raise InvalidValue(f"Debe tener entre 1 y {MAX_USER_NAME_CHARS} caracteres.")
    try:
        quote_string(value)
    except InvalidLiteral:
        raise InvalidValue("Contiene caracteres que ningún usuario tiene.") from None


def _check_password(_body: object, _field: "Attribute[str]", value: str) -> None:
    if len(value) > MAX_PASSWORD_CHARS:
        raise InvalidValue(f"Debe tener como máximo {MAX_PASSWORD_CHARS} caracteres.")


@frozen(kw_only=True)
class LoginBody:
    """What login takes."""

    username: str = field(validator=_check_user_name)
    password: str = field(validator=_check_password, repr=False)


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
    """The company that the service works with."""

    database: str
    name: str


@frozen(kw_only=True)
class LoginAnswer:
    """The token, for `Authorization: Bearer`, and who it stands for; `expires_in` is in seconds."""

    token: str = field(repr=False)
    expires_in: int
    user: UserAnswer
    company: CompanyAnswer


@frozen(kw_only=True)
class LiveSessionAnswer:
    """One live session; it is a web user's only one."""

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


USER_EXAMPLE: Final = {
    "webUser": "ana",
    "employeeId": 7,
    "firstName": "Ana",
    "lastName": "Rojas",
    "fullName": "Ana Rojas",
    "email": "ana.rojas@example.com",
    "isAdmin": False,
    "allowedPaths": ["/ventas/*", "/compras/facturas"],
}
LOGIN_EXAMPLE: Final = {
    "token": "q8Zt0wYc2m5nL1rVb7kXeJ4dGhS9uPaTfC6iOoRyWzE",
    "expiresIn": 1800,
    "user": USER_EXAMPLE,
    "company": {"database": "SBO_DEMO", "name": "Comercial Demo"},
}
SESSIONS_EXAMPLE: Final = {
    "items": [
        {
            "webUser": "ana",
            "employeeId": 7,
            "fullName": "Ana Rojas",
            "signedInAt": "2026-03-02T11:58:40.000Z",
            "usedAt": "2026-03-02T14:05:09.120Z",
            "expiresAt": "2026-03-02T14:35:09.120Z",
        }
    ]
}
