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
    """Yield the caller for a request's calls; add their cost to the log line and to `Server-Timing`.

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
