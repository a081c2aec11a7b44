"""The one error body: `ServiceError` is a status, a code and a sentence; everything that fails becomes one.

ServiceError
├── BadRequest            400 bad_request
│   ├── MalformedJson     400 malformed_json
│   ├── InvalidBody       400 invalid_body       (with `errors`)
│   ├── InvalidQuery      400 invalid_query      (with `errors`)
│   └── InvalidPath       400 invalid_path
├── NotFound              404 not_found
├── MethodNotAllowed      405 method_not_allowed (with `Allow`)
├── RequestTimeout        408 request_timeout
├── BodyTooLarge          413 body_too_large
├── UnsupportedMediaType  415 unsupported_media_type
├── InternalError         500 internal_error
├── Interrupted           500 interrupted
├── NotConfigured         503 not_configured
└── ShuttingDown          503 shutting_down
"""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import attrs
from starlette.responses import Response

PROBLEM_MEDIA_TYPE = "application/problem+json"


@attrs.frozen
class FieldProblem:
    """What is wrong with one field: `path` as in `paths[0]` (wire names), `message` in Spanish for a person."""

    path: str
    message: str


@attrs.frozen
class Upstream:
    """What the system behind us said, in its own words: passed on to the client as `upstream`."""

    code: int | str | None
    message: str


@attrs.frozen
class ErrorCode:
    """One row of the error documentation."""

    code: str
    status: int
    detail: str


class ServiceError(Exception):
    """An answer that is not a success. A subclass is a status, a code and a sentence in Spanish for people.

    The class's `detail` can be replaced per instance. 429 and 503 always carry `Retry-After`, `retry_after_s` seconds.
    A subclass that forgets status, code or detail is refused when it is defined.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str | None] = None
    detail: str
    retry_after_s: int = 5

    def __init__(
        self,
        detail: str | None = None,
        *,
        errors: Iterable[FieldProblem] = (),
        upstream: Upstream | None = None,
        members: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        retry_after_s: int | None = None,
    ) -> None:
        """Take what this occurrence adds to the class.

        Args:
            detail: Another sentence for people, in Spanish.
            errors: Problems of single fields.
            upstream: The upstream's own code and text.
            members: Further members of the body (`option`, `position`, `expected`, `found`).
            headers: Further headers of the answer.
            retry_after_s: Seconds for `Retry-After`; always sent with 429 and 503.
        """
        raise NotImplementedError


class BadRequest(ServiceError):
    """The request is malformed."""

    status = 400
    code = "bad_request"
    detail = "La solicitud no es válida."


class MalformedJson(BadRequest):
    """The body is no strict JSON."""

    code = "malformed_json"
    detail = "El cuerpo de la solicitud no es JSON válido."


class InvalidBody(BadRequest):
    """The body is JSON, of the wrong shape; `errors` tells where."""

    code = "invalid_body"
    detail = "El cuerpo de la solicitud contiene datos no válidos."


class InvalidQuery(BadRequest):
    """A query parameter is unknown, repeated, undecodable or of the wrong form."""

    code = "invalid_query"
    detail = "Los parámetros de la consulta no son válidos."


class InvalidPath(BadRequest):
    """A path segment can't be decoded."""

    code = "invalid_path"
    detail = "La dirección contiene caracteres no válidos."


class NotFound(ServiceError):
    """Nothing is there."""

    status = 404
    code = "not_found"
    detail = "No se encontró lo solicitado."


class MethodNotAllowed(ServiceError):
    """The path exists, the method does not; carries `Allow`."""

    status = 405
    code = "method_not_allowed"
    detail = "Esta dirección no admite ese método."


class RequestTimeout(ServiceError):
    """The body did not arrive in time."""

    status = 408
    code = "request_timeout"
    detail = "La solicitud no terminó de llegar a tiempo."


class BodyTooLarge(ServiceError):
    """The body is over the limit."""

    status = 413
    code = "body_too_large"
    detail = "El cuerpo de la solicitud es demasiado grande."


class UnsupportedMediaType(ServiceError):
    """The body is of another type than JSON."""

    status = 415
    code = "unsupported_media_type"
    detail = "El cuerpo de la solicitud debe enviarse como application/json."


class InternalError(ServiceError):
    """Something unforeseen failed; the log has the trace under the request id."""

    status = 500
    code = "internal_error"
    detail = "Se produjo un error interno. Si se repite, comunique el identificador de la solicitud."


class Interrupted(ServiceError):
    """The process stopped before the request was done."""

    status = 500
    code = "interrupted"
    detail = (
        "El servicio se detuvo antes de terminar la operación. "
        "Si era una modificación, compruebe si se realizó antes de repetirla."
    )


class NotConfigured(ServiceError):
    """The module that would answer is switched off by the configuration."""

    status = 503
    code = "not_configured"
    detail = "Esta función no está configurada en el servicio."
    retry_after_s = 3600


class ShuttingDown(ServiceError):
    """The process is stopping and takes no new work; nothing was done."""

    status = 503
    code = "shutting_down"
    detail = "El servicio se está deteniendo. Inténtelo de nuevo en unos segundos."


def problem_response(error: ServiceError, request_id: str) -> Response:
    """Build the answer: `application/problem+json` with the one body, and the error's headers."""
    raise NotImplementedError


def as_service_error(exc: Exception) -> ServiceError:
    """Turn any exception into the error to answer: itself, the twin of a Starlette `HTTPException`, or `InternalError`."""
    raise NotImplementedError


def all_error_codes(*, package: str | None = None) -> list[ErrorCode]:
    """List code, status and sentence of every `ServiceError` class that is imported, sorted by code and status.

    Args:
        package: Only classes of modules in this package and of servicekit itself (so that tests' own don't show).
    """
    raise NotImplementedError
