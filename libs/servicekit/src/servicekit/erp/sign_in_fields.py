"""Fields of a sign-in body."""

from typing import Final

from attrs import Attribute

from erpclient.odata import InvalidLiteral, quote_string
from servicekit.endpoint import InvalidValue

MAX_USER_NAME_CHARS: Final = 254
MAX_PASSWORD_CHARS: Final = 1024
MAX_LOGIN_BYTES: Final = 16 * 1024
"""Name and password at their longest, with every character escaped."""


def check_user_name(_body: object, _field: "Attribute[str]", value: str) -> None:
    """Validate a user name (attrs).

    Raises:
        InvalidValue: too short or too long, or with characters that the ERP refuses.
    """
    if not value.strip() or len(value) > MAX_USER_NAME_CHARS:
        raise InvalidValue(f"Debe tener entre 1 y {MAX_USER_NAME_CHARS} caracteres.")
    try:
        quote_string(value)
    except InvalidLiteral:
        raise InvalidValue("Contiene caracteres que ningún usuario tiene.") from None


def check_password(_body: object, _field: "Attribute[str]", value: str) -> None:
    """Validate the length of a password (attrs).

    Raises:
        InvalidValue: it is.
    """
    if len(value) > MAX_PASSWORD_CHARS:
        raise InvalidValue(f"Debe tener como máximo {MAX_PASSWORD_CHARS} caracteres.")
