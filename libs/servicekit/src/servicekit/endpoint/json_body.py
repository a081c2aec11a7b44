"""Strict JSON in and compact JSON out."""

from collections.abc import Mapping
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response

T = TypeVar("T")

MAX_DEPTH = 64


def parse_json(body: bytes, *, max_depth: int = MAX_DEPTH) -> Any:
    """Parse strict JSON; numbers with a fraction or exponent become `Decimal`, digit for digit.

    Raises:
        MalformedJson: Not UTF-8, NaN or Infinity, a repeated key, a lone surrogate, deeper than `max_depth`.
    """
    raise NotImplementedError


async def read_body(request: Request, *, optional: bool = False) -> bytes:
    """Read the whole body as sent, checking its content type but not its JSON.

    Args:
        request: The request.
        optional: An empty body is accepted (whatever its type) and returned as b"".

    Raises:
        UnsupportedMediaType: Not `application/json`.
        BodyTooLarge: Over the endpoint's limit.
        RequestTimeout: It did not arrive in time.
    """
    raise NotImplementedError


async def read_json(request: Request, cls: type[T]) -> T:
    """Read the body as an instance of an attrs class; unknown names are refused.

    Raises:
        MalformedJson: No strict JSON.
        InvalidBody: Of the wrong shape, with the path of each problem.
        UnsupportedMediaType: Not `application/json`.
        BodyTooLarge: Over the endpoint's limit.
        RequestTimeout: It did not arrive in time.
    """
    raise NotImplementedError


def json_response(value: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Answer attrs instances, lists, mappings and plain values as JSON (camelCase names, times in UTC with `Z`)."""
    raise NotImplementedError
