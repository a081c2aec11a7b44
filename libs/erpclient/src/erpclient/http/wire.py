"""The Service Layer's protocol, no I/O: requests are built here and answers are understood here."""

import re
from collections.abc import AsyncIterator, Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

import msgspec
from attrs import field, frozen

from erpclient.caller import Caller
from erpclient.errors import (
    TOO_LARGE,
    ErpError,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyTooLarge,
    ErpReplyUnreadable,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    bounded,
)
from erpclient.http.bodies import VERSION
from erpclient.http.half_characters import with_whole_characters
from erpclient.http.transport import HttpReply, HttpRequest, Sink, StreamedBody
from erpclient.settings import Credentials

SESSION_COOKIE: Final = "B1SESSION"
ROUTE_COOKIE: Final = "ROUTEID"

_FIXED_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "erpclient"}
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
_COOKIE_VALUE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]{1,1024}")
_SLASH_IN_KEY: Final = re.compile(r"%2F|%5C", re.IGNORECASE)
_INTEGER: Final = re.compile(r"-?[0-9]{1,18}")
_NUMBER_AT_END: Final = re.compile(r"(-[0-9]{1,9})\W*$")
_CHARSET: Final = re.compile(r";\s*charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)
_DIRECTORY_TROUBLE: Final = "bound database instance from sld"

ATTACHMENTS: Final = "Attachments2"
"""Entity set of the files that records refer to by their ``AttachmentEntry``."""

COMPANY_ERROR: Final = 305
"""Code of a login whose company could not be opened; the DI API's own code ends the text."""
_REFUSED_COMPANY_CODES: Final = frozenset({-107, -132, -5027, -8023})
"""DI API codes that say: wrong user or password (-107, -8023), wrong database (-132, -5027).
Any other, like -1102 right after a restart, is a trouble that passes."""


@frozen
class Call:
    """One request in terms of the Service Layer; whoever sends it adds the session and the caller.

    Attributes:
        method: HTTP method.
        resource: entity set or service action, for metrics and logs; never a key.
        path: what follows the service root, percent-encoded, with its query.
        headers: those that belong to this call alone.
        body: JSON, unless the headers name another type; ``None`` for none.
        write: whether it may change anything. Only a call that does not is ever sent again on suspicion.
        upload: sent instead of a body, if that is no matter of memory.
        sink: takes the body of its answer, if that is a file.
    """

    method: str
    resource: str
    path: str
    headers: dict[str, str] = field(factory=dict)
    body: bytes | None = field(default=None, repr=False)
    write: bool = False
    upload: StreamedBody | None = field(default=None, repr=False)
    sink: Sink | None = field(default=None, repr=False)


def list_call(resource: str, options: str, *, page_size: int, case_insensitive: bool) -> Call:
    """Read a page.

    Args:
        resource: entity set.
        options: encoded query string.
        page_size: as ``$top``; without it the Service Layer answers 20 rows whatever ``$top`` says
            (SAP manual 1.22 section 3.7).
        case_insensitive: HANA otherwise compares letter by letter (section 3.19.5.4).
    """
    headers = {"B1S-PageSize": str(page_size)}
    if case_insensitive:
        headers["B1S-CaseInsensitive"] = "true"
    return Call("GET", resource, f"/{_segment(resource)}?{options}", headers)


def record_call(resource: str, key_predicate: str, options: str) -> Call:
    """Read one record by its key."""
    query = f"?{options}" if options else ""
    return Call("GET", resource, f"/{_segment(resource)}{key_predicate}{query}")


def key_filter_call(resource: str, options: str) -> Call:
    """Read one record as a list that its key filters."""
    return Call("GET", resource, f"/{_segment(resource)}?{options}")


def create_call(resource: str, body: bytes) -> Call:
    """Create a record."""
    return Call("POST", resource, f"/{_segment(resource)}", body=body, write=True)


def modify_call(
    resource: str, key_predicate: str, body: bytes, *, if_match: str | None, replace_collections: bool
) -> Call:
    """Change properties of a record."""
    headers = _if_match(if_match)
    if replace_collections:
        headers["B1S-ReplaceCollectionsOnPatch"] = "true"
    return Call("PATCH", resource, f"/{_segment(resource)}{key_predicate}", headers, body, write=True)


def action_call(resource: str, key_predicate: str, action: str, body: bytes, *, if_match: str | None) -> Call:
    """Run an action on a record."""
    path = f"/{_segment(resource)}{key_predicate}/{_segment(action)}"
    return Call("POST", resource, path, _if_match(if_match), body or None, write=True)


def service_call(name: str, body: bytes, *, write: bool) -> Call:
    """Run an action of a service."""
    return Call("POST", name, f"/{_segment(name)}", body=body or None, write=write)


def query_call(code: str, parameters: str, *, page_size: int) -> Call:
    """Run a stored query (SAP manual 1.29, SQL queries): a POST that changes nothing.

    Args:
        code: key of the query.
        parameters: as :func:`erpclient.stored_queries.query_parameters` writes them.
        page_size: most rows; without it there are 20.
    """
    key = quote(f"'{code.replace(chr(39), chr(39) * 2)}'", safe="'")
    body = msgspec.json.encode({"ParamList": parameters}) if parameters else b"{}"
    headers = {"Prefer": f"odata.maxpagesize={page_size}"}
    return Call("POST", "SQLQueries", f"/SQLQueries({key})/List", headers, body)


@frozen
class FilePart:
    """One file of an upload.

    Attributes:
        name: with its extension; neither quotes nor control characters.
        content: what it holds.
    """

    name: str
    content: StreamedBody


def upload_call(files: Sequence[FilePart], *, entry: int | None, boundary: str) -> Call:
    """Store files as a new entry of attachments, or append them to one.

    Parts have to be named ``files``, and a quoted boundary is refused with 405 (recordings of
    ``b1sl-python``, source of B1SLayer).

    Args:
        files: at least one.
        entry: number of the entry that they are appended to; ``None`` for a new one.
        boundary: plain letters and digits that no file holds.
    """
    heads = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="files"; filename="{file.name}"\r\n'
        "Content-Type: application/octet-stream\r\n\r\n".encode()
        for file in files
    ]
    end = f"--{boundary}--\r\n".encode()

    async def chunks() -> AsyncIterator[bytes]:
        for head, file in zip(heads, files, strict=True):
            yield head
            async for chunk in file.content.chunks():
                yield chunk
            yield b"\r\n"
        yield end

    size = sum(len(head) + file.content.size + 2 for head, file in zip(heads, files, strict=True)) + len(end)
    method, key = ("POST", "") if entry is None else ("PATCH", f"({entry})")
    headers = {"Content-Type": f"multipart/form-data;boundary={boundary}"}
    upload = StreamedBody(size, chunks)
    return Call(method, ATTACHMENTS, f"/{ATTACHMENTS}{key}", headers, write=True, upload=upload)


def download_call(entry: int, name: str, sink: Sink) -> Call:
    """Read one file of an entry of attachments (SAP manual 1.29, attachments)."""
    file_name = quote(f"'{name.replace(chr(39), chr(39) * 2)}'", safe="'")
    path = f"/{ATTACHMENTS}({entry})/$value?filename={file_name}"
    return Call("GET", ATTACHMENTS, path, {"Accept": "*/*"}, sink=sink)


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
PING_CALL: Final = Call("GET", "ping", "/ping/")
"""Asks the balancer; it stands outside the service root (SAP manual 1.29, ping pong API)."""
METADATA_CALL: Final = Call("GET", "$metadata", "/$metadata", {"Accept": "application/xml"})
"""Reads what the Service Layer says of itself: some megabytes of XML."""
PROBE_CALL: Final = Call("GET", "probe", "/Warehouses?$select=WarehouseCode&$top=1", {"B1S-PageSize": "1"})
"""Reads one record that every company has. A user who may not read it is told so: an answer as well."""


def _if_match(tag: str | None) -> dict[str, str]:
    return {} if tag is None else {"If-Match": tag}


@lru_cache(maxsize=1024)
def _segment(name: str) -> str:
    return quote(name, safe="")


def build_request(
    call: Call, *, root: str, cookie: str | None, caller: Caller | None, timeout_s: float, fresh: bool
) -> HttpRequest:
    """Write a call as an HTTP request.

    Args:
        call: what to ask.
        root: URL of the service, without a slash at the end.
        cookie: the session's ``Cookie`` header.
        caller: whose request id and trace parent to pass on; malformed ones are left out.
        timeout_s: longest time for the whole request.
        fresh: whether it needs a connection of its own.
    """
    headers = {**_FIXED_HEADERS, **call.headers}
    if cookie is not None:
        headers["Cookie"] = cookie
    if call.body is not None:
        headers.setdefault("Content-Type", "application/json")
    if caller is not None:
        if caller.request_id is not None and _REQUEST_ID.fullmatch(caller.request_id):
            headers["X-Request-ID"] = caller.request_id
        if caller.traceparent is not None and _TRACEPARENT.fullmatch(caller.traceparent):
            headers["traceparent"] = caller.traceparent
    body = call.body if call.upload is None else call.upload
    return HttpRequest(
        call.method, root + call.path, headers, body, timeout_s=timeout_s, fresh=fresh, sink=call.sink
    )


def find_cookie(set_cookies: tuple[str, ...], name: str) -> str | None:
    """Read the last value that ``Set-Cookie`` headers give to a cookie.

    By hand, since ``B1SESSION`` comes without a path and with a semicolon too many, which strict cookie jars
    drop, and since they also drop the cookies of a host that is an IP address.

    Returns:
        The value; empty when the cookie is taken back; ``None`` when the headers do not speak of it.
    """
    found = None
    for header in set_cookies:
        key, equals, value = header.partition(";")[0].partition("=")
        if equals and key.strip() == name:
            value = value.strip()
            found = value if _COOKIE_VALUE.fullmatch(value) else ""
    return found


@frozen
class LoginGrant:
    """What a good login gave.

    Attributes:
        session: value of the session cookie.
        route: value of the balancer's cookie, as far as there is one.
    """

    session: str = field(repr=False)
    route: str | None = field(default=None, repr=False)


class _LoginAnswer(msgspec.Struct):
    session: str = msgspec.field(name="SessionId", default="")


def read_login(reply: HttpReply) -> LoginGrant:
    """Read the answer of a login.

    Raises:
        ErpLoginRejected: the ERP does not take the credentials.
        ErpServerError: it could not log in for a reason that passes.
        ErpReplyUnreadable: neither a session nor a readable refusal.
    """
    code, text = read_error(reply)
    if is_directory_trouble(text) or (
        reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR and not _is_refused_company(code, text)
    ):
        raise ErpServerError(reply.status, code, text)
    if reply.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN) or code is not None or text:
        raise ErpLoginRejected(code, text)
    if not _is_success(reply.status):
        raise ErpReplyUnreadable(f"status {reply.status} to a login")
    session = find_cookie(reply.set_cookies, SESSION_COOKIE) or _session_in_body(reply.body)
    if not session:
        raise ErpReplyUnreadable(reply.fault or "a login without a session")
    return LoginGrant(session, find_cookie(reply.set_cookies, ROUTE_COOKIE) or None)


def _is_refused_company(code: int | str | None, text: str) -> bool:
    return code == COMPANY_ERROR and company_number(text) in _REFUSED_COMPANY_CODES


def is_directory_trouble(text: str) -> bool:
    """Whether the System Landscape Directory did not give the company's database: no word on the password.

    ``Fail to Get the Bound Database Instance from SLD`` (seen by an integrator; its status is unknown). The
    other text that names it, ``Fail to get DB Credentials from SLD``, is how older builds refuse a password.
    """
    return _DIRECTORY_TROUBLE in text.casefold()


def company_number(text: str) -> int | None:
    """Return the DI API's code at the end of a company error's text; ``None`` where there is none."""
    number = _NUMBER_AT_END.search(text)
    return None if number is None else int(number[1])


def _session_in_body(body: bytes) -> str | None:
    """The cookie's value stands in the body too (SAP manual 1.22 section 3.1)."""
    try:
        session = msgspec.json.decode(body, type=_LoginAnswer).session
    except _NOT_OURS:
        return None
    return session if _COOKIE_VALUE.fullmatch(session) else None


class _ErrorText(msgspec.Struct):
    value: str | None = None


class _Error(msgspec.Struct):
    code: int | str | None = None
    message: _ErrorText | str | None = None


class _ErrorEnvelope(msgspec.Struct):
    error: _Error


_error_decoder: Final = msgspec.json.Decoder(_ErrorEnvelope)

_NOT_OURS: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What msgspec raises for a body of another program: a page, another encoding, endless nesting."""


def read_error(reply: HttpReply) -> tuple[int | str | None, str]:
    """Read the ERP's own code and text out of an error answer, in the shape of v1 or v2.

    v1: number and ``{"lang": …, "value": text}`` (SAP manual 1.22); v2: both as plain text.

    Returns:
        ``(None, "")`` when the body is not the ERP's own.
    """
    error = _error_in(reply.body)
    if error is None:
        return None, ""
    message = error.message.value if isinstance(error.message, _ErrorText) else error.message
    code = error.code
    if isinstance(code, str) and _INTEGER.fullmatch(code):
        code = int(code)
    return code, bounded(message or "")


def _error_in(body: bytes) -> _Error | None:
    try:
        return _error_decoder.decode(body).error
    except _NOT_OURS:
        try:
            return _error_decoder.decode(with_whole_characters(body)).error
        except _NOT_OURS:
            return None


def _is_cut_off(reply: HttpReply) -> bool:
    """Whether an answer did not come whole, by its length or by its text."""
    if reply.fault is not None or not reply.body.lstrip().startswith(b"{"):
        return reply.fault is not None
    try:
        msgspec.json.decode(with_whole_characters(reply.body), type=msgspec.Raw)  # checked, and not built
    except _NOT_OURS:
        return True
    return False


def find_error(reply: HttpReply) -> ErpError | None:
    """Tell what is wrong with an answer, judging by its status and its form."""
    status = reply.status
    if _is_success(status):
        reason = reply.fault or (None if _is_utf8(reply.content_type) else "not UTF-8")
        if reason == TOO_LARGE:
            return ErpReplyTooLarge()
        return None if reason is None else ErpReplyUnreadable(reason)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return ErpServerError(status, *read_error(reply))
    if status >= HTTPStatus.BAD_REQUEST:
        return ErpRefused(status, *read_error(reply), is_cut_off=_is_cut_off(reply))
    return ErpReplyUnreadable(f"status {status}")


def is_gateway_page(reply: HttpReply) -> bool:
    """Tell whether the web server before the ERP answered that it gets no answer from it.

    Balancer and web server speak HTML, or JSON of their own; the ERP's own failures have its code and text.
    """
    return reply.status >= HTTPStatus.INTERNAL_SERVER_ERROR and read_error(reply) == (None, "")


def is_silence(error: ErpError) -> bool:
    """Tell whether an error says that no answer of the ERP came, not even a refusal."""
    if isinstance(error, ErpServerError):
        return error.code is None and not error.text
    return isinstance(error, ErpTimeout | ErpUnreachable)


def raise_for(reply: HttpReply) -> None:
    """Raise what :func:`find_error` finds.

    Raises:
        ErpRefused: a 4xx status.
        ErpServerError: a 5xx status.
        ErpReplyUnreadable: any other status than 2xx, or a body that could not be read whole.
    """
    error = find_error(reply)
    if error is not None:
        raise error.again()  # one with a name in its own frame would stay with it, and with the answer


def key_is_unsupported(key_predicate: str, reply: HttpReply) -> bool:
    """Tell whether the web server before the ERP, and not the ERP, did not find a path because of its key.

    Apache answers 404 by itself to an encoded slash unless told otherwise.
    """
    return (
        reply.status == HTTPStatus.NOT_FOUND
        and _SLASH_IN_KEY.search(key_predicate) is not None
        and read_error(reply) == (None, "")
    )


class _Pong(msgspec.Struct):
    message: str


def is_pong(reply: HttpReply) -> bool:
    """Tell whether the Service Layer's balancer answered that it lives."""
    try:
        return msgspec.json.decode(reply.body, type=_Pong).message == "pong"
    except _NOT_OURS:
        return False


def refuses_version(reply: HttpReply) -> bool:
    """Tell whether the ERP does not know ``DataVersion``: it is older than FP 2102."""
    return reply.status == HTTPStatus.BAD_REQUEST and VERSION in read_error(reply)[1]


def _is_success(status: int) -> bool:
    return HTTPStatus.OK <= status < HTTPStatus.MULTIPLE_CHOICES


@lru_cache(maxsize=64)
def _is_utf8(content_type: str) -> bool:
    charset = _CHARSET.search(content_type)
    return charset is None or charset[1].lower() in ("utf-8", "utf8", "us-ascii")
