"""Strict JSON in and compact JSON out."""

import asyncio
import json
from codecs import BOM_UTF8
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final, Never, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint.request import match_of
from servicekit.endpoint.shapes import structure, unstructure
from servicekit.errors import MalformedJson, RequestTimeout, UnsupportedMediaType
from servicekit.logs.redaction import is_secret_name
from servicekit.request_log.facts import request_facts

T = TypeVar("T")

MAX_DEPTH: Final = 64
_ENCODED: Final = "El cuerpo de la solicitud debe enviarse sin comprimir ni codificar (sin Content-Encoding)."
_CHARSETS: Final = {"utf-8", "utf8", "us-ascii"}
_ENCODER: Final = msgspec.json.Encoder(decimal_format="number")


class _JsonFaultError(ValueError):
    """What is wrong with a JSON text, as the end of a Spanish sentence."""


def parse_json(body: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Parse strict JSON; numbers with a fraction or exponent become `Decimal`, digit for digit.

    Raises:
        MalformedJson: Not UTF-8, NaN or Infinity, a repeated key, half of a surrogate pair, an exponent that
            can't be read, or deeper than `max_depth`.
    """
    try:
        value = json.loads(
            body.decode("utf-8"),
            object_pairs_hook=_without_repeated_keys,
            parse_constant=_refuse_constant,
            parse_float=Decimal,
        )
        # Both checks walk the value, so only where the bytes give reason to.
        if body.count(b"{") + body.count(b"[") > max_depth or b"\\u" in body:
            _check(value, max_depth)
    except _JsonFaultError as fault:
        raise MalformedJson(f"El cuerpo de la solicitud no es JSON válido: {fault}.") from fault
    except json.JSONDecodeError as exc:
        raise MalformedJson(
            f"El cuerpo de la solicitud no es JSON válido (línea {exc.lineno}, columna {exc.colno})."
        ) from exc
    except UnicodeDecodeError as exc:
        raise MalformedJson("El cuerpo de la solicitud no es texto UTF-8 válido.") from exc
    except RecursionError as exc:
        raise MalformedJson("El cuerpo de la solicitud está anidado a demasiada profundidad.") from exc
    except ArithmeticError as exc:  # `Decimal` takes exponents of 18 digits
        raise MalformedJson(
            "El cuerpo de la solicitud no es JSON válido: un número tiene un exponente desmedido."
        ) from exc
    except ValueError as exc:  # an integer of thousands of digits
        raise MalformedJson from exc
    return value


def _without_repeated_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _JsonFaultError("hay una clave repetida")
    return value


def _refuse_constant(_name: str) -> Never:
    raise _JsonFaultError("NaN e Infinity no son números de JSON")


def _check(value: Any, max_depth: int) -> None:
    """Walk the value level by level: every text must be writable, and containers must end at some depth."""
    level = [value]
    for depth in range(max_depth + 1):
        for text in (item for item in level if isinstance(item, str)):
            _check_text(text)
        objects = [item for item in level if isinstance(item, dict)]
        for name in (name for item in objects for name in item):
            _check_text(name)
        containers = [
            *(item.values() for item in objects),
            *(item for item in level if isinstance(item, list)),
        ]
        if containers and depth == max_depth:
            raise _JsonFaultError("está anidado a demasiada profundidad")
        level = [child for container in containers for child in container]


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as exc:
        raise _JsonFaultError("un texto contiene la mitad de un par sustituto") from exc


def check_content_encoding(request: Request) -> None:
    """Check that the body of a request is not compressed or encoded otherwise.

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
        request: The request.
        optional: An empty body is accepted (whatever its type) and returned as b"".

    Raises:
        UnsupportedMediaType: Not `application/json`, or compressed.
        BodyTooLarge: Over the endpoint's limit.
        RequestTimeout: It did not arrive in time.
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
    return body.removeprefix(BOM_UTF8)  # which a reader may ignore (RFC 8259, section 8.1)


def _check_format(request: Request) -> None:
    if not _is_json(request.headers.get("content-type", "")):
        raise UnsupportedMediaType
    check_content_encoding(request)


def _is_json(content_type: str) -> bool:
    media_type, *parameters = content_type.lower().replace('"', "").split(";")
    named = (parameter.partition("=") for parameter in parameters)
    charsets = {value.strip() for name, _, value in named if name.strip() == "charset"}
    return media_type.strip() == "application/json" and charsets <= _CHARSETS


async def read_json(request: Request, cls: type[T], *, optional: bool = False) -> T:
    """Read the body as an instance of an attrs class; unknown names are refused.

    Args:
        request: The request.
        cls: The class.
        optional: Take no body at all for an instance of the defaults.

    Raises:
        MalformedJson: No strict JSON.
        InvalidBody: Of the wrong shape, with the path of each problem.
        UnsupportedMediaType: Not `application/json`, or compressed.
        BodyTooLarge: Over the endpoint's limit.
        RequestTimeout: It did not arrive in time.
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
