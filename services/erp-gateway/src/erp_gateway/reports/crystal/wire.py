"""Wire format of the report gateway: its calls and replies. No I/O.

The gateway answers nearly everything with 200, including a refused login and a failed export, so only the
body is meaningful. Sources: SAP's user guide "Working with SAP Business One API Gateway", and recordings of a
real one (B1 10.0 on HANA).
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
"""Maximum size of a JSON reply, which is parsed on the event loop in some 50 ms."""

_COOKIE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+")
_LOST_CODE: Final = 301
_PAGE_BYTES: Final = 64 * 1024
_LOGIN_WORDS: Final = re.compile(
    rb"log ?-?(?:in|on)|sign ?-?(?:in|on)|password|contrase|iniciar? sesi", re.IGNORECASE
)


@frozen
class GatewayLogin:
    """Credentials of the report gateway. The password is left out of `repr`."""

    company_db: str
    user: str
    password: str = field(repr=False)
    instance: str | None = None

    def body(self) -> bytes:
        """Return the body of the call."""
        body = {"CompanyDB": self.company_db, "UserName": self.user, "Password": self.password}
        if self.instance is not None:
            body["DBInstance"] = self.instance
        return _json(body)


@frozen
class AuthorizedReport:
    """One entry of the general catalogue, or a document type's layout, which the catalogue does not contain.

    Attributes:
        code: its code.
        name: for people.
        default: whether the ERP prints the document type with it.
        printable: whether the report gateway can print it; of layouts, only the Crystal ones.
    """

    code: str
    name: str
    default: bool = False
    printable: bool = True


@frozen(kw_only=True)
class DesignedParameter:
    """A parameter as designed in the report.

    Attributes:
        name: byte for byte.
        type: `xsd:string`, `xsd:decimal`, `xsd:date`, …
        description: text for people, may be empty.
        is_optional: whether its prompt may be left out.
        allows_null: whether it may have no value.
        is_multiple: whether it takes several values.
        is_range: whether it takes the two ends of a range.
        stored: values saved with the report; do not send them back unchecked.
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
    """Return the `Cookie` header of the session in a login's reply.

    The text of a refusal is the gateway's own, only for the log: `Disclosure.for_log`. The session is in two
    cookies of the same value, `Session` and `Cookie`. A cookie jar would not return them: they are `Secure`
    and have no path.

    Raises:
        ErpLoginRejected: the login was refused; the status is 200 as well.
        ErpReplyUnreadable: neither a session nor a refusal.
    """
    refused = reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
    reply_object = {} if refused else _read_object(reply)
    cookies = {name: _find_cookie(reply.set_cookies, name) for name in ("Session", "Cookie")}
    value = cookies["Session"] or cookies["Cookie"]
    if reply.status == HTTPStatus.OK and value is not None and "SessionTimeout" in reply_object:
        return f"Session={cookies['Session'] or value}; Cookie={cookies['Cookie'] or value}"
    if refused or "code" in reply_object:
        code, text = _read_refusal(reply_object)
        raise ErpLoginRejected(code, text)
    raise ErpReplyUnreadable("a login without a session")


def is_session_lost(reply: HttpReply) -> bool:
    """Return whether a reply means that the session has ended.

    Signs are a 401 (SAP's user guide), a 403 or a redirect, or behind a 200, as for nearly all replies of
    this gateway, the login page itself or the Service Layer's code 301 for an invalid session.
    """
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or 300 <= reply.status < 400:  # noqa: PLR2004
        return True
    return reply.status < 300 and (_is_login_page(reply.body) or _has_lost_code(reply.body))  # noqa: PLR2004


def _is_login_page(body: bytes) -> bool:
    page = body[:_PAGE_BYTES].removeprefix(b"\xef\xbb\xbf").lstrip()
    return page[:1] == b"<" and _LOGIN_WORDS.search(page) is not None


def _has_lost_code(body: bytes) -> bool:
    """Return whether this is `{"code":301}`, also within `error`, as in the Service Layer."""
    if len(body) > _PAGE_BYTES or body.lstrip()[:1] != b"{":
        return False
    try:
        reply_object = json.loads(body)
    except (ValueError, RecursionError):
        return False
    inner = reply_object.get("error")
    codes = (reply_object.get("code"), inner.get("code") if isinstance(inner, dict) else None)
    return any(str(code) == str(_LOST_CODE) for code in codes)


def _find_cookie(set_cookies: Iterable[str], name: str) -> str | None:
    for header in set_cookies:
        key, equals, value = header.partition(";")[0].partition("=")
        if equals and key.strip() == name and _COOKIE.fullmatch(value.strip()):
            return value.strip()
    return None


def _read_refusal(reply_object: Mapping[str, Any]) -> tuple[int | str | None, str]:
    code, message = reply_object.get("code"), reply_object.get("message")
    text = message.get("value") if isinstance(message, dict) else message
    return code if isinstance(code, int | str) else None, text if isinstance(text, str) else ""


def read_authorized(reply: HttpReply) -> tuple[AuthorizedReport, ...]:
    """Return the general catalogue.

    Raises:
        ErpReplyUnreadable: the reply has another form.
    """
    reply_object = _read_object(reply)
    if reply_object.get("result") != "Success":
        raise ErpReplyUnreadable("no list of reports")
    return tuple(AuthorizedReport(_text(row, "code"), _text(row, "name")) for row in _rows(reply_object))


def read_parameters(reply: HttpReply) -> tuple[DesignedParameter, ...] | None:
    """Return a report's parameters in its own order, or None for an unknown report (`200 {}`).

    Raises:
        ErpReplyUnreadable: any other reply.
    """
    reply_object = _read_object(reply)
    if not reply_object:
        return None
    if reply_object.get("error") is not False:
        raise ErpReplyUnreadable("no list of parameters")
    return tuple(_read_parameter(row) for row in _rows(reply_object))


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
    """Read a flag of a parameter: the gateway sends the texts `"true"` and `"false"`."""
    return flag is True or (isinstance(flag, str) and flag.strip().casefold() == "true")


def _stored_values(stored: object) -> Iterator[str]:
    waiting = [stored]
    while waiting:  # not by recursion: Python 3.13 reads JSON that is deeper than its own calls may be
        each = waiting.pop()
        if isinstance(each, list):
            waiting.extend(reversed(each))
        elif isinstance(each, str | int | Decimal) and not isinstance(each, bool) and str(each).strip():
            yield str(each)


def export_body(parameters: Iterable[ReportParameter], values: Mapping[str, Value]) -> bytes:
    """Return the body of an export: the parameters with a value, in order.

    Empty ones must be left out: the gateway prints nothing if it receives one.
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

    One value is `[["5"]]`, a range `[["A1", "A9"]]` (SAP's user guide). The form of several values is not
    documented. Since an inner pair is a range, it is assumed to be `[["01"], ["02"]]`.
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
        reply_object = json.loads(reply.body.decode("utf-8"), parse_float=Decimal)
        if b"\\u" in reply.body:
            json.dumps(reply_object, ensure_ascii=False, default=str).encode(
                "utf-8"
            )  # half a pair is no text
    except (ValueError, ArithmeticError, RecursionError) as error:  # an exponent that no number can have
        raise ErpReplyUnreadable("not JSON") from error
    if not isinstance(reply_object, dict):
        raise ErpReplyUnreadable("no JSON object")
    return reply_object


def _rows(reply_object: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    rows = reply_object.get("resultSet")
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
