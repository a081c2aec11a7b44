"""Login and logout calls, and the reply of a login."""

import re
from http import HTTPStatus
from typing import Final

import msgspec
from attrs import field, frozen

from erpclient.errors import (
    ErpLoginRejected,
    ErpReplyUnreadable,
    ErpServerError,
)
from erpclient.http.calls import Call
from erpclient.http.cookies import COOKIE_VALUE, ROUTE_COOKIE, SESSION_COOKIE, find_cookie
from erpclient.http.decoding import DECODE_ERRORS
from erpclient.http.error_replies import is_success, read_error
from erpclient.http.messages import HttpReply
from erpclient.settings import Credentials

_NUMBER_AT_END: Final = re.compile(r"(-[0-9]{1,9})\W*$")
_DIRECTORY_TROUBLE: Final = "bound database instance from sld"
COMPANY_ERROR: Final = 305
"""Code of a login whose company could not be opened. The DI API's own code ends the text."""

# DI API codes for wrong user or password (-107, -8023) and wrong database (-132, -5027).
#
# Other codes, like -1102 right after a restart, are temporary.
_REFUSED_COMPANY_CODES: Final = frozenset({-107, -132, -5027, -8023})


def login_call(credentials: Credentials) -> Call:
    """Open a session."""
    fields: dict[str, str | int] = {
        "CompanyDB": credentials.company_db,
        "UserName": credentials.user,
        "Password": credentials.password,
    }
    if credentials.language is not None:
        fields["Language"] = credentials.language
    return Call("POST", "Login", "/Login", body=msgspec.json.encode(fields), write=True)


LOGOUT_CALL: Final = Call("POST", "Logout", "/Logout", write=True)


@frozen
class LoginGrant:
    """Result of a successful login.

    Attributes:
        session: value of the session cookie.
        route: value of the balancer's cookie, if any.
    """

    session: str = field(repr=False)
    route: str | None = field(default=None, repr=False)


class _LoginAnswer(msgspec.Struct):
    session: str = msgspec.field(name="SessionId", default="")


def read_login(reply: HttpReply) -> LoginGrant:
    """Read the reply of a login.

    Raises:
        ErpLoginRejected: the ERP rejects the credentials.
        ErpServerError: it could not log in for a temporary reason.
        ErpReplyUnreadable: neither a session nor a readable refusal.
    """
    code, text = read_error(reply)
    if is_directory_trouble(text) or (
        reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not _is_refused_company(code, text)
    ):
        raise ErpServerError(reply.status, code, text)
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or code is not None or text:
        raise ErpLoginRejected(code, text)
    if not is_success(reply.status):
        raise ErpReplyUnreadable(f"status {reply.status} to a login")
    session = find_cookie(reply.set_cookies, SESSION_COOKIE) or _session_in_body(reply.body)
    if not session:
        raise ErpReplyUnreadable(reply.fault or "a login without a session")
    return LoginGrant(session, find_cookie(reply.set_cookies, ROUTE_COOKIE) or None)


def _is_refused_company(code: int | str | None, text: str) -> bool:
    return code == COMPANY_ERROR and company_number(text) in _REFUSED_COMPANY_CODES


def is_directory_trouble(text: str) -> bool:
    """Return whether the System Landscape Directory did not provide the company's database, which says
    nothing about the password.

    ``Fail to Get the Bound Database Instance from SLD`` (seen by an integrator; its status is unknown). Older
    builds refuse a wrong password with the other text that names it, ``Fail to get DB Credentials from SLD``.
    """
    return _DIRECTORY_TROUBLE in text.casefold()


def company_number(text: str) -> int | None:
    """Return the DI API's code at the end of a company error's text, ``None`` without one."""
    number = _NUMBER_AT_END.search(text)
    return None if number is None else int(number[1])


def _session_in_body(body: bytes) -> str | None:
    """The cookie's value is also in the body (SAP manual 1.22 section 3.1)."""
    try:
        session = msgspec.json.decode(body, type=_LoginAnswer).session
    except DECODE_ERRORS:
        return None
    return session if COOKIE_VALUE.fullmatch(session) else None
