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
├── HeadersTooLarge       431 headers_too_large
├── InternalError         500 internal_error
├── Interrupted           500 interrupted
├── TransferEncodingUnsupported 501 transfer_encoding_unsupported
├── NotConfigured         503 not_configured
├── ShuttingDown          503 shutting_down
└── HttpVersionUnsupported 505 http_version_unsupported
"""

# ruff: noqa: N818 - a refusal is named by what it says (`NotFound`), as everywhere in this house

import json
import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from itertools import islice
from typing import Any, ClassVar, Final, Self

import attrs
from starlette.exceptions import HTTPException
from starlette.responses import Response
from typing_extensions import override

PROBLEM_MEDIA_TYPE: Final = "application/problem+json"

_CODE: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")

# Written out, because the standard library's phrases change between Python versions.
_TITLES: Final[Mapping[int, str]] = {
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    412: "Precondition Failed",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    422: "Unprocessable Content",
    428: "Precondition Required",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    501: "Not Implemented",
    502: "Bad Gateway",
    503: "Service Unavailable",
    504: "Gateway Timeout",
    505: "HTTP Version Not Supported",
}


@attrs.frozen
class FieldProblem:
    """What is wrong with one field: `path` as in `paths[0]` (wire names), `message` in Spanish for people."""

    path: str
    message: str


MAX_TOLD: Final = 20
"""Problems of fields that one answer tells, each with its path; one last entry counts the others."""


class ToldProblems(tuple[FieldProblem, ...]):
    """The first problems of a request, at most `MAX_TOLD`, and one more entry about those left out."""

    __slots__ = ()

    @classmethod
    def of(cls, problems: Iterable[FieldProblem], *, more: int = 0, unread: int = 0) -> Self:
        """Take the first problems and count the others.

        Args:
            problems: as many as were found; a `ToldProblems` stays what it is.
            more: problems that were counted without being made.
            unread: items that nobody looked at, because enough was wrong before them.
        """
        if isinstance(problems, cls):
            return problems
        found = iter(problems)
        told = tuple(islice(found, MAX_TOLD))
        more += sum(1 for _ in found)
        left_out = {"problemas sin mostrar": more, "elementos sin revisar": unread}
        counts = "; ".join(f"{what}: {count}" for what, count in left_out.items() if count)
        return cls((*told, FieldProblem("", f"Además, {counts}."))) if counts else cls(told)


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


_DEFINED: Final[list[type["ServiceError"]]] = []


def type_and_text(error: BaseException) -> str:
    """Say what an error came from, as the log does."""
    return f"{type(error).__name__}: {error}"


class ServiceError(Exception):
    """An answer that is not a success. A subclass is a status, a code and a sentence in Spanish for people.

    The class's `detail` can be replaced per instance. 429 and 503 always carry `Retry-After`, `retry_after_s`
    seconds. A subclass without a proper status, code or detail is refused when it is defined.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str | None] = None
    detail: str
    retry_after_s: int = 5
    caused_by: str | None = None

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
            errors: Problems of single fields; the first ones are told, and how many more there are.
            upstream: The upstream's own code and text.
            members: Further members of the body (`option`, `position`, `expected`, `found`).
            headers: Further headers of the answer.
            retry_after_s: Seconds for `Retry-After`; always sent with 429 and 503.
        """
        super().__init__(self.code)
        if detail is not None:
            self.detail = detail
        if retry_after_s is not None:
            self.retry_after_s = retry_after_s
        self.errors = ToldProblems.of(errors)
        self.upstream = upstream
        self.members = dict(members or {})
        self.headers = dict(headers or {})
        if self.status in {HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE}:
            self.headers.setdefault("Retry-After", str(self.retry_after_s))

    @override
    def __init_subclass__(cls) -> None:
        if not _CODE.fullmatch(getattr(cls, "code", "")):
            raise TypeError(f"{cls.__name__}.code must be a snake_case word")
        if getattr(cls, "status", 0) not in _TITLES:
            raise TypeError(f"{cls.__name__}.status must be one of {sorted(_TITLES)}")
        if not getattr(cls, "detail", ""):
            raise TypeError(f"{cls.__name__}.detail must be a sentence")
        _DEFINED.append(cls)

    @property
    def cause(self) -> str | None:
        """Type and text of what it came from, for the log; None where it came from nothing."""
        return self.caused_by if self.__cause__ is None else type_and_text(self.__cause__)

    def again(self) -> Self:
        """Make an error with the same facts, to be kept or to be raised once more: without frames, and with
        its cause as text.
        """
        twin = type(self).__new__(type(self), *self.args)
        twin.__dict__.update(self.__dict__)
        twin.caused_by = self.cause
        return twin

    def body(self, request_id: str) -> dict[str, Any]:
        """Return the problem document as a JSON-ready mapping, members that do not apply left out."""
        body: dict[str, Any] = {
            "type": "about:blank",
            "title": self.title or _TITLES[self.status],
            "status": self.status,
            "detail": self.detail,
            "message": self.detail,
            "code": self.code,
            "requestId": request_id,
        }
        if self.errors:
            body["errors"] = [{"path": problem.path, "message": problem.message} for problem in self.errors]
        if self.upstream is not None:
            body["upstream"] = {"code": self.upstream.code, "message": self.upstream.message}
        return body | {name: value for name, value in self.members.items() if value is not None}


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
    """The body is of another type than JSON, or compressed."""

    status = 415
    code = "unsupported_media_type"
    detail = "El cuerpo de la solicitud debe enviarse como application/json."


class HeadersTooLarge(ServiceError):
    """The head is over the limit; the connection is closed."""

    status = 431
    code = "headers_too_large"
    detail = "Las cabeceras de la solicitud son demasiado grandes."


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


class TransferEncodingUnsupported(ServiceError):
    """The body comes in another transfer encoding than `chunked`; the connection is closed."""

    status = 501
    code = "transfer_encoding_unsupported"
    detail = "El cuerpo de la solicitud viene en una codificación de transferencia que no se admite."


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


class HttpVersionUnsupported(ServiceError):
    """Another version than HTTP/1.1 is spoken, such as HTTP/2; the connection is closed."""

    status = 505
    code = "http_version_unsupported"
    detail = "El servicio solo admite HTTP/1.1."


_TWINS: Final[Mapping[int, type[ServiceError]]] = {
    twin.status: twin for twin in (NotFound, MethodNotAllowed, BodyTooLarge, UnsupportedMediaType)
}


def problem_response(error: ServiceError, request_id: str) -> Response:
    """Build the answer: `application/problem+json` with the one body, and the error's headers."""
    document = json.dumps(error.body(request_id), ensure_ascii=False, separators=(",", ":"), default=str)
    return Response(
        document.encode("utf-8", errors="replace"),  # a foreign text may hold half a surrogate pair
        status_code=error.status,
        headers=error.headers,
        media_type=PROBLEM_MEDIA_TYPE,
    )


def as_service_error(exc: Exception) -> ServiceError:
    """Turn any exception into the error to answer.

    That is itself; the twin of a Starlette `HTTPException` (its headers are kept, its text, which may be in
    English or tell too much, is dropped; a 4xx without twin becomes `BadRequest`); or `InternalError`.
    """
    if isinstance(exc, ServiceError):
        return exc
    if isinstance(exc, HTTPException) and exc.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
        return _TWINS.get(exc.status_code, BadRequest)(headers=exc.headers)
    return InternalError()


def all_error_codes(*, package: str | None = None) -> list[ErrorCode]:
    """List code, status and sentence of every `ServiceError` class imported so far, by code and status.

    Args:
        package: Only classes of this package and of servicekit itself (so that tests' own stay out).
    """
    packages = ("servicekit", package)
    return sorted(
        {
            ErrorCode(cls.code, cls.status, cls.detail)
            for cls in _DEFINED
            if package is None or cls.__module__.partition(".")[0] in packages
        },
        key=lambda row: (row.code, row.status),
    )
