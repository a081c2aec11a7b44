"""What a failed look says, in words that programs can tell apart. No I/O."""

from enum import Enum
from http import HTTPStatus
from typing import Final

from erpclient.errors import (
    ErpError,
    ErpLoginRejected,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
)
from erpclient.http.wire import COMPANY_ERROR, company_number, is_gateway_page
from erpdoctor.inspection.answers import Answer

_UNKNOWN_COMPANY: Final = frozenset({-132, -5027})
"""DI API codes of a company database that there is not."""
_NO_LICENCE: Final = frozenset({-8007, -8009, -8010, -118, -104})
"""DI API codes of missing licences and of too many users."""
_NO_SUCH_SET: Final = frozenset({200, -1002})
"""What a Service Layer says of an entity set that it does not have, with 400 (seen live)."""


class LoginTrouble(Enum):
    """Why a login gave no session."""

    REFUSED = "login_refused"
    """User or password are wrong, or the user is locked."""
    UNKNOWN_COMPANY = "company_unknown"
    NO_LICENCE = "no_licence"
    COMPANY_CLOSED = "company_not_opened"
    """The company could not be opened for a reason that may pass."""
    SILENT = "login_without_answer"
    UNREADABLE = "login_unreadable"
    """Somebody else answered: a refusal without a word of the ERP's tells nothing of user and password."""


def login_trouble(error: ErpError) -> LoginTrouble:
    """Tell why a login failed."""
    if isinstance(error, ErpLoginRejected) and error.code is None and not error.text:
        return LoginTrouble.UNREADABLE
    if isinstance(error, ErpLoginRejected | ErpServerError):
        number = company_number(error.text) if error.code == COMPANY_ERROR else None
        if number in _UNKNOWN_COMPANY:
            return LoginTrouble.UNKNOWN_COMPANY
        if number in _NO_LICENCE:
            return LoginTrouble.NO_LICENCE
        return LoginTrouble.REFUSED if isinstance(error, ErpLoginRejected) else LoginTrouble.COMPANY_CLOSED
    if isinstance(error, ErpTimeout | ErpUnreachable):
        return LoginTrouble.SILENT
    return LoginTrouble.UNREADABLE


class ReadTrouble(Enum):
    """Why a read brought no records."""

    FORBIDDEN = "forbidden"
    MISSING = "missing"
    """There is no such entity set."""
    SESSION_LOST = "session_lost"
    GATEWAY = "gateway_page"
    """Only the web server before the Service Layer answered."""
    REFUSED = "refused"
    """Any other refusal or failure."""


def read_trouble(answer: Answer) -> ReadTrouble | None:
    """Tell why an answer to a read is none; ``None`` for a good one."""
    if answer.good:
        return None
    if answer.status == HTTPStatus.FORBIDDEN:
        return ReadTrouble.FORBIDDEN
    if answer.status == HTTPStatus.UNAUTHORIZED:
        return ReadTrouble.SESSION_LOST
    code, text = answer.error
    if answer.status == HTTPStatus.BAD_REQUEST and code in _NO_SUCH_SET:
        return ReadTrouble.MISSING
    if is_gateway_page(answer.reply) or (code is None and not text):
        return ReadTrouble.GATEWAY
    return ReadTrouble.REFUSED
