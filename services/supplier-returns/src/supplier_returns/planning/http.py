"""Helpers that the planning endpoints share."""

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import (
    PathParam,
    path_param,
)
from servicekit.errors import InvalidPath
from supplier_returns.planning.errors import LineNotFound, PlanningNotFound
from supplier_returns.planning.model.planning import Planning
from supplier_returns.planning.responses import (
    detail_json,
)
from supplier_returns.planning.small_work import run_small_work


async def answer_detail(
    planning: Planning, is_running: Callable[[int], bool], *, status: int = 200
) -> Response:
    """Return a response with the whole planning."""
    encode = partial(detail_json, is_running=is_running(planning.id))
    return json_bytes(await run_small_work(encode, planning), status=status)


def json_bytes(body: bytes, *, status: int = 200) -> Response:
    """Return a response with encoded JSON."""
    return Response(body, status_code=status, media_type="application/json")


PLANNING_ID: Final = {"id": PathParam("The planning.", example=12, schema={"type": "integer", "minimum": 1})}


MAX_ID: Final = 2**31 - 1

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,9}")


def read_number(request: Request, name: str, missing: type[PlanningNotFound] | type[LineNotFound]) -> int:
    """Read a number in the path. A number above the range of the ERP's keys counts as missing.

    Raises:
        InvalidPath: the text is not a positive integer.
    """
    text = path_param(request, name)
    if not _NUMBER.fullmatch(text):
        raise InvalidPath("El identificador debe ser un número entero mayor que cero.")
    if int(text) > MAX_ID:
        raise missing
    return int(text)
