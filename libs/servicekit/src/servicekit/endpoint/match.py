"""The endpoint that a request was routed to."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.types import Scope

from servicekit.endpoint.declare import Endpoint

_KEY: Final = "servicekit.match"


class Match(NamedTuple):
    """Result of routing: the endpoint, the encoded segments, and the positions of its parameters."""

    endpoint: Endpoint
    segments: list[str]
    positions: Mapping[str, int]
    body_timeout_s: float


def set_match(scope: Scope, match: Match) -> None:
    """Bind routing's result to the request's scope."""
    scope[_KEY] = match


def match_of(request: Request) -> Match:
    """Return routing's result for this request."""
    match: Match = request.scope[_KEY]
    return match
