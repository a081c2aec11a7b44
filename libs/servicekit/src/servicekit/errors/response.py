"""The error body, and the mapping from exceptions to errors."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import Response

from servicekit.errors.general import (
    BadRequest,
    BodyTooLarge,
    InternalError,
    MethodNotAllowed,
    NotFound,
    UnsupportedMediaType,
)
from servicekit.errors.service_error import ServiceError

PROBLEM_MEDIA_TYPE: Final = "application/problem+json"

_TWINS: Final[Mapping[int, type[ServiceError]]] = {
    twin.status: twin for twin in (NotFound, MethodNotAllowed, BodyTooLarge, UnsupportedMediaType)
}


def problem_response(error: ServiceError, request_id: str) -> Response:
    """Build the response: `application/problem+json`, with the error's headers."""
    document = json.dumps(error.body(request_id), ensure_ascii=False, separators=(",", ":"), default=str)
    return Response(
        document.encode("utf-8", errors="replace"),  # an upstream text may contain half a surrogate pair
        status_code=error.status,
        headers=error.headers,
        media_type=PROBLEM_MEDIA_TYPE,
    )


def as_service_error(exc: Exception) -> ServiceError:
    """Convert any exception to the error to respond with.

    A `ServiceError` is returned as it is. A Starlette `HTTPException` becomes the equivalent error: its
    headers are kept, its text, which may be in English or reveal too much, is dropped; a 4xx without
    equivalent becomes `BadRequest`. Anything else becomes `InternalError`.
    """
    if isinstance(exc, ServiceError):
        return exc
    if isinstance(exc, HTTPException) and exc.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        return _TWINS.get(exc.status_code, BadRequest)(headers=exc.headers)
    return InternalError()
