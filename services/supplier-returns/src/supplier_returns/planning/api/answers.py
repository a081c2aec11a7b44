"""What the routes of planning share: how they open the service, and how they answer with a planning."""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from supplier_returns.planning.api.showing import detail_json
from supplier_returns.planning.computing import beside_the_loop
from supplier_returns.planning.rules.plannings import Planning
from supplier_returns.planning.service import PlanningService

OpenService = Callable[[Request], PlanningService]
"""Builds the service for the signed-in user of a request."""


async def answer_detail(
    planning: Planning, is_running: Callable[[int], bool], *, status: int = 200
) -> Response:
    """Answer with a planning and everything in it."""
    shown = partial(detail_json, is_running=is_running(planning.id))
    return json_bytes(await beside_the_loop(shown, planning), status=status)


def json_bytes(body: bytes, *, status: int = 200) -> Response:
    """Answer with JSON that is written already."""
    return Response(body, status_code=status, media_type="application/json")
