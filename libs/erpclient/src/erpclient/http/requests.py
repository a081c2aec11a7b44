"""Calls written as HTTP requests."""

import re
from typing import Final

from erpclient.caller import Caller
from erpclient.http.calls import Call
from erpclient.http.messages import HttpRequest

_FIXED_HEADERS: Final = {"Accept": "application/json", "Accept-Encoding": "gzip", "User-Agent": "erpclient"}
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_TRACEPARENT: Final = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def build_request(
    call: Call, *, root: str, cookie: str | None, caller: Caller | None, timeout_s: float, fresh: bool
) -> HttpRequest:
    """Build the HTTP request of a call.

    Args:
        call: the call.
        root: URL of the service, without a slash at the end.
        cookie: the session's ``Cookie`` header.
        caller: source of request id and trace parent; malformed ones are dropped.
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
