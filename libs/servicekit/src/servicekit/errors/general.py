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

# ruff: noqa: N818 - a refusal is named by what it says (`NotFound`)

from servicekit.errors.service_error import ServiceError


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
    """The body is JSON of the wrong shape; `errors` has the paths."""

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
    """The path or record does not exist."""

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
