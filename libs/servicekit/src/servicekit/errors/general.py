"""General errors. Every failure becomes a `ServiceError`: a status, a code and a sentence.

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
    """The request is malformed in a way that has no code of its own."""

    status = 400
    code = "bad_request"
    detail = "La solicitud no es válida."


class MalformedJson(BadRequest):
    """The body is not strict JSON: a syntax error, NaN, a repeated key, not UTF-8, or nested too deeply."""

    code = "malformed_json"
    detail = "El cuerpo de la solicitud no es JSON válido."


class InvalidBody(BadRequest):
    """The body has an unknown field, a wrong type or value, or a field that can't be written. `errors` has
    the paths.
    """

    code = "invalid_body"
    detail = "El cuerpo de la solicitud contiene datos no válidos."


class InvalidQuery(BadRequest):
    """A query parameter is unknown, missing, repeated or malformed. `errors` has the names."""

    code = "invalid_query"
    detail = "Los parámetros de la consulta no son válidos."


class InvalidPath(BadRequest):
    """A path segment is not percent-encoded UTF-8, or contains a control character."""

    code = "invalid_path"
    detail = "La dirección contiene caracteres no válidos."


class NotFound(ServiceError):
    """There is no such address."""

    status = 404
    code = "not_found"
    detail = "No se encontró lo solicitado."


class MethodNotAllowed(ServiceError):
    """The address or the resource does not have this method. `Allow` lists those it has."""

    status = 405
    code = "method_not_allowed"
    detail = "Esta dirección no admite ese método."


class RequestTimeout(ServiceError):
    """The body did not arrive in time."""

    status = 408
    code = "request_timeout"
    detail = "La solicitud no terminó de llegar a tiempo."


class BodyTooLarge(ServiceError):
    """The body is larger than `MAX_BODY_BYTES`, or than the smaller limit of its endpoint (16 KiB at login, 1
    KiB where no body is expected).
    """

    status = 413
    code = "body_too_large"
    detail = "El cuerpo de la solicitud es demasiado grande."


class UnsupportedMediaType(ServiceError):
    """The body is not `application/json` (or a form with files where files are added), or it is compressed
    (`Content-Encoding`).
    """

    status = 415
    code = "unsupported_media_type"
    detail = "El cuerpo de la solicitud debe enviarse como application/json."


class HeadersTooLarge(ServiceError):
    """The head of the request is larger than 32 KiB. The connection is closed."""

    status = 431
    code = "headers_too_large"
    detail = "Las cabeceras de la solicitud son demasiado grandes."


class InternalError(ServiceError):
    """An unexpected failure. The log has the traceback under the request id."""

    status = 500
    code = "internal_error"
    detail = "Se produjo un error interno. Si se repite, comunique el identificador de la solicitud."


class Interrupted(ServiceError):
    """The service stopped before the request was done. A write may have been done: check before you repeat
    it.
    """

    status = 500
    code = "interrupted"
    detail = (
        "El servicio se detuvo antes de terminar la operación. "
        "Si era una modificación, compruebe si se realizó antes de repetirla."
    )


class TransferEncodingUnsupported(ServiceError):
    """The body uses a transfer encoding other than `chunked`. The connection is closed."""

    status = 501
    code = "transfer_encoding_unsupported"
    detail = "El cuerpo de la solicitud viene en una codificación de transferencia que no se admite."


class NotConfigured(ServiceError):
    """The configuration turns this module off, or this version does not have it."""

    status = 503
    code = "not_configured"
    detail = "Esta función no está configurada en el servicio."
    retry_after_s = 3600


class ShuttingDown(ServiceError):
    """The service is stopping. Nothing was done."""

    status = 503
    code = "shutting_down"
    detail = "El servicio se está deteniendo. Inténtelo de nuevo en unos segundos."


class HttpVersionUnsupported(ServiceError):
    """The client uses an HTTP version other than 1.1, such as HTTP/2. The connection is closed."""

    status = 505
    code = "http_version_unsupported"
    detail = "El servicio solo admite HTTP/1.1."
