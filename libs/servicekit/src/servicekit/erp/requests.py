"""Callers of the ERP for HTTP requests, and the cost of their calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from starlette.requests import Request

from erpclient import Caller, Lane, Reserve
from servicekit.endpoint import client_gone
from servicekit.request_log import request_facts


def create_caller(
    request: Request, user: Lane, *, may_leave: bool = True, reserve: Reserve = Reserve.NONE
) -> Caller:
    """Create the ERP caller of a request.

    Args:
        request: a request whose body has been read.
        user: lane of the queue.
        may_leave: whether a waiting call is cancelled when the client disconnects.
        reserve: reserved places of the queue that its calls may use.
    """
    facts = request_facts(request.scope)
    disconnected = partial(client_gone, request) if may_leave else None
    return Caller(user, facts.request_id, facts.traceparent, disconnected, reserve=reserve)


@contextmanager
def recorded_calls(
    request: Request, user: Lane, *, may_leave: bool = True, reserve: Reserve = Reserve.NONE
) -> Iterator[Caller]:
    """Yield the caller of a request, and add the cost of its calls to the log line and to `Server-Timing`.

    The cost is recorded even if the calls fail. The arguments are those of `create_caller`.
    """
    caller = create_caller(request, user, may_leave=may_leave, reserve=reserve)
    facts = request_facts(request.scope)
    try:
        yield caller
    finally:
        facts.upstream_calls += caller.trace.calls
        facts.upstream_s += caller.trace.upstream_s
        facts.queue_s += caller.trace.queue_s
