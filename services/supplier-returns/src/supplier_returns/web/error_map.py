"""Translation of `erpclient` errors to errors of this service, in one place.

The user is the ERP user here. If the ERP ends the user's session, the web session ends too (401). If the user
lacks a right, the response is 403. A write with an unknown outcome is always reported as unknown.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Final

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from erpclient import (
    ErpError,
    ErpLoginRejected,
    ErpRefused,
    ErpReplyTooLarge,
    ErpServerError,
    ErpTimeout,
    ErpUnreachable,
    ErpUnwell,
    Outcome,
    Phase,
    QueueFull,
    SessionEnded,
)
from servicekit.endpoint import Handler
from servicekit.erp import errors as erp
from servicekit.errors import ServiceError, Upstream, as_service_error
from supplier_returns.web.erp_errors import (
    ErpForbidden,
    ErpUnavailable,
    QueueIsFull,
    ReplyTooLarge,
    UpstreamConnectTimeout,
    UpstreamUnreachable,
)
from supplier_returns.web.rights import RightMissingError
from supplier_returns.web.session_errors import SessionExpired

# An error of the query analyser repeats the whole statement, which users can't read.
_STATEMENT: Final = re.compile(r"(Invalid SQL syntax:).*?(,\s*line \d+, character position \d+)", re.DOTALL)


def upstream_service_error(error: ErpError, *, writes: bool = False) -> ServiceError:
    """Return the error of this service for a failed call to the ERP.

    Args:
        error: exception of `erpclient`.
        writes: whether the call could change something.
    """
    if writes and error.outcome is Outcome.UNKNOWN:
        late = isinstance(error, ErpTimeout)
        return (erp.OutcomeUnknownTimeout if late else erp.OutcomeUnknown)(upstream=upstream_of(error))
    if isinstance(error, ErpUnreachable):
        return _unreachable(UpstreamUnreachable, error.network_code)
    # A timeout while connecting means that nothing was sent.
    if isinstance(error, ErpTimeout):
        connecting = error.phase is Phase.CONNECT
        return (
            _unreachable(UpstreamConnectTimeout, error.network_code) if connecting else erp.UpstreamTimeout()
        )
    if isinstance(error, ErpRefused):
        return _refusal(error)
    if isinstance(error, ErpServerError):
        busy = error.status == HTTPStatus.SERVICE_UNAVAILABLE
        return (erp.UpstreamBusy if busy else erp.UpstreamFailed)(upstream=upstream_of(error))
    return erp.failed_call(error, _ANSWERS)


_ANSWERS: Final = {
    **erp.ANSWERS,
    SessionEnded: SessionExpired,
    ErpLoginRejected: SessionExpired,
    ErpUnwell: ErpUnavailable,
    ErpReplyTooLarge: ReplyTooLarge,
    QueueFull: QueueIsFull,
}

_BY_STATUS: Final[dict[int, type[ServiceError]]] = {
    403: ErpForbidden,
    404: erp.RecordNotFound,
    409: erp.UpstreamConflict,
    412: erp.UpstreamConflict,
    429: erp.UpstreamBusy,
}


def upstream_of(error: ErpError) -> Upstream | None:
    """Return the ERP's code and text, without the statement that an error of the query analyser repeats."""
    words = erp.upstream_of(error)
    return words and Upstream(words.code, _STATEMENT.sub(r"\1 …\2", words.message))


def lacking_right(error: ErpRefused, *, task: str, right: str) -> ErpForbidden:
    """Return an error that names the missing right, with the ERP's code and text.

    Args:
        error: refusal of the ERP.
        task: task of the user, as the end of a Spanish sentence.
        right: name of the right in the ERP.
    """
    return ErpForbidden(
        f"Su usuario no tiene autorización para {task}. "
        f"Pida al administrador del ERP la autorización «{right}».",
        upstream=upstream_of(error),
        members={"authorization": right},
    )


def _refusal(error: ErpRefused) -> ServiceError:
    if isinstance(error, RightMissingError):
        return lacking_right(error, task=error.task, right=error.right)
    return _BY_STATUS.get(error.status, erp.UpstreamRejected)(upstream=upstream_of(error))


def as_problem(error: Exception) -> ServiceError:
    """Return the error of this service for an exception, after the response has started."""
    return upstream_service_error(error) if isinstance(error, ErpError) else as_service_error(error)


@contextmanager
def erp_write() -> Iterator[None]:
    """Translate the errors of a writing call. Without it they are translated like those of a read.

    Raises:
        ServiceError: replaces any `ErpError`.
    """
    try:
        yield
    except ErpError as error:
        raise upstream_service_error(error, writes=True) from error


@contextmanager
def erp_read() -> Iterator[None]:
    """Translate the errors of reading calls.

    The block may contain writing calls if their unknown outcomes are translated there. A value that can't be
    decoded comes from the ERP, because request bodies are validated when they are read.

    Raises:
        ServiceError: replaces any `ErpError`.
    """
    try:
        yield
    except ErpError as error:
        raise upstream_service_error(error) from error
    except msgspec.DecodeError as error:
        raise erp.UpstreamUnreadable from error


def translating_errors(handler: Handler) -> Handler:
    """Return the handler with its `erpclient` errors translated like those of a read."""

    async def translated(request: Request) -> Response:
        with erp_read():
            return await handler(request)

    return translated


def _unreachable(answer: type[ServiceError], network_code: str) -> ServiceError:
    return answer(f"{answer.detail} ({network_code})")
