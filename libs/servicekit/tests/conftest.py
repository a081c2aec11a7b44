"""Makers that several test files share: endpoints, applications, and clients of them in process."""

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import pytest_asyncio
import structlog
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from servicekit.endpoint import (
    Answer,
    AppSettings,
    Body,
    Endpoint,
    Guard,
    Handler,
    PathParam,
    create_app,
    json_response,
)

sys.path.append(str(Path(__file__).parent / "doubles"))

MakeEndpoint = Callable[..., Endpoint]
MakeApp = Callable[..., ASGIApp]
OpenClient = Callable[..., httpx2.AsyncClient]
LogLines = list[dict[str, Any]]


async def answer_fine(_request: Request) -> Response:
    return json_response({"fine": True})


@pytest.fixture
def make_endpoint() -> MakeEndpoint:
    """Make an endpoint; its path parameters are described for it."""

    def make(method: str, path: str, handler: Handler = answer_fine, **more: Any) -> Endpoint:
        names = [segment[1:-1] for segment in path.split("/") if segment.startswith("{")]
        described: dict[str, Any] = {
            "access": "public",
            "summary": "A thing of a test",
            "path_params": {name: PathParam("A name", "x") for name in names},
            "responses": {200: Answer("Fine", Body({"type": "object"}, example={"fine": True}))},
        }
        return Endpoint(method, path, handler, **(described | more))

    return make


@pytest.fixture
def make_app() -> MakeApp:
    """Make an application of endpoints that lets everybody in."""

    def make(*endpoints: Endpoint, guard: Guard = lambda endpoint: endpoint.handler, **more: Any) -> ASGIApp:
        settings = more.pop("settings", AppSettings())
        return create_app(endpoints, guard=guard, settings=settings, **more)

    return make


@pytest_asyncio.fixture
async def open_client() -> AsyncIterator[OpenClient]:
    """Open clients of applications; `peer` is the address that the application sees."""
    opened: list[httpx2.AsyncClient] = []

    def open_one(app: ASGIApp, *, peer: str = "203.0.113.9", **more: Any) -> httpx2.AsyncClient:
        transport = httpx2.ASGITransport(app=app, client=(peer, 4711))
        opened.append(httpx2.AsyncClient(transport=transport, base_url="http://service", **more))
        return opened[-1]

    yield open_one
    for client in opened:
        await client.aclose()


@pytest.fixture
def log_lines() -> Iterator[LogLines]:
    """Collect what is logged through structlog."""
    with structlog.testing.capture_logs() as lines:
        yield lines  # type: ignore[misc] # structlog types them as any mutable mapping
