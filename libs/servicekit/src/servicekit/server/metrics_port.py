"""The port that tells the process's figures to Prometheus."""

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
    standing: Callable[[], str] | None = None,
) -> AsyncIterator[int | None]:
    """Answer `GET /metrics` on a port of its own while the context is open; does nothing when `port` is None.

    The figures are rendered in a thread, so that they never hold up the event loop; a gauge that calls a
    function is read from there. `?name[]=` asks for single ones, as Prometheus' own libraries have it.

    Args:
        registry: The figures.
        host: The address to bind.
        port: The port to bind.
        standing: With it, `GET /ready` answers what it returns, `{"state": "standby"}` for one.

    Yields:
        The port listened on (0 asks for any free one).

    Raises:
        OSError: The port can't be bound.
    """
    if port is None:
        yield None
        return
    async with serving_beside(_create_app(registry, standing), ServerSettings(host=host, port=port)) as bound:
        yield bound


def _create_app(registry: CollectorRegistry, standing: Callable[[], str] | None) -> ASGIApp:
    async def tell(request: Request) -> Response:
        names = request.query_params.getlist("name[]")
        chosen = registry.restricted_registry(names) if names else registry
        render, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(await asyncio.to_thread(render, chosen), headers={"Content-Type": media_type})

    async def tell_standing(_request: Request) -> Response:
        return json_response({"state": "" if standing is None else standing()})

    figures = Endpoint(
        "GET", "/metrics", tell, access=None, summary="The process's figures", responses={}, is_polled=True
    )
    ready = Endpoint(
        "GET", "/ready", tell_standing, access=None, summary="What it is", responses={}, is_polled=True
    )
    endpoints = [figures] if standing is None else [figures, ready]
    return create_app(endpoints, guard=lambda each: each.handler, settings=AppSettings())
