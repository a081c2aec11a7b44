# ruff: noqa: N818 - refusals are plain nouns
"""The only place where errors of `erpclient` become answers of this service.

The person is the ERP user here: a session that the ERP no longer knows ends theirs (401), and a right that
they lack is their own (403). A write whose outcome is unknown is always told as such.
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
from supplier_returns.web.session import SessionExpired


class ErpForbidden(ServiceError):
    """The signed-in ERP user lacks an authorisation; `authorization` names it where it is known."""

    status = 403
    code = "erp_forbidden"
    detail = "Su usuario no tiene autorización en el ERP para esta operación."


class UpstreamUnreachable(erp.UpstreamUnreachable):
    """The same; the text ends with the network code."""

    detail = "No se pudo conectar con el Service Layer"


class UpstreamConnectTimeout(UpstreamUnreachable):
    """The same, where the connection was not made in time (ETIMEDOUT)."""

    status = 504


class ErpUnavailable(erp.ErpUnavailable):
    """The same, in the words of `UpstreamUnreachable`."""

    detail = (
        f"{UpstreamUnreachable.detail} (ETIMEDOUT): no responde en este momento. "
        "La operación no se realizó; inténtelo de nuevo en unos segundos."
    )


class ReplyTooLarge(erp.ReplyTooLarge):
    """The same, where nobody can ask for less."""

    detail = "La respuesta del ERP es más grande que lo que este servicio admite. Avise al administrador."


class QueueIsFull(erp.QueueIsFull):
    """The same of the person's own queue."""

    detail = (
        "Hay demasiadas solicitudes suyas en espera del ERP. La operación no se realizó; "
        "inténtelo en unos segundos."
    )


ERP_ERRORS: Final[tuple[type[ServiceError], ...]] = (
    erp.UpstreamRejected,
    ErpForbidden,
    erp.RecordNotFound,
    erp.UpstreamConflict,
    UpstreamUnreachable,
    erp.UpstreamFailed,
    erp.UpstreamUnreadable,
    ReplyTooLarge,
    erp.UpstreamBusy,
    QueueIsFull,
    erp.QueueWaitTooLong,
    erp.ClientGone,
    ErpUnavailable,
    UpstreamConnectTimeout,
    erp.UpstreamTimeout,
)
"""What the ERP's trouble is told as, whatever was asked of it."""

WRITE_ERRORS: Final[tuple[type[ServiceError], ...]] = (erp.OutcomeUnknown, erp.OutcomeUnknownTimeout)
"""What a write may end as besides."""

_STATEMENT: Final = re.compile(r"(Invalid SQL syntax:).*?(,\s*line \d+, character position \d+)", re.DOTALL)


class RightMissingError(ErpRefused):
    """The ERP's refusal because of an authorisation, with the name of what the user lacks.

    It stays a refusal for those who decide on refusals.

    Attributes:
        task: what the user wanted, as the end of a Spanish sentence.
        right: the authorisation's name in the ERP, or that of the object that it protects.
    """

    def __init__(self, error: ErpRefused, *, task: str, right: str) -> None:
        super().__init__(error.status, error.code, error.text)
        self.task = task
        self.right = right


def upstream_service_error(error: ErpError, *, writes: bool = False) -> ServiceError:
    """Say what a failed call to the ERP means for the person who caused it.

    Args:
        error: what `erpclient` raised.
        writes: whether the call could change something.
    """
    if writes and error.outcome is Outcome.UNKNOWN:
        late = isinstance(error, ErpTimeout)
        return (erp.OutcomeUnknownTimeout if late else erp.OutcomeUnknown)(upstream=upstream_of(error))
    if isinstance(error, ErpUnreachable):
        return _unreachable(UpstreamUnreachable, error.network_code)
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
    """Return the ERP's own words without the statement that an error of the query analyser repeats."""
    words = erp.upstream_of(error)
    return words and Upstream(words.code, _STATEMENT.sub(r"\1 …\2", words.message))


def lacking_right(error: ErpRefused, *, task: str, right: str) -> ErpForbidden:
    """Say which authorisation the user lacks for a task, beside the ERP's own words.

    Args:
        error: the ERP's refusal.
        task: what the user wanted, as the end of a Spanish sentence.
        right: the authorisation's name in the ERP.
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


@contextmanager
def needing_right(right: str, *, task: str) -> Iterator[None]:
    """Name what the user lacks where the ERP answers a call with 403; any other error passes.

    Args:
        right: the authorisation's name in the ERP, or that of the object that it protects.
        task: what the user wants, as the end of a Spanish sentence.

    Raises:
        RightMissingError: in place of the ERP's 403, which it still is.
    """
    try:
        yield
    except ErpRefused as error:
        if error.status != HTTPStatus.FORBIDDEN:
            raise
        raise RightMissingError(error, task=task, right=right) from error


def as_problem(error: Exception) -> ServiceError:
    """Say what the error of work that asks the ERP is told as, where it is told after the work has begun."""
    return upstream_service_error(error) if isinstance(error, ErpError) else as_service_error(error)


@contextmanager
def erp_write() -> Iterator[None]:
    """Translate the errors of a call that changes something; without it they are translated as a read's.

    Raises:
        ServiceError: in place of any `ErpError`.
    """
    try:
        yield
    except ErpError as error:
        raise upstream_service_error(error, writes=True) from error


@contextmanager
def erp_read() -> Iterator[None]:
    """Translate the errors of calls that change nothing, or whose changes are translated where they are made.

    A value that can't be decoded is the ERP's as well: what clients send is checked when it is read.

    Raises:
        ServiceError: in place of any `ErpError`.
    """
    try:
        yield
    except ErpError as error:
        raise upstream_service_error(error) from error
    except msgspec.DecodeError as error:
        raise erp.UpstreamUnreadable from error


def translating_errors(handler: Handler) -> Handler:
    """Return the handler with the errors of `erpclient` that it lets out translated, as those of a read."""

    async def translated(request: Request) -> Response:
        with erp_read():
            return await handler(request)

    return translated


def _unreachable(answer: type[ServiceError], network_code: str) -> ServiceError:
    return answer(f"{answer.detail} ({network_code})")
