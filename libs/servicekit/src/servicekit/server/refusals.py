"""Responses to requests that never reach the application: the error body and the common headers."""

from email.utils import formatdate

import structlog
from starlette.responses import Response

from servicekit.errors import (
    BadRequest,
    HeadersTooLarge,
    HttpVersionUnsupported,
    ServiceError,
    TransferEncodingUnsupported,
    problem_response,
)
from servicekit.request_log.request_id import new_request_id
from servicekit.security_headers import SECURITY_HEADERS, STRICT_TRANSPORT

_BY_STATUS = {
    error.status: error for error in (HeadersTooLarge, HttpVersionUnsupported, TransferEncodingUnsupported)
}


def refusal(status: int, *, peer: str, is_secured: bool) -> Response:
    """Return the response, which closes the connection, and log it.

    Args:
        status: status of the protocol error; 400 for a status without a text here.
        peer: the address at the other end.
        is_secured: whether the connection is an HTTPS one.
    """
    error: ServiceError = _BY_STATUS.get(status, BadRequest)()
    request_id = new_request_id()
    structlog.get_logger(__name__).info(
        "request_refused", status=error.status, code=error.code, peer=peer, request_id=request_id
    )
    response = problem_response(error, request_id)
    response.raw_headers += [
        *SECURITY_HEADERS,
        (b"date", formatdate(usegmt=True).encode("ascii")),
        (b"x-request-id", request_id.encode("ascii")),
        *([STRICT_TRANSPORT] if is_secured else []),
        (b"connection", b"close"),
    ]
    return response
