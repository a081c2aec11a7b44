"""Server-sent events of work that asks the ERP: its faults are told as the answers of requests are."""

from collections.abc import Callable
from typing import TypeVar

from starlette.requests import Request
from starlette.responses import Response

from erpclient import ErpError
from servicekit.endpoint import event_stream
from servicekit.errors import ServiceError, as_service_error
from servicekit.tasks import Following
from supplier_returns.web.error_map import upstream_service_error

P = TypeVar("P")
R = TypeVar("R")


def stream(
    request: Request,
    work: Following[P, R],
    *,
    progress_json: Callable[[P], bytes],
    result_json: Callable[[R], bytes],
    quiet_s: float,
) -> Response:
    """Answer with the events of a piece of work; the client may leave without disturbing it."""
    return event_stream.stream(
        request,
        work,
        progress_json=progress_json,
        result_json=result_json,
        quiet_s=quiet_s,
        as_problem=_as_problem,
    )


def _as_problem(error: Exception) -> ServiceError:
    return upstream_service_error(error) if isinstance(error, ErpError) else as_service_error(error)
