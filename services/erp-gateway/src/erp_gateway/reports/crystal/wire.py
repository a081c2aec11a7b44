"""The report gateway's wire form: what its calls look like, what its answers mean. No I/O.

The gateway answers 200 to nearly everything, a refused login and a failed export included: only the body
tells. Sources: SAP's user guide "Working with SAP Business One API Gateway", and recordings of a real one
(B1 10.0 on HANA).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

from attrs import field, frozen

from erp_gateway.values.parameters.declare import Interval, ReportParameter, Scalar, Value
from erpclient import ErpLoginRejected, ErpReplyUnreadable, HttpReply

LOGIN: Final = "login"
LOGOUT: Final = "logout"
AUTHORIZED: Final = "rs/v1/LoadAuthorizedCRList"
PARAMETERS: Final = "rs/v1/LoadCR"
EXPORT: Final = "rs/v1/ExportPDFData"

MAX_JSON_BYTES: Final = 4 * 1024 * 1024
"""Largest answer that is read as JSON, which is done on the event loop and takes some 50 ms then."""

_COOKIE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+")
_LOST_CODE: Final = 301
_PAGE_BYTES: Final = 64 * 1024
_LOGIN_WORDS: Final = re.compile(
    rb"log ?-?(?:in|on)|sign ?-?(?:in|on)|password|contrase|iniciar? sesi", re.IGNORECASE
)


@frozen
class GatewayLogin:
    """Who logs in. The password never shows in `repr`."""

    company_db: str
    user: str
    password: str = field(repr=False)
    instance: str | None = None

    def body(self) -> bytes:
        """Return the body of the call."""
        sent = {"CompanyDB": self.company_db, "UserName": self.user, "Password": self.password}
        if self.instance is not None:
            sent["DBInstance"] = self.instance
        return _json(sent)


@frozen
class AuthorizedReport:
    """One entry of the general catalogue; or a document type's layout, which is never in that.

    Attributes:
        code: its code.
        name: for people.
        default: whether the ERP prints the document type with it.
        printable: whether the report gateway can print it: of layouts, the Crystal ones alone.
    """

    code: str
    name: str
    default: bool = False
    printable: bool = True


@frozen(kw_only=True)
class DesignedParameter:
    """A parameter as the report's designer made it.

    Attributes:
        name: byte for byte.
        type: `xsd:string`, `xsd:decimal`, `xsd:date`, …
        description: text for people, may be empty.
        is_optional: whether its prompt may be left out.
        allows_null: whether it may have no value.
        is_multiple: whether it takes several values.
        is_range: whether it takes the two ends of a range.
        stored: the values that were saved with the report; never to be sent back unseen.
    """

    name: str
    type: str
    description: str = ""
    is_optional: bool = False
    allows_null: bool = False
    is_multiple: bool = False
    is_range: bool = False
    stored: tuple[str, ...] = ()


def code_query(code: str) -> str:
    """Return the query string that names a report."""
    return f"DocCode={quote(code, safe='')}"


def read_login(reply: HttpReply) -> str:
    """Return the `Cookie` header of the session that a login gave.

    The text of a refusal is as the gateway wrote it, and for the log alone: `Disclosure.for_log`.

    The session is in two cookies of the same value, `Session` and `Cookie`. They are kept by hand: they are
    `Secure` and have no path.

    Raises:
        ErpLoginRejected: it was refused; the status says 200 then, too.
        ErpReplyUnreadable: it is neither a session nor a refusal.
    """
    refused = reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
    answer = {} if refused else _read_object(reply)
    cookies = {name: _find_cookie(reply.set_cookies, name) for name in ("Session", "Cookie")}
    value = cookies["Session"] or cookies["Cookie"]
    if reply.status == HTTPStatus.OK and value is not None and "SessionTimeout" in answer:
        return f"Session={cookies['Session'] or value}; Cookie={cookies['Cookie'] or value}"
    if refused or "code" in answer:
        code, text = _read_refusal(answer)
        raise ErpLoginRejected(code, text)
    raise ErpReplyUnreadable("a login without a session")


def is_session_lost(reply: HttpReply) -> bool:
    """Tell whether an answer says that the session is over.

    A 401 (SAP's user guide), a 403 or a redirection says so; behind a 200, as behind nearly all that this
    gateway answers, the login page itself, or the Service Layer's code 301 for an invalid session.
    """
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or 300 <= reply.status < 400:  # noqa: PLR2004
        return True
    return reply.status < 300 and (_is_login_page(reply.body) or _tells_lost_code(reply.body))  # noqa: PLR2004


def _is_login_page(body: bytes) -> bool:
    """Tell whether this is a page of HTML that speaks of logging in."""
    page = body[:_PAGE_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    return page[:1] == b"<" and _LOGIN_WORDS.search(page) is not None


def _tells_lost_code(body: bytes) -> bool:
    """Tell whether this is `{"code":301}`, also within `error`, as the Service Layer has it."""
    if len(body) > _PAGE_BYTES or body.lstrip()[:1] != b"{":
        return False
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return False
    inner = answer.get("error")
    codes = (answer.get("code"), inner.get("code") if isinstance(inner, dict) else None)
    return any(str(code) == str(_LOST_CODE) for code in codes)


def _find_cookie(set_cookies: Iterable[str], name: str) -> str | None:
    for header in set_cookies:
        key, equals, value = header.partition(";")[0].partition("=")
        if equals and key.strip() == name and _COOKIE.fullmatch(value.strip()):
            return value.strip()
    return None


def _read_refusal(answer: Mapping[str, Any]) -> tuple[int | str | None, str]:
    code, message = answer.get("code"), answer.get("message")
    text = message.get("value") if isinstance(message, dict) else message
    return code if isinstance(code, int | str) else None, text if isinstance(text, str) else ""


def read_authorized(reply: HttpReply) -> tuple[AuthorizedReport, ...]:
    """Return the general catalogue.

    Raises:
        ErpReplyUnreadable: it is something else.
    """
    answer = _read_object(reply)
    if answer.get("result") != "Success":
        raise ErpReplyUnreadable("no list of reports")
    return tuple(AuthorizedReport(_text(row, "code"), _text(row, "name")) for row in _rows(answer))


def read_parameters(reply: HttpReply) -> tuple[DesignedParameter, ...] | None:
    """Return a report's parameters in its own order; None when there is no such report (`200 {}`).

    Raises:
        ErpReplyUnreadable: it is something else.
    """
    answer = _read_object(reply)
    if not answer:
        return None
    if answer.get("error") is not False:
        raise ErpReplyUnreadable("no list of parameters")
    return tuple(_read_parameter(row) for row in _rows(answer))


def _read_parameter(row: Mapping[str, Any]) -> DesignedParameter:
    name = row.get("name")
    if not isinstance(name, str) or not name:
        raise ErpReplyUnreadable("a parameter without a name")
    description = row.get("description")
    return DesignedParameter(
        name=name,
        type=_text(row, "type"),
        description=description if isinstance(description, str) else "",
        is_optional=is_true(row.get("isOptionalPrompt")),
        allows_null=is_true(row.get("allowNullValue")),
        is_multiple=is_true(row.get("allowMultiValue")),
        is_range=str(row.get("valueRangeKind", "")).casefold() == "range",
        stored=tuple(_stored_values(row.get("currentvalues"))),
    )


def is_true(flag: object) -> bool:
    """Read a flag of a parameter: they come as the texts `"true"` and `"false"`."""
    return flag is True or (isinstance(flag, str) and flag.strip().casefold() == "true")


def _stored_values(stored: object) -> Iterator[str]:
    """Yield the texts of a value, however deep its lists are."""
    waiting = [stored]
    while waiting:  # not by recursion: Python 3.13 reads JSON that is deeper than its own calls may be
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(reversed(each))
        elif isinstance(each, str | int | Decimal) and not isinstance(each, bool) and str(each).strip():
            yield str(each)


def export_body(parameters: Iterable[ReportParameter], values: Mapping[str, Value]) -> bytes:
    """Return the body of an export: the parameters that have a value, in their order.

    Empty ones must not be sent: a gateway that gets one prints nothing.
    """
    return _json(
        [
            {"name": parameter.name, "type": parameter.type, "value": wire_value(values[parameter.name])}
            for parameter in parameters
            if parameter.name in values
        ]
    )


def wire_value(value: Value) -> list[list[str]]:
    """Return a value in the form of an export, always a list of lists of texts.

    One value is `[["5"]]`, a range `[["A1", "A9"]]` (SAP's user guide). How several values look is told
    nowhere: since an inner pair is a range, they are taken to be `[["01"], ["02"]]`.
    """
    if isinstance(value, Interval):
        return [[_wire_text(value.start), _wire_text(value.end)]]
    if isinstance(value, tuple):
        return [[_wire_text(each)] for each in value]
    return [[_wire_text(value)]]


def _wire_text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, str):
        return value
    return value.isoformat(timespec="seconds") if isinstance(value, datetime) else value.isoformat()


def _read_object(reply: HttpReply) -> dict[str, Any]:
    if reply.fault is not None:
        raise ErpReplyUnreadable(reply.fault)
    if len(reply.body) > MAX_JSON_BYTES:
        raise ErpReplyUnreadable("too large")
    try:
        answer = json.loads(reply.body.decode("utf-8"), parse_float=Decimal)
        if b"\\u" in reply.body:
            json.dumps(answer, ensure_ascii=False, default=str).encode("utf-8")  # half a pair is no text
    except (ValueError, ArithmeticError, RecursionError) as error:  # an exponent that no number can have
        raise ErpReplyUnreadable("not JSON") from error
    if not isinstance(answer, dict):
        raise ErpReplyUnreadable("no JSON object")
    return answer


def _rows(answer: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    rows = answer.get("resultSet")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ErpReplyUnreadable("no list of rows")
    return rows


def _text(row: Mapping[str, Any], name: str) -> str:
    text = row.get(name)
    if not isinstance(text, str):
        raise ErpReplyUnreadable(f"a row without {name}")
    return text


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
