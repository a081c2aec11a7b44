"""Requests of people that reach the ERP: for whom it is called, what that cost, and the body of a login."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from attrs import Attribute
from starlette.requests import Request

from erpclient import Caller, Lane, Reserve
from erpclient.odata import InvalidLiteral, quote_string
from servicekit.endpoint import InvalidValue, client_gone
from servicekit.request_log import request_facts

MAX_USER_NAME_CHARS: Final = 254
MAX_PASSWORD_CHARS: Final = 1024
MAX_LOGIN_BYTES: Final = 16 * 1024
"""Name and password at their longest, with every character escaped."""


def create_caller(
    request: Request, user: Lane, *, may_leave: bool = True, reserve: Reserve = Reserve.NONE
) -> Caller:
    """Return for whom a request's calls are made.

    Args:
        request: one whose body has been read.
        user: whose turn is taken.
        may_leave: whether a call that waits is given up when the client leaves.
        reserve: which reserved places of the queue its calls may wait in.
    """
    facts = request_facts(request.scope)
    gone = partial(client_gone, request) if may_leave else None
    return Caller(user, facts.request_id, facts.traceparent, gone, reserve=reserve)


@contextmanager
def recorded_calls(
    request: Request, user: Lane, *, may_leave: bool = True, reserve: Reserve = Reserve.NONE
) -> Iterator[Caller]:
    """Give the caller of a request's calls; hand what they cost to the log line and to `Server-Timing`.

    That is done whatever becomes of them. The arguments are those of `create_caller`.
    """
    caller = create_caller(request, user, may_leave=may_leave, reserve=reserve)
    facts = request_facts(request.scope)
    try:
        yield caller
    finally:
        facts.upstream_calls += caller.trace.calls
        facts.upstream_s += caller.trace.upstream_s
        facts.queue_s += caller.trace.queue_s


def check_user_name(_body: object, _field: "Attribute[str]", value: str) -> None:
    """Refuse what can't be the name of a user, as a validator of attrs.

    Raises:
        InvalidValue: too short or too long, or with characters that the ERP refuses.
    """
    if not value.strip() or len(value) > MAX_USER_NAME_CHARS:
        raise InvalidValue(f"Debe tener entre 1 y {MAX_USER_NAME_CHARS} caracteres.")
    try:
        quote_string(value)
    except InvalidLiteral:
        raise InvalidValue("Contiene caracteres que ningún usuario tiene.") from None


def check_password(_body: object, _field: "Attribute[str]", value: str) -> None:
    """Refuse what is too long for a password, as a validator of attrs.

    Raises:
        InvalidValue: it is.
    """
    if len(value) > MAX_PASSWORD_CHARS:
        raise InvalidValue(f"Debe tener como máximo {MAX_PASSWORD_CHARS} caracteres.")
