"""Progress of work as server-sent events.

Events `progreso`, then `resultado` with the response body or `error` with a problem document. A comment
during a pause keeps proxies from closing the stream.
"""

from collections.abc import AsyncIterator, Callable
from typing import Final, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from servicekit.endpoint.declare import Body, HeaderParam
from servicekit.errors import ServiceError, as_service_error
from servicekit.request_log import request_facts
from servicekit.tasks import FollowedTask

EVENT_STREAM: Final = "text/event-stream"
QUIET_S: Final = 15.0
"""After so many seconds without news a comment is sent."""

ACCEPT: Final = HeaderParam("Accept", f"`{EVENT_STREAM}` for progress.", EVENT_STREAM)

EVENTS: Final = Body(
    {"type": "string"}, "event: progreso\ndata: {…}\n\nevent: resultado\ndata: {…}\n\n", EVENT_STREAM
)
"""Alternative media type of a response with progress."""

P = TypeVar("P")
R = TypeVar("R")


def wants_events(request: Request) -> bool:
    """Return whether the client wants progress as events."""
    return EVENT_STREAM in request.headers.get("accept", "")


def stream(
    request: Request,
    work: FollowedTask[P, R],
    *,
    progress_json: Callable[[P], bytes],
    result_json: Callable[[R], bytes],
    quiet_s: float = QUIET_S,
    as_problem: Callable[[Exception], ServiceError] = as_service_error,
    check: Callable[[], None] = lambda: None,
) -> Response:
    """Stream the events of a piece of work. A disconnect does not affect the work.

    Args:
        request: the request.
        work: the work; it logs its own failures.
        progress_json: converts a progress report.
        result_json: converts the result.
        quiet_s: pause after which a keep-alive comment is sent.
        as_problem: converts an exception of the work to the error to send.
        check: called before each event; its error is sent instead and ends the stream.
    """

    async def events() -> AsyncIterator[bytes]:
        try:
            async for progress in work.progress(quiet_s=quiet_s):
                check()
                yield b": vivo\n\n" if progress is None else _event("progreso", progress_json(progress))
            check()
            yield _event("resultado", result_json(await work.result()))
        except Exception as error:  # noqa: BLE001 - the stream has begun, so this is its answer
            problem = as_problem(error).body(request_facts(request.scope).request_id)
            yield _event("error", msgspec.json.encode(problem))

    return StreamingResponse(
        events(),
        media_type=EVENT_STREAM,
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _event(name: str, content: bytes) -> bytes:
    return b"event: " + name.encode() + b"\ndata: " + content + b"\n\n"
