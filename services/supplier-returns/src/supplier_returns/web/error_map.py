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

_STATEMENT: Final = re.compile(r"(Invalid SQL syntax:).*?(,\s*line \d+, character position \d+)", re.DOTALL)


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
