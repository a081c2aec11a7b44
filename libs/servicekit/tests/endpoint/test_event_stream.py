"""Progress as server-sent events."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from starlette.requests import Request
from starlette.responses import Response

from servicekit.endpoint import Answer, AppSettings, Endpoint, create_app
from servicekit.endpoint.event_stream import EVENT_STREAM, EVENTS, stream, wants_events
from servicekit.errors import NotFound
from servicekit.tasks import FollowedTask

pytestmark = pytest.mark.asyncio


@pytest.mark.parametrize(
    ("fails", "events"),
    [
        (None, [("progreso", 1), ("progreso", 2), ("resultado", "listo")]),
        (NotFound(), [("progreso", 1), ("progreso", 2), ("error", "not_found")]),
        (ValueError("secret"), [("progreso", 1), ("progreso", 2), ("error", "internal_error")]),
    ],
)
async def test_progress_events_precede_the_result_or_a_problem(
    open_client: Any, fails: Exception | None, events: list[tuple[str, object]]
) -> None:
    async def work(tell: Callable[[int], None]) -> str:
        tell(1)
        await asyncio.sleep(0.01)
        tell(2)
        if fails is not None:
            raise fails
        return "listo"

    answer = await open_client(app_of(work, quiet_s=30)).get("/x", headers={"Accept": "text/event-stream"})
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert answer.headers["X-Accel-Buffering"] == "no"
    assert "secret" not in answer.text
    told = [part.split("\ndata: ") for part in answer.text.split("\n\n") if part]
    read = [(name.removeprefix("event: "), json.loads(data)) for name, data in told]
    assert [(name, data["code"] if name == "error" else data) for name, data in read] == events


async def test_a_comment_shows_that_a_quiet_stream_lives(open_client: Any) -> None:
    async def work(_tell: Callable[[int], None]) -> str:
        await asyncio.sleep(0.1)
        return "listo"

    answer = await open_client(app_of(work, quiet_s=0.01)).get("/x", headers={"Accept": "text/event-stream"})
    assert ": vivo\n\n" in answer.text


async def test_only_clients_that_accept_events_get_them(open_client: Any) -> None:
    async def work(_tell: Callable[[int], None]) -> str:
        return "listo"

    answer = await open_client(app_of(work, quiet_s=1)).get("/x", headers={"Accept": "application/json"})
    assert answer.text == "no events"


def app_of(
    work: Callable[[Callable[[int], None]], Any], *, quiet_s: float, check: Callable[[], None] = lambda: None
) -> Any:
    async def handler(request: Request) -> Response:
        if not wants_events(request):
            return Response("no events", media_type="text/plain")
        following: FollowedTask[int, str] = FollowedTask(work)
        return stream(
            request,
            following,
            progress_json=lambda number: b"%d" % number,
            result_json=lambda text: json.dumps(text).encode(),
            quiet_s=quiet_s,
            check=check,
        )

    endpoint = Endpoint(
        "GET", "/x", handler, access="public", summary="x", responses={200: Answer("x", EVENTS)}
    )
    return create_app([endpoint], guard=lambda each: each.handler, settings=AppSettings())


async def test_a_lost_right_ends_the_stream_with_the_reason(open_client: Any) -> None:
    result: list[int] = []

    def check() -> None:
        if result == [1, 2]:
            raise NotFound

    async def work(tell: Callable[[int], None]) -> str:
        for number in (1, 2, 3):
            result.append(number)
            tell(number)
            await asyncio.sleep(0.05)
        return "listo"

    answer = await open_client(app_of(work, quiet_s=30, check=check)).get(
        "/x", headers={"Accept": EVENT_STREAM}
    )
    events = [part.partition("\n")[0] for part in answer.text.split("\n\n") if part]
    assert events == ["event: progreso", "event: error"]
    assert '"not_found"' in answer.text
