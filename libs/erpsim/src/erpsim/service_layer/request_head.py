"""The head of a request to the web server: method, generation, path, query and headers."""

from __future__ import annotations

from typing import Final

import attrs
from aiohttp import hdrs, web

from erpsim.service_layer.web_server.request_target import split_target
from erpsim.service_layer.wire.wire_format import FORMATS, WireFormat

_OVERRIDES: Final = frozenset({"PATCH", "PUT", "MERGE", "DELETE"})
_ROOT_LENGTH: Final = len("/b1s/v1")


@attrs.frozen(kw_only=True)
class RequestHead:
    """Head of a request.

    Args:
        method: in capitals, after `X-HTTP-Method-Override`.
        wire: generation of its service root, None outside.
        path: below the root or, outside, without the leading slash; still encoded.
        query: still encoded.
        headers: by lower-case name.
        origin: the connection's scheme and `Host`.
    """

    method: str
    wire: WireFormat | None
    path: str
    query: str
    headers: dict[str, str]
    origin: str

    @classmethod
    def of(cls, request: web.BaseRequest) -> RequestHead:
        headers: dict[str, str] = {}
        for name, value in request.headers.items():
            lower = name.lower()
            between = "; " if lower == "cookie" else ", "
            headers[lower] = headers[lower] + between + value if lower in headers else value
        path, query = split_target(request.raw_path)
        wire = FORMATS.get(path[:_ROOT_LENGTH]) if path[_ROOT_LENGTH:][:1] in {"", "/"} else None
        method = request.method
        # Method override on POST: FAQ of SAP manual 1.22.
        override = headers.get("x-http-method-override", "").strip().upper()
        if method == hdrs.METH_POST and override in _OVERRIDES:
            method = override
        return cls(
            method=method,
            wire=wire,
            path=(path[_ROOT_LENGTH:] if wire else path).removeprefix("/"),
            query=query,
            headers=headers,
            origin=origin_of(request),
        )


def origin_of(request: web.BaseRequest) -> str:
    """Return the origin that the client addressed. aiohttp's own properties trust the request target
    instead.
    """
    secured = request.get_extra_info("sslcontext") is not None
    return f"{'https' if secured else 'http'}://{request.headers.get(hdrs.HOST) or request.host}"
