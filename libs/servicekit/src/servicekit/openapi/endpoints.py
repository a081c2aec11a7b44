"""The two endpoints that publish the document."""

import base64
import functools
import hashlib
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint.declare import Answer, Body, Endpoint
from servicekit.openapi.document import ApiInfo, build_document
from servicekit.request_log import request_facts

_INLINE: Final = re.compile(r"<(script|style)>(.*?)</\1>", re.DOTALL)


def with_documentation(
    endpoints: Sequence[Endpoint],
    info: ApiInfo,
    *,
    access: object,
    document_path: str = "/api/openapi.json",
    page_path: str = "/api/docs",
) -> list[Endpoint]:
    """Return the endpoints plus two: their document, and the page that shows it.

    Args:
        endpoints: the service's endpoints.
        info: title, version and access.
        access: the access kind of the two.
        document_path: path of the document; the page loads `openapi.json` from its own folder.
        page_path: path of the page.
    """
    page = (resources.files("servicekit.openapi") / "page.html").read_text("utf-8")
    page_headers = {"Content-Security-Policy": content_security_policy(page)}
    # Built on first use, because most processes never serve it.
    document = functools.cache(lambda: build_document(everything, info))

    async def show_document(request: Request) -> Response:
        server = request_facts(request.scope).prefix or "/"  # the client's path prefix
        return _as_json({**document(), "servers": [{"url": server}]})

    async def show_page(_request: Request) -> Response:
        return Response(page, media_type="text/html", headers=page_headers)

    everything = [
        *endpoints,
        Endpoint(
            "GET",
            document_path,
            show_document,
            access=access,
            summary="This document",
            tag="Documentation",
            responses={
                200: Answer(
                    "The OpenAPI 3.1 document", Body({"type": "object"}, example={"openapi": "3.1.0"})
                )
            },
        ),
        Endpoint(
            "GET",
            page_path,
            show_page,
            access=access,
            summary="A page that shows this document",
            tag="Documentation",
            responses={
                200: Answer(
                    "The page", Body({"type": "string"}, example="<!doctype html>…", media_type="text/html")
                )
            },
        ),
    ]
    return everything


def _as_json(document: Mapping[str, Any]) -> Response:
    return Response(msgspec.json.encode(document), media_type="application/json")


def content_security_policy(page: str) -> str:
    """Allow only the page's own script and style, by hash, and calls to its own origin."""
    sources = {
        kind: f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}'"
        for kind, text in _INLINE.findall(page)
    }
    return (
        f"default-src 'none'; script-src {sources['script']}; style-src {sources['style']}; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
