"""The port on which Prometheus reads the metrics of the process."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from servicekit.endpoint import AppSettings, Endpoint, create_app, json_response
from servicekit.server.serving import serving_beside
from servicekit.server.settings import ServerSettings


@asynccontextmanager
async def serve_metrics(
    registry: CollectorRegistry,
    *,
    host: str,
    port: int | None,
    state: Callable[[], str] | None = None,
) -> AsyncIterator[int | None]:
    """Serve `GET /metrics` on a port of its own while the context is open. Without a port, do nothing.

    A thread renders the metrics, so that they never block the event loop. Gauges that call a function are
    read in that thread. `?name[]=` selects metrics, as in Prometheus' own libraries.

    Args:
        registry: the metrics.
        host: the address to bind.
        port: the port to bind.
        state: returns the state of the process for `GET /ready`, such as `standby`. Without it there is no
            such address.

    Yields:
        the port listened on (0 asks for any free one).

    Raises:
        OSError: the port can't be bound.
    """
    if port is None:
        yield None
        return
    async with serving_beside(_create_app(registry, state), ServerSettings(host=host, port=port)) as bound:
        yield bound


def _create_app(registry: CollectorRegistry, state: Callable[[], str] | None) -> ASGIApp:
    async def show_metrics(request: Request) -> Response:
        names = request.query_params.getlist("name[]")
        chosen = registry.restricted_registry(names) if names else registry
        render, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(await asyncio.to_thread(render, chosen), headers={"Content-Type": media_type})

    async def show_state(_request: Request) -> Response:
        return json_response({"state": "" if state is None else state()})

    figures = Endpoint(
        "GET",
        "/metrics",
        show_metrics,
        access=None,
        summary="The process's figures",
        responses={},
        is_polled=True,
    )
    ready = Endpoint(
        "GET", "/ready", show_state, access=None, summary="What it is", responses={}, is_polled=True
    )
    endpoints = [figures] if state is None else [figures, ready]
    return create_app(endpoints, guard=lambda each: each.handler, settings=AppSettings())
