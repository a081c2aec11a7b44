"""The guard refuses endpoints without an access kind."""

import pytest
from starlette.requests import Request
from starlette.responses import Response

from servicekit.clock import ManualClock
from servicekit.endpoint import Answer, Endpoint
from supplier_returns.web.guard import Guard
from supplier_returns.web.session_store import WebSessionStore


async def answer(_request: Request) -> Response:
    raise NotImplementedError


def test_an_endpoint_without_an_access_kind_is_refused_at_start(clock: ManualClock) -> None:
    endpoint = Endpoint("GET", "/x", answer, access="public", summary="x", responses={200: Answer("x")})
    with pytest.raises(TypeError, match="GET /x declares no access kind but 'public'"):
        Guard(WebSessionStore(timeout_s=1, capacity=1, per_user=1, grace_s=1, clock=clock), None)(endpoint)
