"""Peer (a): a bare pass-through of Starlette, hypercorn and aiohttp. No checks, no log, no limits.

It is also the naive proxy of the penalty scenario: it passes every call to the upstream at once.

Run as: python -m bench.peers.bare PORT UPSTREAM_PORT
"""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import uvloop
from hypercorn.asyncio import serve
from hypercorn.config import Config
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from yarl import URL


def create_app(upstream: str) -> Starlette:
    """Build the application; `upstream` is the address of the upstream without a path."""

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, aiohttp.ClientSession]]:
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
            yield {"session": session}

    async def pass_through(request: Request) -> Response:
        session: aiohttp.ClientSession = request.state.session
        target = f"{upstream}/b1s/v1/{request.path_params['resource']}?{request.url.query}"
        headers = {"Cookie": "B1SESSION=bench", "Content-Type": "application/json"}
        body = await request.body() or None
        async with session.request(
            request.method, URL(target, encoded=True), headers=headers, data=body
        ) as reply:
            return Response(await reply.read(), status_code=reply.status, media_type="application/json")

    return Starlette(
        routes=[Route("/api/sl/{resource}", pass_through, methods=["GET", "POST"])], lifespan=lifespan
    )


def main(port: int, upstream_port: int) -> None:
    """Serve until killed."""
    config = Config()
    config.bind = [f"127.0.0.1:{port}"]
    config.errorlog = None
    uvloop.run(serve(create_app(f"http://127.0.0.1:{upstream_port}"), config))  # type: ignore[arg-type]
    # ASGI types of the two libraries differ


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
