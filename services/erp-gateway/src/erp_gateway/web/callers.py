"""For whom a call to a system behind us is made, as its queue and its request ids know them."""

from functools import partial

from starlette.requests import Request

from erp_gateway.web.access import session_of
from erpclient import Caller
from servicekit.endpoint import client_gone
from servicekit.request_log import request_facts


def caller_of(request: Request) -> Caller:
    """Return the signed-in person of a request whose body has been read, as the caller of a call."""
    facts = request_facts(request.scope)
    return Caller(
        user=session_of(request).web_user,
        request_id=facts.request_id,
        traceparent=facts.traceparent,
        gone=partial(client_gone, request),
    )


def note_cost(request: Request, caller: Caller) -> None:
    """Hand what the calls cost to the log line and to `Server-Timing`, whatever became of them."""
    facts = request_facts(request.scope)
    facts.upstream_calls += caller.trace.calls
    facts.upstream_s += caller.trace.upstream_s
    facts.queue_s += caller.trace.queue_s
