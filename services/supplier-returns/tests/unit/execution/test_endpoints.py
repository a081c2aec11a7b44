"""Endpoints of execution encode large plannings outside the event loop."""

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import attrs
import pytest
from plannings import line, part, planning
from starlette.requests import Request
from typing_extensions import override

from servicekit.endpoint import Endpoint
from servicekit.endpoint.match import Match, set_match
from servicekit.request_log.facts import RequestFacts, set_request_facts
from servicekit.request_log.request_id import new_request_id
from servicekit.tasks import FollowedTask
from supplier_returns.execution.context import Progress
from supplier_returns.execution.endpoints import ExecutionEndpoints
from supplier_returns.execution.run_handle import RunHandle
from supplier_returns.planning.model.lines import PlanningLine
from supplier_returns.planning.model.planning import Planning

pytestmark = pytest.mark.asyncio


class Lines(tuple[PlanningLine, ...]):  # noqa: SLOT001 - a kind of tuple can have no slots of its own
    """Lines that record the thread of each iteration."""

    threads: set[threading.Thread]

    @override
    def __iter__(self) -> Iterator[PlanningLine]:
        self.threads.add(threading.current_thread())
        return super().__iter__()


class Executing:
    """A service whose executions end at once."""

    def __init__(self, planning: Planning) -> None:
        self._planning = planning

    def execute(self, *_: object) -> RunHandle:
        async def work(tell: Callable[[Progress], None]) -> Planning:
            tell(Progress(done=0, total=0))
            return self._planning

        record: Any = None
        return RunHandle(record, FollowedTask(work))


def custom(endpoint: Endpoint, accept: str) -> Request:
    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b'{"version":1}', "more_body": False}

    headers = [(b"accept", accept.encode()), (b"content-type", b"application/json")]
    state = {"check_session": lambda: None}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "headers": headers,
        "state": state,
    }
    segments = endpoint.path.replace("{id}", "1").strip("/").split("/")
    set_match(scope, Match(endpoint, segments, {"id": segments.index("1")}, body_timeout_s=10))
    set_request_facts(scope, RequestFacts(new_request_id()))
    return Request(scope, receive)


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
async def test_a_large_response_is_encoded_outside_the_event_loop(accept: str) -> None:
    lines = Lines([line(1, part(2))])
    lines.threads = set()
    service: Any = Executing(attrs.evolve(planning(), lines=lines))
    sources: Any = None
    endpoint = ExecutionEndpoints(service, lambda _: sources).endpoints()[0]
    answer: Any = await endpoint.handler(custom(endpoint, accept))
    if accept == "application/json":
        content = answer.body
    else:
        body: AsyncIterator[bytes] = answer.body_iterator
        events = [event async for event in body]
        assert events[0].startswith(b"event: progreso\n")
        content = events[-1].removeprefix(b"event: resultado\ndata: ")
    assert b'"itemCode":"A"' in content
    assert lines.threads
    assert threading.current_thread() not in lines.threads
