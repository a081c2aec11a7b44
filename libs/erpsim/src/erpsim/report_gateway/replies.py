"""Responses of the report gateway."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from http import HTTPStatus
from typing import Final

from erpsim.company.switches import Base64Form, LostSession
from erpsim.service_layer.wire.messages import SlReply

_JSON: Final = ("Content-Type", "application/json")
_JSON_UTF8: Final = ("Content-Type", "application/json;charset=UTF-8")
_HTML: Final = ("Content-Type", "text/html;charset=UTF-8")
LOGIN_PAGE: Final = "/auth/login.html"
NOTHING: Final = "(---)"


def json_reply(value: object, status: int = 200) -> SlReply:
    """Return a JSON response in the Reporting Service's format: a blank after each colon and comma."""
    body = json.dumps(value, ensure_ascii=False).encode()
    return SlReply(status=status, headers=(_JSON_UTF8,), body=body)


def compact_reply(value: object, status: int = 200) -> SlReply:
    """Return a JSON answer as the gateway itself writes it, without blanks."""
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    return SlReply(status=status, headers=(_JSON,), body=body)


def login_failed(text: str) -> SlReply:
    """Return the refusal of a login: 200 with code -1 and no cookie (seen live on a 10.0 system)."""
    return compact_reply({"code": -1, "message": {"lang": "en-us", "value": text}})


def session_lost(kind: LostSession) -> SlReply:
    """Response to a call without a valid session: a bare status, or a 200 that hides the error."""
    match kind:
        case LostSession.REDIRECT:
            return SlReply(status=302, headers=(("Location", LOGIN_PAGE),))
        case LostSession.PAGE:
            return login_page()
        case LostSession.CODE:
            return compact_reply({"code": 301, "message": {"lang": "en-us", "value": "Invalid session."}})
    return SlReply(status=int(kind.value))


def login_page() -> SlReply:
    """The page behind the redirect: a 200 for clients that follow it."""
    return SlReply(status=200, headers=(_HTML,), body=b"<!DOCTYPE html><html><title>Log On</title></html>")


def spring_error(status: int, path: str, now: datetime) -> SlReply:
    """Return an error of the framework below the gateway (the logout of a recording has this form)."""
    at, error = now.isoformat(timespec="milliseconds"), HTTPStatus(status).phrase
    return compact_reply({"timestamp": at, "status": status, "error": error, "path": path}, status)


def bad_request() -> SlReply:
    """Return the response to a call without `DocCode` (seen live), or with a body that is not JSON
    (assumed).
    """
    return compact_reply({"code": 400, "message": "400 BAD_REQUEST"}, 400)


def nothing_printed() -> SlReply:
    """The one response to every export that cannot be printed: five bytes declared as JSON."""
    return SlReply(status=200, headers=(_JSON,), body=NOTHING.encode())


def failure_text(text: str) -> SlReply:
    """Return a failed export with its reason as a JSON text."""
    return compact_reply(text)


def printed(code: str, pdf: bytes, form: Base64Form) -> SlReply:
    """Return a good export: 201 with base64."""
    encoded = base64.b64encode(pdf)
    if form is Base64Form.QUOTED:
        encoded = b'"' + encoded + b'"'
    elif form is Base64Form.WRAPPED:
        encoded = base64.encodebytes(pdf).replace(b"\n", b"\r\n")
    disposition = f'form-data; name="attachment"; filename="{code}.pdf"'
    return SlReply(
        status=201,
        headers=(("Content-Disposition", disposition), ("Content-Type", "application/octet-stream")),
        body=encoded,
    )


def not_simulated(what: str) -> SlReply:
    """Refusal of a case that no source documents."""
    return compact_reply({"error": f"erpsim does not simulate {what}"}, 501)
