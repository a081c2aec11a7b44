"""Strict JSON in and compact JSON out."""

import asyncio
from codecs import BOM_UTF8
from collections.abc import Mapping
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint.match import match_of
from servicekit.endpoint.shapes import structure, unstructure
from servicekit.endpoint.strict_json import parse_json
from servicekit.errors import RequestTimeout, UnsupportedMediaType
from servicekit.logs.redaction import is_secret_name
from servicekit.request_log.facts import request_facts

T = TypeVar("T")
_ENCODED: Final = "El cuerpo de la solicitud debe enviarse sin comprimir ni codificar (sin Content-Encoding)."
_CHARSETS: Final = {"utf-8", "utf8", "us-ascii"}
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


def check_content_encoding(request: Request) -> None:
    """Reject a compressed or otherwise encoded request body.

    Raises:
        UnsupportedMediaType: `Content-Encoding` names anything but `identity`.
    """
    lines = ",".join(request.headers.getlist("content-encoding"))
    codings = {coding.strip().lower() for coding in lines.split(",")}
    if not codings <= {"", "identity"}:
        # With the codings that are accepted (RFC 9110, section 15.5.16).
        raise UnsupportedMediaType(_ENCODED, headers={"Accept-Encoding": "identity"})


async def read_body(request: Request, *, optional: bool = False) -> bytes:
    """Read the whole body as sent, without a byte order mark; check its content type but not its JSON.

    Args:
        request: the request.
        optional: an empty body is accepted (whatever its type) and returned as b"".

    Raises:
        UnsupportedMediaType: not `application/json`, or compressed.
        BodyTooLarge: over the endpoint's limit.
        RequestTimeout: it did not arrive in time.
    """
    if not optional:
        _check_format(request)
    try:
        async with asyncio.timeout(match_of(request).body_timeout_s):
            body = await request.body()
    except TimeoutError as exc:
        raise RequestTimeout(headers={"Connection": "close"}) from exc
    if body and optional:
        _check_format(request)
    return body.removeprefix(BOM_UTF8)  # RFC 8259, section 8.1, allows a reader to ignore it


def _check_format(request: Request) -> None:
    if not _is_json(request.headers.get("content-type", "")):
        raise UnsupportedMediaType
    check_content_encoding(request)


def _is_json(content_type: str) -> bool:
    media_type, *parameters = content_type.lower().replace('"', "").split(";")
    pairs = (parameter.partition("=") for parameter in parameters)
    charsets = {value.strip() for name, _, value in pairs if name.strip() == "charset"}
    return media_type.strip() == "application/json" and charsets <= _CHARSETS


async def read_json(request: Request, cls: type[T], *, optional: bool = False) -> T:
    """Read the body as an instance of an attrs class; unknown names are refused.

    Args:
        request: the request.
        cls: the class.
        optional: accept an empty body as an instance of the defaults.

    Raises:
        MalformedJson: not strict JSON.
        InvalidBody: of the wrong shape, with the path of each problem.
        UnsupportedMediaType: not `application/json`, or compressed.
        BodyTooLarge: over the endpoint's limit.
        RequestTimeout: it did not arrive in time.
    """
    body = await read_body(request, optional=optional)
    if optional and not body:
        return cls()
    value = parse_json(body)
    if isinstance(value, dict):
        request_facts(request.scope).secrets += [
            text for name, text in value.items() if is_secret_name(name) and isinstance(text, str)
        ]
    return structure(value, cls)


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer attrs instances, lists, mappings and plain values as JSON (camelCase names, times in UTC)."""
    body = _ENCODER.encode(unstructure(value))
    return Response(body, status_code=status, headers=headers, media_type="application/json")
